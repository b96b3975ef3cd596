// The handoff as a printable sheet: what the next person or agent needs to know.

import { h, phrase } from "../dom.js";
import { GLYPHS, many, moment } from "../labels.js";
import { rich } from "./markdown.js";
import { actor, aside, button, chip, code, progress } from "./elements.js";
import { inWords } from "./next_action.js";
import { basis, commit } from "./proof_text.js";
import { shape } from "./proofs.js";

/** @import { Blocker, Child, HandoffReply, Risk } from "../../types/page.d.ts" */
/** @typedef {HandoffReply["done"]["items"][number]} WorkItem */
/** @typedef {NonNullable<WorkItem["proof"]>[number]} Proof */
/** @import { App } from "../app.js" */

/**
 * The sheet for a handoff reply.
 * @param {App} app
 * @param {string} id
 * @param {HandoffReply} report
 */
export function sheet(app, id, report) {
  const { target, counts } = report;
  if (!target) return aside("Nothing to hand off.");
  const kind = target.kind === "plan" ? "task" : "step";
  const { questions = [], notes = [] } = report;
  const asked = new Set(questions.map((one) => one.step_id));
  const blockers = report.blockers.filter((one) => !one.step_id || !asked.has(one.step_id));
  const risks = report.risks.items.filter((one) => !(one.code === "BLOCKED" && one.step_id && asked.has(one.step_id)));
  return h(
    "article",
    { class: "sheet card" },
    h(
      "div",
      { class: "sheet-actions" },
      h("a", { href: app.link("task", id) }, `Back to ${id}`),
      button("Print", () => window.print(), { class: "primary" }),
    ),
    h("p", { class: "label" }, "Handoff"),
    h("h1", {}, target.title),
    h(
      "p",
      { class: "meta" },
      code(`${app.workspace} · ${target.id} · revision ${target.revision}`),
      h("span", {}, target.status),
      h("span", { class: "muted" }, moment(new Date().toISOString())),
    ),
    progress(counts),
    report.next
      ? part("First thing to do", h("p", {}, inWords(report.next, report.now?.title)), aside(report.next.because ?? ""))
      : null,
    part("Now", now(report)),
    report.why ? part("Why", rich(report.why.text), aside(`from ${report.why.from}`)) : null,
    proof(report.verify),
    list(
      "Questions that wait",
      questions.length,
      questions.map((one) => question(app, one)),
      "No questions wait for an answer.",
    ),
    blockers.length ? list("Blockers", blockers.length, blockers.map(blocker), "") : null,
    checklist(target.checklist),
    list("Risks", report.risks.count - (report.risks.items.length - risks.length), risks.map(risk), "No risks found."),
    notes.length
      ? list(
          "Newest notes",
          0,
          notes.map((one) => note(app, id, one)),
          "",
        )
      : null,
    part(`Remaining (${many(report.remaining.count, kind)})`, rows(app, id, report.remaining, "open")),
    part(`Done (${many(report.done.count, kind)})`, rows(app, id, report.done, "done")),
  );
}

/** @param {string} title @param {Child[]} inside */
function part(title, ...inside) {
  return h("section", { class: "part" }, h("h2", {}, title), inside);
}

/** @param {string} title @param {number} count @param {Child[]} items @param {string} none */
function list(title, count, items, none) {
  return part(count ? `${title} (${count})` : title, items.length ? h("ul", {}, items) : aside(none));
}

/** @param {HandoffReply} report */
function now({ now: step, next }) {
  if (!step) return aside(next?.because ?? "No step can be worked on right now.");
  const { answer } = step;
  return [
    h("p", {}, h("strong", {}, step.title), " ", code(`${step.task} ${step.path}`)),
    answer
      ? h(
          "p",
          {},
          answer.question ? phrase`“${answer.question}” ` : null,
          phrase`Answer: ${answer.answer}`,
          " ",
          by(answer.actor, answer.at),
        )
      : null,
  ];
}

/**
 * Who, and when.
 * @param {string | undefined} name @param {string | undefined} at
 */
const by = (name, at) =>
  h("span", { class: "by muted" }, name ? actor(name) : null, name && at ? ", " : null, at ? moment(at) : null);

/**
 * What a blocked step waits for, and who asked.
 * @param {App} app
 * @param {NonNullable<HandoffReply["questions"]>[number]} one
 */
const question = (app, one) =>
  h(
    "li",
    {},
    h("strong", {}, one.question),
    " ",
    h("a", { href: app.link("task", one.task, one.step_id) }, one.title || one.path),
    " ",
    by(one.actor, one.at),
  );

/**
 * @param {App} app
 * @param {string} id
 * @param {NonNullable<HandoffReply["notes"]>[number]} one
 */
function note(app, id, one) {
  const task = one.task ?? id;
  const where = [one.task, one.path].filter(Boolean).join(" ");
  return h(
    "li",
    {},
    rich(one.note),
    where ? [h("a", { href: app.link("task", task, ...(one.path ? [one.path] : [])) }, code(where)), " "] : null,
    by(one.actor, one.at),
  );
}

/** @param {NonNullable<HandoffReply["target"]>["checklist"]} held */
function checklist(held) {
  if (!held) return null;
  const { steps, current } = held;
  return part(
    `Checklist (${current} of ${steps.length})`,
    h(
      "ul",
      { class: "ticks" },
      steps.map((text, at) => h("li", {}, `${at < current ? GLYPHS.done : GLYPHS.open} ${text}`)),
    ),
  );
}

/** @param {HandoffReply["verify"]} verify */
function proof(verify) {
  if (!verify) return null;
  /** @param {string} title @param {string[] | undefined} lines */
  const wanted = (title, lines) =>
    lines?.length
      ? [
          h("h3", {}, title),
          h(
            "ul",
            {},
            lines.map((line) => h("li", {}, line)),
          ),
        ]
      : null;
  return part(
    "Verify",
    wanted("Criteria", verify.criteria),
    wanted("Tests", verify.tests),
    h(
      "p",
      {},
      verify.unconfirmed?.length
        ? `Not confirmed yet: ${verify.unconfirmed.join(", ")}.`
        : "Everything required is confirmed.",
    ),
  );
}

/** @param {Blocker} one */
function blocker(one) {
  if (one.approval) return h("li", {}, phrase`${one.task} (${one.title}) waits for a person's approval.`);
  if (one.depends_on)
    return h("li", {}, phrase`${one.task} waits for ${one.depends_on} (${one.title ?? ""}, ${one.status}).`);
  const why = one.reason ?? "no reason given";
  return h("li", {}, phrase`${GLYPHS.blocked} ${one.title ?? one.step_id}: ${why} `, code(`${one.task} ${one.path}`));
}

/** @type {Record<string, (one: Risk) => Child>} */
const RISKS = {
  WAITS: (one) => phrase`waits for ${one.depends_on} (${one.title}, ${one.status})`,
  DONE_DEPENDS_ON_OPEN: (one) =>
    phrase`is done, but depends on ${one.depends_on} (${one.title}), which is ${one.status}`,
  BLOCKED: (one) => phrase`“${one.title}” is blocked: ${one.reason ?? "no reason given"}`,
  UNPROVEN: (one) => phrase`“${one.title}” was closed without ${(one.unconfirmed ?? []).join(" and ")}`,
  STALE_PROOF: (one) => phrase`“${one.title}” has stale proof: ${(one.stale ?? []).join(" and ")}`,
  AWAITS_APPROVAL: () => "waits for a person's approval",
  WORD_ALONE: (one) => phrase`“${one.title}” was closed on a word alone: ${(one.asserted ?? []).join(" and ")}`,
  CLOSED_IN_BULK: (one) => phrase`${one.actor} closed ${(one.paths ?? []).join(", ")} together`,
  NO_CRITERIA_OR_TESTS: (one) => phrase`“${one.title}” has no ${(one.lacks ?? []).join(" or ")}`,
  NO_STEPS: () => "has no steps",
  PLAN_WITHOUT_TASKS: () => "has no tasks",
};

/** @param {Risk} one */
function risk(one) {
  const words = RISKS[one.code]?.(one) ?? one.code.replaceAll("_", " ").toLowerCase();
  return h("li", {}, code([one.task, one.path].filter(Boolean).join(" ")), " ", words);
}

/**
 * @param {App} app
 * @param {string} id
 * @param {HandoffReply["done"]} report
 * @param {"done" | "open"} kind
 */
function rows(app, id, { items, count }, kind) {
  if (!items.length) return aside(kind === "done" ? "Nothing yet." : "Nothing.");
  const more = count - items.length;
  return [
    h(
      "ul",
      { class: "ticks" },
      items.map((one) => row(app, id, one, kind)),
    ),
    more > 0 ? aside(`and ${more.toLocaleString("en")} more`) : null,
  ];
}

/**
 * A step or task: what is done with who closed it and on which proof, what is open with why.
 * @param {App} app
 * @param {string} id
 * @param {WorkItem} one
 * @param {"done" | "open"} kind
 */
function row(app, id, one, kind) {
  const to = app.link("task", one.task ?? id, ...(one.path ? [one.path] : []));
  const marks = one.proof ?? [];
  return h(
    "li",
    {},
    `${GLYPHS[one.blocked ? "blocked" : kind]} `,
    h("a", { href: to }, one.title ?? one.path ?? one.task),
    " ",
    code(one.path ?? one.task ?? ""),
    " ",
    one.forced ? [chip("forced", "warn"), " "] : null,
    one.actor || one.at ? by(one.actor, one.at) : null,
    one.reason ? h("p", { class: "detail" }, one.reason) : null,
    one.waits_for?.length ? h("p", { class: "detail" }, `waits for ${one.waits_for.join(", ")}`) : null,
    one.forced && one.unconfirmed?.length
      ? h("p", { class: "detail" }, `still without ${one.unconfirmed.join(" and ")}`)
      : null,
    one.evidence ? h("p", { class: "detail" }, many(one.evidence, "piece of evidence", "pieces of evidence")) : null,
    marks.length ? h("ul", { class: "detail" }, marks.map(proven)) : null,
  );
}

/** @param {Proof} mark */
function proven(mark) {
  return h(
    "li",
    { class: mark.provenance },
    shape(mark.provenance, mark.stale),
    ` ${mark.checkpoint}: ${basis(mark)}`,
    mark.commit ? h("span", { class: "muted" }, `, ${commit(mark)}`) : null,
    mark.note ? phrase`: ${mark.note}` : null,
    mark.actor || mark.at ? [" ", by(mark.actor, mark.at)] : null,
    mark.signed ? [" signed off ", by(mark.signed.actor, mark.signed.at)] : null,
  );
}

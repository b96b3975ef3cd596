// The handoff as a printable sheet: what the next person or agent needs to know.

import { h, phrase } from "../dom.js";
import { GLYPHS, many, moment } from "../labels.js";
import { rich } from "./markdown.js";
import { aside, button, code, progress } from "./elements.js";
import { inWords } from "./next_action.js";
import { basis } from "./proof_text.js";
import { shape } from "./proofs.js";

/** @import { Blocker, Child, HandoffReply, Risk } from "../../types/page.d.ts" */
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
    part("Now", now(report)),
    report.why ? part("Why", rich(report.why.text), aside(`from ${report.why.from}`)) : null,
    proof(report.verify),
    part("Next", h("p", {}, inWords(report.next, report.now?.title)), aside(report.next.because ?? "")),
    list("Blockers", report.blockers.length, report.blockers.map(blocker), "No blockers."),
    checklist(target.checklist),
    list("Risks", report.risks.count, report.risks.items.map(risk), "No risks found."),
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
  if (!step) return aside(next.because ?? "No step can be worked on right now.");
  return h("p", {}, h("strong", {}, step.title), " ", code(`${step.task} ${step.path}`));
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

/** @param {NonNullable<HandoffReply["done"]["items"][number]["proof"]>[number]} one */
function proven(one) {
  return h(
    "li",
    { key: one.checkpoint },
    shape(one.provenance, one.stale),
    ` ${one.checkpoint}: ${basis(one)}`,
    one.note ? phrase`: ${one.note}` : null,
    one.signed ? h("span", { class: "muted" }, ` signed off by ${one.signed.actor}`) : null,
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
  /** @param {HandoffReply["done"]["items"][number]} one */
  const row = (one) => {
    const to = app.link("task", one.task ?? id, ...(one.path ? [one.path] : []));
    return h(
      "li",
      {},
      `${GLYPHS[one.blocked ? "blocked" : kind]} `,
      h("a", { href: to }, one.title ?? one.path ?? one.task),
      " ",
      code(one.path ?? one.task ?? ""),
      one.at ? h("span", { class: "muted" }, ` ${moment(one.at)}`) : null,
      one.proof ? h("ul", { class: "basis-list" }, one.proof.map(proven)) : null,
    );
  };
  const more = count - items.length;
  return [
    h("ul", { class: "ticks" }, items.map(row)),
    more > 0 ? aside(`and ${more.toLocaleString("en")} more`) : null,
  ];
}

// The radar: now, why, verify, next, blockers.

import { h, phrase } from "../dom.js";
import { GLYPHS, many } from "../labels.js";
import { inProgress } from "./claims.js";
import { rich } from "./markdown.js";
import { inWords, isSaid, offer } from "./next_action.js";
import { CHECKPOINTS, actor, progress, time } from "./elements.js";
import { done, firstLine } from "./event_text.js";
import { basis, isFor, line, policyWords } from "./proof_text.js";
import { shape } from "./proofs.js";

/** @import { Blocker, Checkpoint, Child, Counts, LogEvent, Place, RadarReply, Row } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @import { Markdown } from "./markdown.js" */

/**
 * The radar of a plan or task. `elsewhere` are other tasks with blocked steps.
 * @param {App} app
 * @param {RadarReply} seen
 * @param {Row[]} elsewhere
 */
export function radar(app, seen, elsewhere = []) {
  return h(
    "section",
    { class: "radar", "aria-label": "Radar" },
    now(app, seen),
    why(app, seen.why),
    verify(seen),
    next(app, seen),
    blockers(app, seen.blockers ?? [], elsewhere),
  );
}

/** @param {string} name @param {Child} title @param {Child[]} inside */
function card(name, title, ...inside) {
  return h(
    "section",
    { key: name, class: ["card", "radar-card", `radar-${name}`], "aria-labelledby": `radar-${name}` },
    h("h2", { class: "label", id: `radar-${name}` }, title),
    inside,
  );
}

/** @param {App} app @param {RadarReply} seen */
function now(app, { now: step, target, counts, next: call, held }) {
  if (!step) {
    return card(
      "now",
      "Now",
      h("p", { class: "step" }, idle(target)),
      h("p", { class: "muted" }, call?.because),
      inProgress(app, held ?? []),
      task(app, target, counts),
    );
  }
  const known = app.overview?.tasks.find((one) => one.id === step.task);
  const about = known ?? { id: step.task, title: target?.id === step.task ? target.title : "" };
  return card(
    "now",
    "Now",
    h("p", { class: "step" }, h("a", { href: app.link("task", step.task, step.path) }, glyph("now"), step.title)),
    h("p", { class: "where" }, h("span", { class: "id" }, `${step.task} ${step.path}`)),
    step.blockers?.length
      ? h(
          "ul",
          { class: "plainly" },
          step.blockers.map((text) => h("li", {}, `Note: ${text}`)),
        )
      : null,
    task(app, about, known?.counts ?? counts),
    inProgress(app, held ?? []),
    lately(app, step),
  );
}

/** @param {RadarReply["target"]} target */
function idle(target) {
  if (!target) return "No open tasks.";
  return target.status === "DONE" ? phrase`${target.title} is done.` : "No step can be worked on right now.";
}

/**
 * @param {App} app
 * @param {{id: string, title: string} | null | undefined} about
 * @param {Counts} counts
 */
function task(app, about, counts) {
  if (!about) return null;
  return h(
    "div",
    { class: "of" },
    h("a", { href: app.link("task", about.id) }, about.title || about.id),
    progress(counts, `Progress of ${about.id}`),
  );
}

/**
 * The latest events of this step, else of its task.
 * @param {App} app
 * @param {Place} step
 */
function lately(app, step) {
  const all = (app.overview?.activity ?? []).filter((event) => event.task === step.task);
  /** @param {LogEvent} event */
  const isHere = (event) => event.step_id === step.step_id;
  const near = [...all.filter(isHere), ...all.filter((event) => !isHere(event))].slice(0, 3);
  if (!near.length) return people(app, step);
  return h(
    "ul",
    { class: "people", "aria-label": "Recent activity" },
    near.map((event) => {
      const line = firstLine(event);
      const { path, title } = event;
      const where =
        isHere(event) || !path ? null : [" · ", h("a", { href: app.link("task", step.task, path) }, title ?? path)];
      return h(
        "li",
        { key: event.seq },
        actor(event.actor),
        h("span", { class: "muted" }, ` ${done(event)}`, where, " · ", time(event.at)),
        line ? h("p", { class: "line" }, line) : null,
      );
    }),
  );
}

/** @param {App} app @param {Place} step */
function people(app, step) {
  const near = (app.overview?.actors ?? []).filter((one) => one.task === step.task).slice(0, 3);
  if (!near.length) return h("p", { class: "muted" }, "No recent activity.");
  return h(
    "ul",
    { class: "people", "aria-label": "Recently active on this task" },
    near.map((one) =>
      h("li", { key: one.actor }, actor(one.actor), h("span", { class: "muted" }, ` ${done(one)} · `, time(one.at))),
    ),
  );
}

/** @param {App} app @param {RadarReply["why"]} reason */
function why(app, reason) {
  if (!reason) {
    return card(
      "why",
      "Why",
      h("p", { class: "muted" }, "No reason given yet. Add a description, a plan contract or taskdoc goals."),
    );
  }
  return card(
    "why",
    "Why",
    h("gp-more", { keep: true, state: reason.text }),
    h("p", { class: "from" }, "from ", source(app, reason.from)),
  );
}

/** @param {App} app @param {string} from */
function source(app, from) {
  const doc = /^taskdoc (.+)$/.exec(from)?.[1];
  if (doc) return h("a", { href: app.link("taskdoc", doc) }, `taskdoc ${doc}`);
  return h("a", { class: "id", href: app.link("task", from) }, from);
}

/** @param {RadarReply} seen */
function verify({ verify: wanted, now: step }) {
  if (!wanted) {
    const words = step ? "This step has no checkpoints." : "Nothing to verify.";
    return card("verify", "Verify", h("p", { class: "muted" }, words));
  }
  const needed = new Set([...(wanted.required ?? []), ...wanted.unconfirmed]);
  const names = CHECKPOINTS.filter((name) => name === "criteria" || name === "tests" || needed.has(name));
  return card(
    "verify",
    "Verify",
    h(
      "ul",
      { class: "proofs" },
      names.map((name) => proof(name, wanted, name === "criteria" || name === "tests" ? (wanted[name] ?? []) : [])),
    ),
    policyWords(wanted.policy).map((text) => h("p", { class: "muted" }, text)),
  );
}

/** @param {Checkpoint} name @param {NonNullable<RadarReply["verify"]>} wanted @param {string[]} texts */
function proof(name, wanted, texts) {
  const provenance = wanted.confirmed?.[name];
  const stale = wanted.stale?.includes(name);
  const items = [
    ...texts,
    ...(wanted.checks ?? []).filter((one) => isFor(one) === name).map((one) => h("code", {}, `$ ${line(one.run)}`)),
  ];
  return h(
    "li",
    { key: name, class: ["proof", provenance ? "lit" : "unlit"] },
    h(
      "p",
      {},
      shape(provenance, stale),
      h("span", { class: "name" }, name),
      h("span", { class: "muted" }, basis(provenance && { provenance, stale })),
    ),
    items.length
      ? h(
          "ul",
          {},
          items.map((text) => h("li", {}, text)),
        )
      : null,
  );
}

/** @param {App} app @param {RadarReply} seen */
function next(app, { next: call, now: step, blockers: held }) {
  if (!call) return null;
  const called = [step, ...(held ?? [])].find((one) => one?.step_id && one.step_id === call.arguments?.step_id)?.title;
  const text = JSON.stringify({ tool: call.tool, arguments: call.arguments }, null, 2);
  return card(
    "next",
    "Next",
    h("p", { class: "words" }, inWords(call, called)),
    isSaid(call) ? null : h("p", { class: "muted" }, call.because),
    h(
      "div",
      { class: "acts" },
      offer(app, call, called),
      h(
        "details",
        {},
        h("summary", {}, "Show the call"),
        h("pre", { class: "block", tabindex: 0, role: "region", "aria-label": "The call as JSON" }, text),
        copy(text),
      ),
    ),
  );
}

/** @param {string} text */
function copy(text) {
  return h(
    "button",
    {
      type: "button",
      on: {
        click: async (event) => {
          const button = event.currentTarget;
          await navigator.clipboard?.writeText(text);
          button.textContent = "Copied";
        },
      },
    },
    "Copy",
  );
}

/** @param {App} app @param {Blocker[]} held @param {Row[]} elsewhere */
function blockers(app, held, elsewhere) {
  const title = held.length ? ["Blockers ", h("span", { class: "number" }, held.length)] : "Blockers";
  const clear = h("p", { class: "clear" }, glyph("done"), elsewhere.length ? " No blockers here." : " No blockers.");
  return card(
    "blockers",
    title,
    held.length
      ? h(
          "ul",
          { class: "held" },
          held.map((one) => (one.approval ? unapproved(app, one) : one.depends_on ? waits(app, one) : stuck(app, one))),
        )
      : clear,
    elsewhere.length
      ? h(
          "div",
          { class: "elsewhere" },
          h("h3", { class: "label" }, "Elsewhere"),
          h(
            "ul",
            {},
            elsewhere.map((task) => stuckTask(app, task)),
          ),
        )
      : null,
  );
}

/** @param {App} app @param {Row} row */
function stuckTask(app, { id, title, counts }) {
  return h(
    "li",
    { key: id },
    h("a", { href: app.link("task", id) }, title),
    " ",
    h("span", { class: "stuck" }, `${many(counts.blocked ?? 0, "step")} blocked`),
  );
}

/** @param {App} app @param {Blocker} held */
function stuck(app, { task, step_id: id, path, title, reason, question }) {
  return h(
    "li",
    { key: id },
    h(
      "p",
      {},
      glyph("blocked"),
      h("a", { href: app.link("task", task, path ?? id ?? "") }, title ?? id),
      " ",
      h("span", { class: "id" }, `${task} ${path}`),
    ),
    h("p", { class: "reason" }, question?.ask ?? reason ?? "No reason given."),
    question
      ? h("p", { class: "from" }, h("a", { href: app.link("task", task, path ?? id ?? "") }, "Answer it"))
      : null,
  );
}

/** @param {App} app @param {Blocker} held */
function unapproved(app, { task, title }) {
  return h(
    "li",
    { key: task },
    h("p", {}, glyph("todo"), h("a", { href: app.link("task", task) }, title || task)),
    h("p", { class: "reason" }, "Waits for a person's approval."),
  );
}

/** @param {App} app @param {Blocker} held */
function waits(app, { task, depends_on: on, title, status }) {
  return h(
    "li",
    { key: `${task} ${on}` },
    h(
      "p",
      {},
      glyph("todo"),
      h("a", { class: "id", href: app.link("task", task) }, task),
      " waits for ",
      h("a", { href: app.link("task", on ?? "") }, title ?? on),
    ),
    h(
      "p",
      { class: "reason" },
      h("span", { class: "id" }, on),
      ` is ${status === "ACTIVE" ? "in progress" : "not started"}.`,
    ),
  );
}

/** @param {string} name */
const glyph = (name) => h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[name]);

/** A text that shows its beginning, and the rest on request. */
class More extends HTMLElement {
  #text = /** @type {Markdown} */ (rich(""));
  #window = h("div", { class: "window" }, this.#text);
  #button = h("button", { type: "button", class: "quiet", on: { click: () => this.#flip() } });
  #watching = new ResizeObserver(() => this.#measure());
  #open = false;

  connectedCallback() {
    this.#watching.observe(this.#text);
  }

  disconnectedCallback() {
    this.#watching.disconnect();
  }

  /** @param {string} text */
  renew(text) {
    this.#text.renew(text);
    if (!this.firstChild) {
      this.append(this.#window, this.#button);
      this.#draw(false);
    }
  }

  #measure() {
    this.#draw(this.#open || this.#window.scrollHeight > this.#window.clientHeight + 4);
  }

  #flip() {
    this.#open = !this.#open;
    this.#draw(true);
  }

  /** @param {boolean} long */
  #draw(long) {
    this.classList.toggle("opened", this.#open);
    this.classList.toggle("long", long);
    this.#button.hidden = !long;
    this.#button.textContent = this.#open ? "Show less" : "Show more";
    this.#button.setAttribute("aria-expanded", String(this.#open));
  }
}

customElements.define("gp-more", More);

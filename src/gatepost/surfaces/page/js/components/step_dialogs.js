// Dialogs for a step: close, block, reopen. Only checkpoints that the reader ticked are confirmed.

import { Refusal } from "../api.js";
import { h, phrase, show } from "../dom.js";
import { who } from "../labels.js";
import { ask, field, typed } from "./dialog.js";
import { CHECKPOINTS } from "./elements.js";
import { basis, hasChecks } from "./proof_text.js";
import { shape } from "./proofs.js";
import { isOvertaken, isRefused, overtaken, refused } from "./refusals.js";

/** @import { Checkpoint, Child, Json, Mark, OperationName, Step } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @typedef {{task: string, step: Step, revision: number}} Seen */
/** @typedef {(tool: OperationName, asked: Json, revision: number) => Promise<Json>} Send */
/** @typedef {() => Promise<{step: Step, revision: number}>} Read */

/**
 * The checkpoints that a step requires or has, by name: each with its confirmation, or null.
 * @param {Step} step
 * @returns {Partial<Record<Checkpoint, Mark | null>>}
 */
export function counted(step) {
  const marks = new Map((step.confirmed ?? []).map((mark) => [mark.checkpoint, mark]));
  const needed = new Set(["criteria", "tests", ...(step.required ?? []), ...(step.unconfirmed ?? []), ...marks.keys()]);
  return Object.fromEntries(
    CHECKPOINTS.filter((name) => needed.has(name)).map((name) => {
      const mark = marks.get(name);
      return [name, mark ?? null];
    }),
  );
}

/**
 * Ask what was verified, then close the step. `seen` is what the reader sees; `send(tool, arguments, revision)` sends it
 * for that revision; `read()` reads the step as it is now.
 * @param {App} app
 * @param {Seen} seen
 * @param {{send: Send, read: Read}} how
 */
export function askToClose(app, seen, { send, read }) {
  const ticks = h("fieldset", { class: "ticks" });
  const snapshot = new Snapshot(seen, read, (before) => draw(ticks, seen.step, before));
  draw(ticks, seen.step);
  const dialog = ask({
    title: phrase`Close “${seen.step.title}”`,
    submit: "Confirm and close step",
    fields: [
      h("p", { class: "muted" }, "Tick what you verified yourself. Nothing else is confirmed in your name."),
      ticks,
      snapshot.place,
    ],
    send: async (form) => {
      try {
        await snapshot.send((revision) => close(ticked(form), (tool, asked) => send(tool, asked, revision)));
      } catch (error) {
        if (error instanceof Refusal && !isOvertaken(error)) show(snapshot.place, more(error));
        throw error;
      }
    },
  });

  /** @param {Refusal} error */
  function more(error) {
    const inside = refused(app, error, { here: [seen.step.path, seen.step.step_id], send: suggested });
    for (const link of inside.querySelectorAll("a")) link.addEventListener("click", () => dialog.close());
    return inside;
  }

  /** @param {OperationName} tool @param {Json} asked */
  async function suggested(tool, asked) {
    try {
      const reply = await snapshot.send((revision) => send(tool, asked, revision));
      if (reply.task === seen.task) seen.revision = reply.revision; // it was sent for what was seen, so nothing came between
      show(snapshot.place, h("p", {}, "Done. You can now try again."));
    } catch (error) {
      if (isRefused(error) && !isOvertaken(error)) show(snapshot.place, refused(app, error, {}));
    }
  }
}

/**
 * Ask for an optional reason, then send it.
 * @param {{title: Child, submit: string, hint: string, seen: Seen, send: (reason: string, revision: number) => Promise<unknown>, read: Read}} question
 */
export function askWhy({ title, submit, hint, seen, send, read }) {
  const snapshot = new Snapshot(seen, read);
  const fields = [field("Reason", h("textarea", { name: "reason", rows: 3 }), hint), snapshot.place];
  /** @param {HTMLFormElement} form */
  const reason = (form) => typed(form, "reason");
  ask({ title, submit, fields, send: (form) => snapshot.send((revision) => send(reason(form), revision)) });
}

/**
 * What changed in a step since it was read, in sentences.
 * @param {Step | null | undefined} before
 * @param {Step | null | undefined} after
 * @returns {Child[]}
 */
export function changes(before, after) {
  if (!before || !after) return [];
  /** @type {Child[]} */
  const changed = [];
  /** @param {keyof Step} name @param {() => Child} words */
  const tell = (name, words) => {
    if (isOther(before[name], after[name])) changed.push(words());
  };
  /** @param {string[]} items @returns {Child} */
  const listed = (items) => (items.length ? items.map((text, at) => phrase`${at ? "; " : ""}“${text}”`) : "none");
  /** @param {Mark[]} confirmed @returns {Child} */
  const marks = (confirmed) =>
    confirmed.length
      ? confirmed.map((mark, at) => phrase`${at ? ", " : ""}${mark.checkpoint} by ${who(mark.actor).name}`)
      : "none";
  tell("title", () => phrase`The title is now “${after.title}”.`);
  tell("criteria", () => phrase`The criteria are now: ${listed(after.criteria ?? [])}.`);
  tell("tests", () => phrase`The tests are now: ${listed(after.tests ?? [])}.`);
  tell("blockers", () => phrase`The known blockers are now: ${listed(after.blockers ?? [])}.`);
  tell(
    "required",
    () => `Required checkpoints are now: ${["criteria", "tests", ...(after.required ?? [])].join(", ")}.`,
  );
  tell("confirmed", () => phrase`Confirmed checkpoints are now: ${marks(after.confirmed ?? [])}.`);
  tell("blocked", () =>
    after.blocked
      ? phrase`It was blocked${after.blocked === true ? "" : phrase`: ${after.blocked}`}.`
      : "It was unblocked.",
  );
  tell("done", () => (after.done ? "It was closed." : "It was reopened."));
  return changed;
}

/** @param {unknown} one @param {unknown} other */
const isOther = (one, other) => JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);

// The state a dialog is about. It is sent for that revision only: if the step has changed, the new state is read and shown
// (`renewed(before)`), and the reader decides whether to send it again.
class Snapshot {
  place = h("div", {});
  #seen;
  #read;
  #renewed;

  /** @param {Seen} seen @param {Read} read @param {(before: Step) => void} renewed */
  constructor(seen, read, renewed = () => {}) {
    this.#seen = seen;
    this.#read = read;
    this.#renewed = renewed;
  }

  /**
   * @template T
   * @param {(revision: number) => Promise<T>} work
   */
  async send(work) {
    show(this.place);
    try {
      return await work(this.#seen.revision);
    } catch (error) {
      if (isOvertaken(error)) await this.#renew();
      throw error;
    }
  }

  async #renew() {
    const before = this.#seen.step;
    Object.assign(this.#seen, await this.#read());
    this.#renewed(before);
    const changed = changes(before, this.#seen.step);
    if (!changed.length)
      changed.push("The change does not affect this dialog: it was elsewhere in the task, or a note.");
    show(this.place, overtaken(changed, "Check again, then send it if it is still right."));
  }
}

/** @param {Element} ticks @param {Step} step @param {Step} before */
function draw(ticks, step, before = step) {
  /** @param {string} name */
  const changed = (name) => step.title !== before.title || isOther(linesOf(step, name), linesOf(before, name));
  const known = Object.entries(counted(step));
  show(
    ticks,
    h("legend", {}, "I verified"),
    known.map(([name, mark]) => tick(step, name, mark, changed(name))),
  );
  for (const box of ticks.querySelectorAll("input")) if (box.name === "mark" && changed(box.value)) box.checked = false; // it meant something else
}

/**
 * What a checkpoint asks for in words.
 * @param {Step} step @param {string} name
 */
const linesOf = (step, name) => (name === "criteria" || name === "tests" ? (step[name] ?? []) : []);

/**
 * @param {Step} step
 * @param {string} name
 * @param {Mark | null | undefined} mark
 * @param {boolean} changed
 */
function tick(step, name, mark, changed) {
  if (mark)
    return h(
      "p",
      { key: name, class: "ticked" },
      shape(mark.provenance, mark.stale),
      `${name}: ${basis(mark)}, by ${who(mark.actor).name}`,
    );
  if (hasChecks(step, /** @type {Checkpoint} */ (name)))
    return h("p", { key: name, class: "ticked" }, shape(undefined), `${name}: confirmed only by running its checks`);
  const lines = linesOf(step, name);
  return h(
    "div",
    { key: name, class: "tick" },
    h(
      "label",
      {},
      h("input", { type: "checkbox", name: "mark", value: name }),
      ` ${name}`,
      changed ? h("span", { class: "chip" }, "changed") : null,
    ),
    lines.length
      ? h(
          "ul",
          {},
          lines.map((line) => h("li", {}, line)),
        )
      : null,
    h("input", {
      name: `note-${name}`,
      "aria-label": `How ${name} was verified`,
      placeholder: "How? (optional)",
      autocomplete: "off",
    }),
  );
}

/** @param {HTMLFormElement} form */
function ticked(form) {
  const given = new FormData(form);
  return Object.fromEntries(
    given.getAll("mark").map((name) => {
      const note = typed(form, `note-${name}`);
      return [name, { confirmed: true, ...(note ? { note } : {}) }];
    }),
  );
}

// tasks_close_step needs criteria or tests among what it confirms. If only others were ticked, confirming and closing are two
// calls in one batch, so that nothing is confirmed a second time in somebody else's name.
/** @param {object} checkpoints @param {(tool: OperationName, asked: Json) => Promise<Json>} send */
export function close(checkpoints, send) {
  const names = Object.keys(checkpoints);
  if (!names.length) return send("tasks_done", {});
  if (names.includes("criteria") || names.includes("tests")) return send("tasks_close_step", { checkpoints });
  return send("tasks_batch", (/** @type {Json} */ step, /** @type {Json} */ guard) => ({
    operations: [
      { tool: "tasks_verify", arguments: { ...step, checkpoints, ...guard } },
      { tool: "tasks_done", arguments: step },
    ],
  }));
}

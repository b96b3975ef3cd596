// Questions before a step is changed: what is confirmed, and why. Only what was ticked is ever confirmed.

import { Refusal } from "../api.js";
import { h, phrase, show } from "../dom.js";
import { who } from "../labels.js";
import { ask, field } from "./dialog.js";
import { isOvertaken, isRefused, overtaken, refused } from "./refusals.js";

const CHECKPOINTS = ["criteria", "tests", "security", "perf", "docs"];

/** The checkpoints that count for a step, by name: {confirmed, by, at, note}. */
export function counted(step) {
  const marks = new Map(step.confirmed.map((mark) => [mark.checkpoint, mark]));
  const needed = new Set(["criteria", "tests", ...step.required, ...(step.unconfirmed ?? []), ...marks.keys()]);
  return Object.fromEntries(CHECKPOINTS.filter((name) => needed.has(name)).map((name) => {
    const mark = marks.get(name);
    return [name, { confirmed: Boolean(mark), by: mark?.actor, at: mark?.at, note: mark?.note }];
  }));
}

/**
 * Ask what was checked, then close the step. `seen` is what the reader has before them: {task, step, revision}.
 *   send(tool, arguments, revision)   sends it for that revision, and throws what is refused
 *   read()                            gives what there is to see now
 */
export function askToClose(app, seen, { send, read }) {
  const ticks = h("fieldset", { class: "ticks" });
  const standing = new Standing(seen, read, (before) => draw(ticks, seen.step, before));
  draw(ticks, seen.step);
  const dialog = ask({
    title: phrase`Close “${seen.step.title}”`,
    submit: "Confirm what is ticked, and close",
    fields: [
      h("p", { class: "muted" }, "Tick what you have checked yourself. Nothing else is confirmed in your name."), ticks, standing.place,
    ],
    send: async (form) => {
      try {
        await standing.send((revision) => close(ticked(form), (tool, asked) => send(tool, asked, revision)));
      } catch (error) {
        if (error instanceof Refusal && !isOvertaken(error)) show(standing.place, more(error));
        throw error;
      }
    },
  });

  function more(error) {
    const inside = refused(app, error, { here: [seen.step.path, seen.step.step_id], send: suggested });
    for (const link of inside.querySelectorAll("a")) link.addEventListener("click", () => dialog.close());
    return inside;
  }

  async function suggested(tool, asked) {
    try {
      const reply = await standing.send((revision) => send(tool, asked, revision));
      if (reply.task === seen.task) seen.revision = reply.revision; // nothing came between: it was sent for what was seen
      show(standing.place, h("p", {}, "Done. Now it can be tried again."));
    } catch (error) {
      if (isRefused(error) && !isOvertaken(error)) show(standing.place, refused(app, error, {}));
    }
  }
}

/** Ask for a reason (which may stay empty), then send it; `seen`, `send(reason, revision)` and `read` as above. */
export function askWhy({ title, submit, hint, seen, send, read }) {
  const standing = new Standing(seen, read);
  const fields = [field("Reason", h("textarea", { name: "reason", rows: 3 }), hint), standing.place];
  const reason = (form) => new FormData(form).get("reason").trim();
  ask({ title, submit, fields, send: (form) => standing.send((revision) => send(reason(form), revision)) });
}

/** What has become of a step since it was read, in sentences. */
export function changes(before, after) {
  if (!before || !after) return [];
  const told = [];
  const tell = (name, words) => { if (isOther(before[name], after[name])) told.push(words()); };
  const listed = (items) => (items.length ? items.map((text, at) => phrase`${at ? "; " : ""}“${text}”`) : "none");
  const marks = (confirmed) => (confirmed.length ? confirmed.map((mark, at) => phrase`${at ? ", " : ""}${mark.checkpoint} by ${who(mark.actor).name}`) : "none");
  tell("title", () => phrase`It is called “${after.title}” now.`);
  tell("criteria", () => phrase`The criteria are now: ${listed(after.criteria)}.`);
  tell("tests", () => phrase`The tests are now: ${listed(after.tests)}.`);
  tell("blockers", () => phrase`To mind there is now: ${listed(after.blockers)}.`);
  tell("required", () => `Asked for are now: ${["criteria", "tests", ...after.required].join(", ")}.`);
  tell("confirmed", () => phrase`Confirmed are now: ${marks(after.confirmed)}.`);
  tell("blocked", () => (after.blocked ? phrase`It is blocked${after.blocked === true ? "" : phrase`: ${after.blocked}`}.` : "It is unblocked."));
  tell("done", () => (after.done ? "It was closed." : "It was reopened."));
  return told;
}

const isOther = (one, other) => JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);

// What a question is about, as the reader sees it. It is sent for that, and for nothing newer: where the step has moved on, its new
// state is read and shown (`renewed(before)`), and it is for the reader to send it again.
class Standing {
  place = h("div", {});
  #seen;
  #read;
  #renewed;

  constructor(seen, read, renewed = () => {}) {
    this.#seen = seen;
    this.#read = read;
    this.#renewed = renewed;
  }

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
    const told = changes(before, this.#seen.step);
    if (!told.length) told.push("Nothing that is asked about here: it was elsewhere in the task, or a note.");
    show(this.place, overtaken(told, "Look again, then send it, if it is still right."));
  }
}

function draw(ticks, step, before = step) {
  const changed = (name) => step.title !== before.title || isOther(step[name], before[name]);
  const known = Object.entries(counted(step));
  show(ticks, h("legend", {}, "I have checked"), known.map(([name, mark]) => tick(step, name, mark, changed(name))));
  for (const box of ticks.querySelectorAll("[name=mark]")) if (changed(box.value)) box.checked = false; // that was another thing
}

function tick(step, name, mark, changed) {
  if (mark.confirmed) return h("p", { key: name, class: "ticked" }, `✓ ${name}: confirmed already by ${who(mark.by).name}`);
  const lines = step[name] ?? [];
  return h("div", { key: name, class: "tick" },
    h("label", {}, h("input", { type: "checkbox", name: "mark", value: name }), ` ${name}`,
      changed ? h("span", { class: "chip" }, "changed") : null),
    lines.length ? h("ul", {}, lines.map((line) => h("li", {}, line))) : null,
    h("input", {
      name: `note-${name}`, "aria-label": `How ${name} was checked`, placeholder: "How? (may stay empty)", autocomplete: "off",
    }));
}

function ticked(form) {
  const given = new FormData(form);
  return Object.fromEntries(given.getAll("mark").map((name) => {
    const note = given.get(`note-${name}`).trim();
    return [name, { confirmed: true, ...(note ? { note } : {}) }];
  }));
}

// tasks_close_step wants criteria or tests among what it confirms. Where only others were ticked, confirming and closing are two calls
// that happen together or not at all: so nothing is confirmed a second time in somebody else's name.
function close(checkpoints, send) {
  const names = Object.keys(checkpoints);
  if (!names.length) return send("tasks_done", {});
  if (names.includes("criteria") || names.includes("tests")) return send("tasks_close_step", { checkpoints });
  return send("tasks_batch", (step, guard) => ({
    operations: [{ tool: "tasks_verify", arguments: { ...step, checkpoints, ...guard } }, { tool: "tasks_done", arguments: step }],
  }));
}

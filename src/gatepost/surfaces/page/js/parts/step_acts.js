// Questions before a step is changed: what is confirmed, and why. Only what was ticked is ever confirmed.

import { Refusal } from "../api.js";
import { h, show } from "../dom.js";
import { who } from "../words.js";
import { ask, field } from "./dialog.js";
import { refused } from "./refused.js";

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

/** Ask what was checked, then close the step: `send(tool, arguments)` throws what is refused. */
export function askToClose(app, step, send) {
  const known = counted(step);
  const further = h("div", {});
  const dialog = ask({
    title: `Close “${step.title}”`,
    submit: "Confirm what is ticked, and close",
    fields: [
      h("p", { class: "muted" }, "Tick what you have checked yourself. Nothing else is confirmed in your name."),
      h("fieldset", { class: "ticks" }, h("legend", {}, "I have checked"),
        Object.entries(known).map(([name, mark]) => tick(step, name, mark))),
      further,
    ],
    send: async (form) => {
      show(further);
      try {
        await close(ticked(form), send);
      } catch (error) {
        if (error instanceof Refusal) show(further, more(error));
        throw error;
      }
    },
  });

  function more(error) {
    const inside = refused(app, error, {
      here: [step.path, step.step_id],
      send: async (tool, asked) => { await send(tool, asked); show(further, h("p", {}, "Done. Now it can be tried again.")); },
    });
    for (const link of inside.querySelectorAll("a")) link.addEventListener("click", () => dialog.close());
    return inside;
  }
}

function tick(step, name, mark) {
  if (mark.confirmed) return h("p", { class: "ticked" }, `✓ ${name}: confirmed already by ${who(mark.by).name}`);
  const lines = step[name] ?? [];
  return h("div", { class: "tick" },
    h("label", {}, h("input", { type: "checkbox", name: "mark", value: name }), ` ${name}`),
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

/** Ask for a reason (which may stay empty), then send it. */
export function askWhy({ title, submit, hint, send }) {
  const fields = [field("Reason", h("textarea", { name: "reason", rows: 3 }), hint)];
  ask({ title, submit, fields, send: (form) => send(new FormData(form).get("reason").trim()) });
}

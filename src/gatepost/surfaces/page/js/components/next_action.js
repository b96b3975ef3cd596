// The one call that is ready to be sent: in words, as it stands, and sent only by somebody who said yes to it.

import { h, phrase } from "../dom.js";
import { openCreate } from "./create_dialog.js";
import { ask, field } from "./dialog.js";
import { notice } from "./notices.js";

/** What a call would do, in a sentence, as children. `step` is what the step it names is called, where that is known. */
export function inWords({ tool, arguments: asked }, step) {
  const it = step ? phrase`“${step}”` : asked.step_id ?? asked.task ?? asked.plan ?? "it";
  switch (tool) {
    case "tasks_close_step": return phrase`Close ${it}, once ${list(Object.keys(asked.checkpoints))} ${be(asked.checkpoints)} checked.`;
    case "tasks_verify": return phrase`Confirm ${list(Object.keys(asked.checkpoints))} of ${it}: it was forced shut without.`;
    case "tasks_done": return phrase`Close ${it}: all it needs is confirmed.`;
    case "tasks_block": return phrase`Unblock ${it}, once what holds it is out of the way.`;
    case "tasks_complete": return `Complete ${asked.task}: nothing in it is open.`;
    case "tasks_decompose": return `Break ${asked.task} down into steps.`;
    case "tasks_task_define": return phrase`Mark ${it} as done: nothing below it is open.`;
    case "tasks_plan": return `Tick the plan's next point off.`;
    case "tasks_create": return asked.plan ? `Give ${asked.plan} a task.` : "Make a first task.";
    case "tasks_radar": return `Look at ${asked.task ?? asked.plan}, which comes first.`;
    case "tasks_context": return "Choose something else: this one is done.";
    default: return `Send ${tool}.`;
  }
}

/** Whether the sentence has the reason in it already. */
export const isSaid = ({ tool }) => !["tasks_plan", "tasks_create", "tasks_radar", "tasks_context"].includes(tool);

/** What the reader can do about it here: a button that asks first, or a link, or nothing. */
export function offer(app, call, step) {
  const { tool, arguments: asked } = call;
  const other = asked.task ?? asked.plan;
  if (tool === "tasks_radar") return h("a", { class: "do", href: app.link("task", other) }, `Go to ${other}`);
  if (tool === "tasks_context") return null;
  const begin = tool === "tasks_create" ? () => openCreate(app, asked.kind, asked.plan) : () => confirm(app, call, step);
  return h("button", { type: "button", class: "do", on: { click: begin } }, tool === "tasks_create" ? "New task…" : "Do it…");
}

/** Ask before sending. Checkpoints are only confirmed if the reader ticks them; steps are the reader's own. */
function confirm(app, call, step) {
  const { tool, arguments: asked, because } = call;
  const { workspace: _workspace, ...rest } = asked;
  const marks = Object.keys(asked.checkpoints ?? {});
  ask({
    title: inWords(call, step),
    submit: marks.length ? "Confirm" : "Yes, do it",
    fields: [
      isSaid(call) ? null : h("p", { class: "muted" }, because),
      marks.length ? h("fieldset", {}, h("legend", {}, "I have checked"), marks.map((name) =>
        h("label", { class: "tick" }, h("input", { type: "checkbox", name: "mark", value: name, required: true }), name))) : null,
      tool === "tasks_decompose" ? field("Steps", h("textarea", { name: "steps", rows: 5, required: true }), "One a line.") : null,
    ],
    send: async (form) => {
      await app.call(tool, { ...rest, ...chosen(form, tool, asked) });
      notice("Done.");
    },
  });
}

function chosen(form, tool, asked) {
  const given = new FormData(form);
  if (asked.checkpoints) return { checkpoints: Object.fromEntries(given.getAll("mark").map((name) => [name, { confirmed: true }])) };
  if (tool !== "tasks_decompose") return {};
  return { steps: given.get("steps").split("\n").map((line) => line.trim()).filter(Boolean).map((title) => ({ title })) };
}

const be = (marks) => (Object.keys(marks).length === 1 && !("tests" in marks) && !("criteria" in marks) ? "is" : "are");

/** "criteria, tests and docs". */
export const list = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

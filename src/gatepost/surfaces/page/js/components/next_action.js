// The next action that the radar suggests: as a sentence, and as a button that asks before it sends.

import { h, phrase } from "../dom.js";
import { toolText } from "../labels.js";
import { openCreate, titles } from "./create_dialog.js";
import { ask, field, typed } from "./dialog.js";
import { notice } from "./notices.js";

/** @import { Call, Child, Json, OperationName } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

/**
 * What a call would do, in a sentence. `step` is the title of the step it names, where that is known.
 * @param {Call} call
 * @param {string} [step]
 * @returns {Child}
 */
export function inWords(call, step) {
  const { tool, arguments: asked } = call;
  const it = step ? phrase`“${step}”` : (asked.step_id ?? asked.task ?? asked.plan ?? "it");
  switch (tool) {
    case "tasks_close_step":
      if (asked.run_checks && !toConfirm(call).length) return phrase`Run the checks of ${it}, then close it.`;
      return phrase`Close ${it} once ${list(toConfirm(call))} ${be(toConfirm(call))} verified.`;
    case "tasks_block":
      return phrase`Unblock ${it} once its blocker is resolved.`;
    case "tasks_complete":
      return `Complete ${subject(call)}: it has no open steps.`;
    case "tasks_decompose":
      return `Add steps to ${asked.task}.`;
    case "tasks_task_define":
      return phrase`Mark ${it} as done: it has no open steps.`;
    case "tasks_plan":
      return "Check off the plan's next item.";
    case "tasks_create":
      return asked.plan ? `Add a task to ${asked.plan}.` : "Create the first task.";
    case "tasks_radar":
      return `Go to ${asked.task ?? asked.plan}, which comes first.`;
    case "tasks_define":
      return phrase`Add checks to ${it}.`;
    case "tasks_resume":
      if (!asked.step_id) return call.because;
      return phrase`Every open step is blocked. Resolve what blocks ${it}.`;
    case "tasks_context":
      return call.because?.startsWith("It is done") ? "This one is done. Choose another." : call.because;
    default:
      return call.because || `Next: ${toolText(tool)}.`;
  }
}

/** @type {Record<string, string>} */
const DEEDS = {
  tasks_close_step: "Close step",
  tasks_block: "Unblock",
  tasks_complete: "Complete",
  tasks_decompose: "Add steps",
  tasks_task_define: "Mark as done",
  tasks_plan: "Check off",
  tasks_create: "New task",
};

/**
 * The checkpoints that only the reader can confirm.
 * @param {Call} call
 */
const toConfirm = ({ supply }) =>
  (supply ?? []).filter((name) => name.startsWith(CHECKPOINT)).map((name) => name.slice(CHECKPOINT.length));
const CHECKPOINT = "checkpoints.";

/**
 * The plan or task that a call is about. One that would complete it leaves the id to the sender.
 * @param {Call} call
 */
const subject = ({ arguments: asked, target }) => asked.task ?? target;

/**
 * Whether the sentence already includes the reason.
 * @param {Call} call
 */
export const isSaid = ({ tool, because = "" }) =>
  !["tasks_plan", "tasks_create", "tasks_radar", "tasks_define"].includes(tool) &&
  !(tool === "tasks_context" && because.startsWith("It is done"));

/**
 * A button that asks first, a link, or nothing.
 * @param {App} app
 * @param {Call} call
 * @param {string} [step]
 */
export function offer(app, call, step) {
  const { tool, arguments: asked } = call;
  const other = asked.task ?? asked.plan;
  if (tool === "tasks_radar") return h("a", { class: "do", href: app.link("task", other) }, `Go to ${other}`);
  if (tool === "tasks_resume" || tool === "tasks_define" || asked.run_checks) {
    const at = asked.step_id ? [asked.step_id] : [];
    return h("a", { class: "do", href: app.link("task", other, ...at) }, `Go to ${step ?? asked.step_id ?? other}`);
  }
  if (tool === "tasks_context") return null;
  const begin =
    tool === "tasks_create" ? () => openCreate(app, asked.kind, asked.plan) : () => confirm(app, call, step);
  return h("button", { type: "button", class: "do", on: { click: begin } }, `${DEEDS[tool] ?? "Continue"}…`);
}

/**
 * Ask before sending. Only checkpoints that the reader ticks are confirmed.
 * @param {App} app
 * @param {Call} call
 * @param {string} [step]
 */
function confirm(app, call, step) {
  const { arguments: asked, because } = call;
  const tool = /** @type {OperationName} */ (call.tool);
  const { workspace: _workspace, ...rest } = asked;
  const marks = toConfirm(call);
  ask({
    title: inWords(call, step),
    submit: DEEDS[tool] ?? "Continue",
    fields: [
      isSaid(call) ? null : h("p", { class: "muted" }, because),
      marks.length
        ? h(
            "fieldset",
            {},
            h("legend", {}, "I verified"),
            marks.map((name) =>
              h(
                "label",
                { class: "tick" },
                h("input", { type: "checkbox", name: "mark", value: name, required: true }),
                name,
              ),
            ),
          )
        : null,
      tool === "tasks_decompose"
        ? field("Steps", h("textarea", { name: "steps", rows: 5, required: true }), "One per line.")
        : null,
    ],
    send: async (form) => {
      await app.call(tool, { ...rest, ...chosen(form, call) });
      notice("Done.");
    },
  });
}

/**
 * What the call leaves to the one who sends it.
 * @param {HTMLFormElement} form @param {Call} call
 * @returns {Json}
 */
function chosen(form, call) {
  const marks = new FormData(form).getAll("mark");
  switch (call.tool) {
    case "tasks_close_step":
      return { checkpoints: Object.fromEntries(marks.map((name) => [name, { confirmed: true }])) };
    case "tasks_decompose":
      return { steps: titles(typed(form, "steps")) };
    case "tasks_complete":
      return { task: subject(call) };
    case "tasks_task_define":
      return { status: "DONE" };
    case "tasks_plan":
      return { advance: true };
    default:
      return {};
  }
}

/** @param {string[]} marks */
const be = (marks) => (marks.length === 1 && !["tests", "criteria"].includes(marks[0]) ? "is" : "are");

/**
 * "criteria, tests and docs".
 * @param {string[]} names
 */
export const list = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

// A refusal where it happened: what is wrong, the next step, and what can be done about it by a button that says what it does.

import { Refusal, Unreachable } from "../api.js";
import { h } from "../dom.js";
import { inWords } from "./next_action.js";
import { refusal } from "./elements.js";

const LOOKS = new Set(["tasks_resume", "tasks_radar", "tasks_history", "tasks_context", "tasks_handoff"]);

/** Whether something was refused (or could not be asked); anything else is a fault, and thrown on. */
export function isRefused(error) {
  if (error instanceof Refusal || error instanceof Unreachable) return true;
  throw error;
}

/**
 * The refusal of something that was tried. `again()` tries the same once more, where the server was not reached; `here` is the address
 * that is open, which is not worth a link; with `send(tool, arguments)`, what the server suggests can be sent.
 */
export function refused(app, error, { again, send, here = [] }) {
  const retry = again && error instanceof Unreachable ? h("button", { type: "button", on: { click: () => again() } }, "Try again") : null;
  return h("div", { class: "refused" }, refusal(error), moved(error.problem?.moved),
    h("div", { class: "actions" }, retry, suggested(app, error, send, here)));
}

/** Whether something was refused because it was meant for an earlier state than there is. */
export const isOvertaken = ({ code, problem }) => code === "REVISION_MISMATCH" || problem?.error?.code === "REVISION_MISMATCH"; // of a batch

/** That somebody else was first: what they did (sentences or elements), and what can be done now. */
export function overtaken(done, next, ...acts) {
  return h("div", { class: "refused overtaken" },
    h("div", { class: "refusal", role: "alert" },
      h("p", { class: "message" }, "Nothing was done: something was changed while you were looking."),
      done.length ? h("ul", { class: "plain" }, done.map((one) => h("li", {}, one))) : null,
      h("p", { class: "recovery" }, next)),
    h("div", { class: "actions" }, acts));
}

function suggested(app, error, send, here) {
  const call = error.problem?.suggestion;
  if (!call || isOvertaken(error)) return null;
  const { workspace: _workspace, ...asked } = call.arguments ?? {};
  if (LOOKS.has(call.tool)) {
    const step = asked.path ?? asked.step_id;
    if (!asked.task || here.includes(step ?? asked.task)) return null;
    return h("a", { href: app.link("task", asked.task, ...(step ? [step] : [])) }, `Go to ${nameOf(error, asked)}`);
  }
  if (!send || asked.checkpoints) return null; // what is confirmed is for the reader to tick
  return h("button", { type: "button", on: { click: () => send(call.tool, asked) } }, label(call.tool, asked));
}

function nameOf(error, { task, path, step_id: id }) {
  const known = (error.problem.missing ?? []).find((one) => one?.step_id === id);
  return path ?? known?.path ?? id ?? task;
}

function label(tool, asked) {
  if (tool === "tasks_block" && asked.blocked === false) return `Unblock ${asked.path ?? asked.step_id}`;
  if (tool === "tasks_progress" && asked.completed === false) return `Reopen ${asked.path ?? asked.step_id}, and what stands on it`;
  return inWords({ tool, arguments: asked });
}

// What an undo found changed since.
function moved(places) {
  if (!places?.length) return null;
  return h("ul", { class: "plain" }, places.map(({ where, says }) => h("li", {}, h("span", { class: "id" }, where), ` ${says}`)));
}

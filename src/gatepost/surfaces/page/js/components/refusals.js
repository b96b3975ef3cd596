// A refusal where it happened: what is wrong, the next step, and a button for it.

import { Refusal, Unreachable } from "../api.js";
import { h } from "../dom.js";
import { takeOver } from "./claims.js";
import { inWords } from "./next_action.js";
import { refusal } from "./elements.js";

/** @import { Child, Json, OperationName, Problem } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/**
 * @typedef {object} Options
 * @property {() => unknown} [again]
 * @property {(tool: OperationName, asked: Json) => unknown} [send]
 * @property {Array<string | undefined>} [here]
 */

const LOOKS = new Set(["tasks_resume", "tasks_radar", "tasks_history", "tasks_context", "tasks_handoff"]);

/**
 * Whether the server refused or could not be reached. Any other error is a fault and is thrown again.
 * @param {unknown} error
 * @returns {error is Refusal | Unreachable}
 */
export function isRefused(error) {
  if (error instanceof Refusal || error instanceof Unreachable) return true;
  throw error;
}

/**
 * A refusal with its actions. `again()` retries where the server was not reached; `here` is what is open already, which needs
 * no link; with `send(tool, arguments)`, what the server suggests can be sent.
 * @param {App} app
 * @param {Refusal | Unreachable} error
 * @param {Options} options
 */
export function refused(app, error, { again, send, here = [] }) {
  const retry =
    again && error instanceof Unreachable
      ? h("button", { type: "button", on: { click: () => again() } }, "Try again")
      : null;
  return h(
    "div",
    { class: "refused" },
    refusal(error),
    moved(error instanceof Refusal ? error.problem.moved : undefined),
    h("div", { class: "actions" }, retry, suggested(app, error, send, here)),
  );
}

/**
 * Whether a change was refused because the data has changed since it was read.
 * @param {unknown} error
 * @returns {error is Refusal}
 */
export const isOvertaken = (error) => error instanceof Refusal && error.code === "REVISION_MISMATCH";

/**
 * Somebody else was faster: what they changed, and what to do now.
 * @param {Child[]} done
 * @param {string} next
 * @param {Child[]} acts
 */
export function overtaken(done, next, ...acts) {
  return h(
    "div",
    { class: "refused overtaken" },
    h(
      "div",
      { class: "refusal", role: "alert" },
      h("p", { class: "message" }, "Not saved: this was changed while you were looking."),
      done.length
        ? h(
            "ul",
            { class: "plain" },
            done.map((one) => h("li", {}, one)),
          )
        : null,
      h("p", { class: "recovery" }, next),
    ),
    h("div", { class: "actions" }, acts),
  );
}

/**
 * @param {App} app
 * @param {Refusal | Unreachable} error
 * @param {Options["send"]} send
 * @param {Array<string | undefined>} here
 */
function suggested(app, error, send, here) {
  const held = error instanceof Refusal && error.code === "CLAIMED" ? error.problem : null;
  if (held?.task && held.holder) {
    const taken = { task: held.task, step_id: held.step_id, holder: held.holder };
    return h("button", { type: "button", on: { click: () => takeOver(app, taken) } }, "Take over…");
  }
  const call = error instanceof Refusal ? error.problem.suggestion : null;
  if (!call || isOvertaken(error)) return null;
  const { workspace: _workspace, ...asked } = call.arguments ?? {};
  if (send && /** @type {Refusal} */ (error).code === "STEP_BLOCKED") {
    // No suggestion lifts a block, since agents send them as they are. A person may.
    const lift = { task: asked.task, step_id: asked.step_id, blocked: false };
    return h("button", { type: "button", on: { click: () => send("tasks_block", lift) } }, label("tasks_block", lift));
  }
  if (LOOKS.has(call.tool)) {
    const step = asked.path ?? asked.step_id;
    if (!asked.task || here.includes(step ?? asked.task)) return null;
    return h(
      "a",
      { href: app.link("task", asked.task, ...(step ? [step] : [])) },
      `Go to ${nameOf(/** @type {Refusal} */ (error), asked)}`,
    );
  }
  const tool = /** @type {OperationName} */ (call.tool);
  if (!send || asked.checkpoints) return null; // only the reader may confirm checkpoints
  return h("button", { type: "button", on: { click: () => send(tool, asked) } }, label(tool, asked));
}

/** @param {Refusal} error @param {Json} asked */
function nameOf(error, { task, path, step_id: id }) {
  const known = (error.problem.missing ?? []).find((one) => one?.step_id === id);
  return path ?? known?.path ?? id ?? task;
}

/** @param {OperationName} tool @param {Json} asked */
function label(tool, asked) {
  if (tool === "tasks_block" && asked.blocked === false) return `Unblock ${asked.path ?? asked.step_id}`;
  if (tool === "tasks_progress" && asked.completed === false)
    return `Reopen ${asked.path ?? asked.step_id} and its parents`;
  return inWords({ tool, arguments: asked });
}

// What was changed since, where an undo cannot go back.
/** @param {Problem["moved"]} places */
function moved(places) {
  if (!places?.length) return null;
  return h(
    "ul",
    { class: "plain" },
    places.map(({ where, says }) => h("li", {}, h("span", { class: "id" }, where), ` ${says}`)),
  );
}

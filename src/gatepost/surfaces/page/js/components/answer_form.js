// An agent's question with a form to answer it: buttons for the options, and a text field.

import { h, phrase } from "../dom.js";
import { typed } from "./dialog.js";
import { Draft } from "./drafts.js";
import { actor, button, time } from "./elements.js";
import { rich } from "./markdown.js";

/** @import { Child } from "../../types/page.d.ts" */
/**
 * @typedef {object} Asked
 * @property {string} ask
 * @property {readonly string[]} [options]
 * @property {string} [for]
 * @property {string} [actor]
 * @property {string} [at]
 */
/**
 * @typedef {object} Form
 * @property {string} workspace
 * @property {string} task
 * @property {string} step
 * @property {boolean} busy
 * @property {(answer: string) => unknown} send Sends the answer; true once it is accepted.
 */

/**
 * The question, with who asked, when, and who must answer.
 * @param {Asked} question
 */
export const asked = (question) => [
  rich(question.ask, { class: "ask-text" }),
  h(
    "p",
    { class: "muted by" },
    question.actor ? [actor(question.actor), " asked "] : "Asked ",
    question.for && question.for !== "human" ? phrase`${question.for} ` : null,
    time(question.at),
  ),
];

/**
 * The form. Without a question it lifts a block, and a text is optional.
 * @param {Asked | null | undefined} question
 * @param {Form} form
 */
export function answerForm(question, { workspace, task, step, busy, send }) {
  const kept = new Draft("answer", workspace, task, step);
  const name = `answer-${step}`;
  const options = question?.options ?? [];
  /** @param {SubmitEvent} event */
  const submit = async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const text = typed(form, "answer");
    if (question && !text) {
      form.querySelector("textarea")?.focus();
      return;
    }
    if (await send(text)) forget(form, kept);
  };
  /** @param {InputEvent} event */
  const keep = (event) => {
    const { value } = /** @type {HTMLTextAreaElement} */ (event.target);
    if (value) kept.put(value);
    else kept.drop();
  };
  return h(
    "div",
    { key: name, class: "answer" },
    options.length
      ? h(
          "div",
          { class: "options", role: "group", "aria-label": "Options" },
          options.map((text) => button(text, () => send(text), { key: text, disabled: busy })),
        )
      : null,
    h(
      "form",
      { class: "answer-form", on: { submit, input: keep } },
      h("label", { for: name }, label(Boolean(question), options.length > 0)),
      h("textarea", { id: name, name: "answer", rows: 2, value: kept.get() ?? "" }),
      h("button", { type: "submit", disabled: busy }, question ? "Answer" : "Unblock"),
    ),
  );
}

/** @param {boolean} isQuestion @param {boolean} hasOptions @returns {Child} */
function label(isQuestion, hasOptions) {
  if (!isQuestion) return "What has changed? (optional; the agent reads it)";
  return hasOptions ? "Or answer in your own words" : "Your answer";
}

/** @param {HTMLFormElement} form @param {Draft} kept */
function forget(form, kept) {
  kept.drop();
  const field = form.querySelector("textarea");
  if (field) field.value = "";
}

// A form in a modal dialog.

import { Refusal, Unreachable } from "../api.js";
import { h, show } from "../dom.js";
import { sorry } from "./notices.js";
import { refusal } from "./elements.js";

/** @import { Child } from "../../types/page.d.ts" */
/**
 * @typedef {object} Question
 * @property {Child} title
 * @property {Child[]} fields
 * @property {string} submit
 * @property {(form: HTMLFormElement) => unknown} send Does what was asked for, and throws what the server refuses.
 * @property {(form: HTMLFormElement) => void} [left] Called when the dialog closes, whichever way.
 */

let made = 0;

/**
 * Open a dialog. A refusal is shown in it and keeps it open. Focus returns to where it was.
 * @param {Question} question
 */
export function ask({ title, fields, submit, send, left = () => {} }) {
  const name = `ask-${++made}`;
  const problem = h("div", { class: "problem" });
  const go = h("button", { type: "submit" }, submit);
  const cancel = h("button", { type: "button" }, "Cancel");
  const form = h("form", {}, h("h2", { id: name }, title), fields, problem, h("div", { class: "actions" }, cancel, go));
  const dialog = h("dialog", { class: "ask", "aria-labelledby": name }, form);
  cancel.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt();
  });
  dialog.addEventListener("close", () => {
    left(form);
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;

  async function attempt() {
    go.disabled = true;
    show(problem);
    try {
      await send(form);
      dialog.close();
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
      if (dialog.isConnected) show(problem, refusal(error));
      else sorry(error); // the dialog was closed meanwhile
    } finally {
      go.disabled = false;
    }
  }
}

/**
 * A control with its label above and an optional hint below.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} hint
 */
export function field(label, control, hint = "") {
  control.id ||= `field-${++made}`;
  const about = hint ? h("p", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  if (about) control.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, about);
}

/**
 * What was typed into a form's field.
 * @param {HTMLFormElement} form @param {string} name
 */
export const typed = (form, name) => String(new FormData(form).get(name) ?? "").trim();

/** Close every dialog that is open. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) if (dialog.classList.contains("ask")) dialog.close();
}

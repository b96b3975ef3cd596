// A question to the reader: a form in a dialog, open until it is answered or left.

import { Refusal, Unreachable } from "../api.js";
import { h, show } from "../dom.js";
import { sorry } from "./notices.js";
import { refusal } from "./elements.js";

let made = 0;

/**
 * Ask. `fields` are elements; `send(form)` does what was asked for, and throws what the server refuses: that is shown in the dialog,
 * which then stays as it is. `left()` is called when it closes, whichever way. Focus goes back where it was.
 */
export function ask({ title, fields, submit, send, left = () => {} }) {
  const name = `ask-${++made}`;
  const problem = h("div", { class: "problem" });
  const go = h("button", { type: "submit" }, submit);
  const form = h("form", { on: { submit: (event) => { event.preventDefault(); attempt(); } } },
    h("h2", { id: name }, title), fields, problem,
    h("div", { class: "actions" }, h("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel"), go));
  const dialog = h("dialog", { class: "ask", "aria-labelledby": name, on: { close: () => { left(form); dialog.remove(); } } }, form);
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
      else sorry(error); // it was left while this was under way
    } finally {
      go.disabled = false;
    }
  }
}

/** A field with its label above it and, where it helps, a hint below. */
export function field(label, control, hint = "") {
  control.id ||= `field-${++made}`;
  const about = hint ? h("p", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  if (about) control.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, about);
}

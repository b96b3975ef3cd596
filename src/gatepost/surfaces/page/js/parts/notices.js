// What is said in passing, at the edge of the page: refusals, and what was done.

import { h } from "../dom.js";

const LONG = 12_000;
const SHORT = 4_000;

/** Say something. What can be done about it may be offered as a button: {label, run}. It stays while somebody is at it. */
export function notice(text, { kind = "plain", more = "", action = null } = {}) {
  const place = document.getElementById("notices");
  const close = () => shown.remove();
  const shown = h("div", { class: ["notice", kind] },
    h("div", { class: "words" }, h("p", {}, text), more ? h("p", { class: "more" }, more) : null),
    action ? h("button", { type: "button", on: { click: () => { close(); action.run(); } } }, action.label) : null,
    h("button", { type: "button", class: "quiet", "aria-label": "Dismiss", on: { click: close } }, "×"));
  place.append(shown);
  while (place.children.length > 4) place.firstChild.remove();
  let timer = null;
  const stay = () => clearTimeout(timer);
  const go = () => { stay(); timer = setTimeout(close, kind === "bad" || action ? LONG : SHORT); };
  for (const name of ["pointerenter", "focusin"]) shown.addEventListener(name, stay);
  for (const name of ["pointerleave", "focusout"]) shown.addEventListener(name, go);
  go();
}

/** Say why something was not done. */
export function sorry(error) {
  notice(error.message, { kind: "bad", more: error.recovery ?? "" });
}

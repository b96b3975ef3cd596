// What is said in passing, at the edge of the page: refusals, and what was done.

import { h } from "../dom.js";

const LONG = 12_000;
const SHORT = 4_000;
const MOST = 4;

/** Say something. What can be done about it may be offered as a button: {label, run}. It stays while somebody is at it. */
export function notice(text, { kind = "plain", more = "", action = null } = {}) {
  const place = document.getElementById("notices");
  const close = () => shown.remove();
  const shown = h("div", { class: ["notice", kind] },
    h("div", { class: "words" }, h("p", {}, text), more ? h("p", { class: "more" }, more) : null),
    action ? h("button", { type: "button", on: { click: () => { close(); action.run(); } } }, action.label) : null,
    h("button", { type: "button", class: "quiet", "aria-label": "Dismiss", on: { click: close } }, "×"));
  place.append(shown);
  if (place.children.length > MOST) [...place.children].find((one) => !isAttended(one)).remove();
  const end = () => { if (isAttended(shown)) setTimeout(end, SHORT); else close(); };
  setTimeout(end, kind === "bad" || action ? LONG : SHORT);
}

// Asked when it matters: one may come with the pointer and stay with the focus, so leaving by one says nothing of the other.
function isAttended(shown) {
  return shown.matches(":hover, :focus-within");
}

/** Say why something was not done. */
export function sorry(error) {
  notice(error.message, { kind: "bad", more: error.recovery ?? "" });
}

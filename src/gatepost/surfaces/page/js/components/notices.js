// Short notices at the edge of the page: what was done, and what was refused.

import { byId, h } from "../dom.js";

const LONG = 12_000;
const SHORT = 4_000;
const MOST = 4;

/**
 * Show a notice, with an optional action button. It stays while it is hovered or focused.
 * @param {string} text
 * @param {{kind?: "plain" | "bad", more?: string, action?: {label: string, run: () => void} | null}} options
 */
export function notice(text, { kind = "plain", more = "", action = null } = {}) {
  const place = byId("notices");
  const close = () => {
    shown.remove();
  };
  /** @type {HTMLElement} */
  const shown = h(
    "div",
    { class: ["notice", kind] },
    h("div", { class: "words" }, h("p", {}, text), more ? h("p", { class: "more" }, more) : null),
    action
      ? h(
          "button",
          {
            type: "button",
            on: {
              click: () => {
                close();
                action.run();
              },
            },
          },
          action.label,
        )
      : null,
    h("button", { type: "button", class: "quiet", "aria-label": "Dismiss", on: { click: close } }, "×"),
  );
  place.append(shown);
  if (place.children.length > MOST) [...place.children].find((one) => !isAttended(one))?.remove();
  const end = () => {
    if (isAttended(shown)) setTimeout(end, SHORT);
    else close();
  };
  setTimeout(end, kind === "bad" || action ? LONG : SHORT);
}

// Checked when it matters: a reader may come with the pointer and stay with the focus.
/** @param {Element} shown */
function isAttended(shown) {
  return shown.matches(":hover, :focus-within");
}

/**
 * Show why something was not done.
 * @param {{message: string, recovery?: string}} error
 */
export function sorry(error) {
  notice(error.message, { kind: "bad", more: error.recovery ?? "" });
}

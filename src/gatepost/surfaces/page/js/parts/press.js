// A button.

import { h } from "../dom.js";

/** A button that does something when it is pressed; `about` may have a class, a label for those who do not see it, and so on. */
export const press = (words, click, about = {}) => h("button", { type: "button", ...about, on: { click } }, words);

/** A button that is on or off. */
export const toggle = (words, isOn, click, about = {}) => press(words, click, { ...about, "aria-pressed": String(isOn) });

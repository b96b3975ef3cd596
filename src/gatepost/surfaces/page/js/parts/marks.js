// The smallest things that the task view is written with.

import { h } from "../dom.js";

/** An id, a path, a number: something to be read letter by letter. */
export const code = (text) => h("span", { class: "id" }, text);

/** Something said by the way. */
export const aside = (...text) => h("p", { class: "muted" }, text);

export const chip = (text, kind = "") => h("span", { key: text, class: ["chip", kind] }, text);

export const button = (label, click, more = {}) => h("button", { type: "button", on: { click }, ...more }, label);

/** A part of a page under its own heading, by which it is known to screen readers as well. */
export function section(name, title, kind, ...inside) {
  return h("section", { class: kind, "aria-labelledby": name }, h("h2", { id: name, class: "label" }, title), inside);
}

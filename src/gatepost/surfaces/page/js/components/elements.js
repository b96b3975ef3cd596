// Small elements that every view uses: buttons, chips, sections, progress, checkpoints, times, actors, refusals.

import { h } from "../dom.js";
import { GLYPHS, ago, moment, who } from "../labels.js";

/** @import { About, Checkpoint, Child, Counts } from "../../types/page.d.ts" */

/**
 * A progress bar with the same figures as text.
 * @param {Partial<Counts> | null | undefined} counts
 * @param {string} label
 */
export function progress(counts, label = "Progress") {
  const total = counts?.total ?? 0;
  const done = counts?.done ?? 0;
  const share = total ? done / total : 0;
  const words = total ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")} done` : "no steps yet";
  return h(
    "div",
    { class: ["progress", total > 0 && done === total && "whole"] },
    h(
      "div",
      {
        class: "bar",
        role: "progressbar",
        "aria-label": label,
        "aria-valuemin": 0,
        "aria-valuemax": Math.max(total, 1),
        "aria-valuenow": done,
        "aria-valuetext": words,
      },
      h("div", { class: "fill", css: { "--share": share } }),
    ),
    h(
      "span",
      { class: "count" },
      words,
      counts?.blocked ? h("span", { class: "blocked" }, ` · ${counts.blocked} blocked`) : null,
      counts?.checklist ? ` · checklist ${counts.checklist.done} of ${counts.checklist.total}` : null,
    ),
  );
}

/** @type {Checkpoint[]} */
export const CHECKPOINTS = ["criteria", "tests", "security", "perf", "docs"];

/**
 * A relative time with the exact one as its tooltip; the page keeps it current.
 * @param {string | null | undefined} at
 */
export function time(at) {
  return at ? h("time", { datetime: at, title: moment(at) }, ago(at)) : null;
}

/** @type {Record<string, string>} */
const ACTOR_MARKS = { human: "☺", agent: "◆" };

/**
 * An actor, with a mark for its kind.
 * @param {string} name
 */
export function actor(name) {
  const { kind, name: short } = who(name);
  return h(
    "span",
    { class: ["actor", `kind-${kind}`], title: name },
    h("span", { class: "mark", "aria-hidden": "true" }, ACTOR_MARKS[kind] ?? ""),
    short,
  );
}

/**
 * The state of a step or task: a glyph and a word, never colour alone.
 * @param {string} name
 * @param {string} words
 */
export function state(name, words = name.replace("_", " ")) {
  return h(
    "span",
    { class: ["state", `state-${name}`] },
    h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[name] ?? "○"),
    h("span", { class: "word" }, words),
  );
}

/**
 * Shown where there is nothing yet: what is missing, and how to add it.
 * @param {string} title
 * @param {string} next
 * @param {Child[]} more
 */
export function empty(title, next, ...more) {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, next), more);
}

/**
 * A command that can be copied.
 * @param {string} text
 */
export function command(text) {
  return h(
    "div",
    { class: "command" },
    h("code", {}, text),
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        on: {
          click: (event) => {
            navigator.clipboard?.writeText(text);
            event.currentTarget.textContent = "Copied";
          },
        },
      },
      "Copy",
    ),
  );
}

/**
 * A refusal with its next step.
 * @param {{message: string, recovery?: string}} error
 */
export function refusal(error) {
  return h(
    "div",
    { class: "refusal", role: "alert" },
    h("p", { class: "message" }, error.message),
    error.recovery ? h("p", { class: "recovery" }, error.recovery) : null,
  );
}

/**
 * An id, a path or a number, in monospace.
 * @param {string | number} text
 */
export const code = (text) => h("span", { class: "id" }, text);

/**
 * A secondary remark.
 * @param {Child[]} text
 */
export const aside = (...text) => h("p", { class: "muted" }, text);

/** @param {string} text @param {string} kind */
export const chip = (text, kind = "") => h("span", { key: text, class: ["chip", kind] }, text);

/**
 * A button that does something when it is pressed. `about` may have a class, an accessible label and other attributes.
 * @param {Child} words
 * @param {(event: any) => unknown} click
 * @param {About} about
 */
export const button = (words, click, about = {}) => h("button", { type: "button", ...about, on: { click } }, words);

/**
 * A button that is on or off.
 * @param {Child} words
 * @param {boolean} isOn
 * @param {() => unknown} click
 * @param {About} about
 */
export const toggle = (words, isOn, click, about = {}) =>
  button(words, click, { ...about, "aria-pressed": String(isOn) });

/**
 * A section labelled by its heading.
 * @param {string} name
 * @param {Child} title
 * @param {string} kind
 * @param {Child[]} inside
 */
export function section(name, title, kind, ...inside) {
  return h("section", { class: kind, "aria-labelledby": name }, h("h2", { id: name, class: "label" }, title), inside);
}

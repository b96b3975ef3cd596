// Small elements that every view uses: buttons, chips, sections, progress, checkpoints, times, actors, refusals.

import { h } from "../dom.js";
import { GLYPHS, ago, many, moment, who } from "../labels.js";

/** Done of total, as a bar that also says it in words. Blocked ones are shown where they are part of what is open. */
export function progress(counts, label = "Progress") {
  const total = counts?.total ?? 0;
  const done = counts?.done ?? 0;
  const share = total ? done / total : 0;
  const words = total ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")} done` : "no steps yet";
  return h("div", { class: ["progress", total > 0 && done === total && "whole"] },
    h("div", { class: "bar", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": Math.max(total, 1), "aria-valuenow": done, "aria-valuetext": words },
      h("div", { class: "fill", css: { "--share": share } })),
    h("span", { class: "count" }, words, counts?.blocked ? h("span", { class: "blocked" }, ` · ${counts.blocked} blocked`) : null,
      counts?.checklist ? ` · checklist ${counts.checklist.done} of ${counts.checklist.total}` : null));
}

const CHECKPOINTS = ["criteria", "tests", "security", "perf", "docs"];

/**
 * The five checkpoints as lamps. `lamps` has, by name, what is known: {confirmed, by?, at?, note?}; absent ones do not count here.
 * With `press(name, confirmed)`, they are buttons.
 */
export function lamps(known, press) {
  return h("ul", { class: "lamps", "aria-label": "Checkpoints" }, CHECKPOINTS.map((name) => {
    const lamp = known[name];
    const state = !lamp ? "off" : lamp.confirmed ? "lit" : "waiting";
    const words = !lamp ? "not asked for" : lamp.confirmed ? "confirmed" : "not confirmed yet";
    const by = lamp?.by ? ` by ${who(lamp.by).name}${lamp.at ? `, ${ago(lamp.at)}` : ""}` : "";
    const inside = [h("span", { class: "bulb", "aria-hidden": "true" }, state === "lit" ? "✓" : ""), h("span", { class: "name" }, name), h("span", { class: "by" }, lamp ? words + by : words)];
    return h("li", { key: name, class: ["lamp", state], title: lamp?.note || undefined },
      press ? h("button", { type: "button", "aria-pressed": String(Boolean(lamp?.confirmed)), on: { click: () => press(name, !lamp?.confirmed) } }, inside) : inside);
  }));
}

/** A time as it is said, with the exact one at hand; it goes on by itself. */
export function time(at) {
  return at ? h("time", { datetime: at, title: moment(at) }, ago(at)) : null;
}

/** Somebody, with what kind of actor they are. */
export function actor(name) {
  const { kind, name: short } = who(name);
  return h("span", { class: ["actor", `kind-${kind}`], title: name }, h("span", { class: "mark", "aria-hidden": "true" }, kind === "human" ? "☺" : kind === "agent" ? "◆" : "·"), short);
}

/** The state of a step or task: a glyph and a word, never colour alone. */
export function state(name, words = name.replace("_", " ")) {
  return h("span", { class: ["state", `state-${name}`] }, h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[name] ?? "○"), h("span", { class: "word" }, words));
}

/** What stands where there is nothing yet: what it would be, and how it comes about. */
export function empty(title, next, ...more) {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, next), more);
}

/** A command that can be copied. */
export function command(text) {
  return h("div", { class: "command" }, h("code", {}, text),
    h("button", { type: "button", class: "quiet", on: { click: (event) => { navigator.clipboard?.writeText(text); event.currentTarget.textContent = "Copied"; } } }, "Copy"));
}

/** The server's no, with its next step. */
export function refusal(error) {
  return h("div", { class: "refusal", role: "alert" },
    h("p", { class: "message" }, error.message), error.recovery ? h("p", { class: "recovery" }, error.recovery) : null);
}

/** An id, a path, a number: something to be read letter by letter. */
export const code = (text) => h("span", { class: "id" }, text);

/** Something said by the way. */
export const aside = (...text) => h("p", { class: "muted" }, text);

export const chip = (text, kind = "") => h("span", { key: text, class: ["chip", kind] }, text);

/** A button that does something when it is pressed. `about` may have a class, an accessible label and other attributes. */
export const button = (words, click, about = {}) => h("button", { type: "button", ...about, on: { click } }, words);

/** A button that is on or off. */
export const toggle = (words, isOn, click, about = {}) => button(words, click, { ...about, "aria-pressed": String(isOn) });

/** A part of a page under its own heading, by which it is known to screen readers as well. */
export function section(name, title, kind, ...inside) {
  return h("section", { class: kind, "aria-labelledby": name }, h("h2", { id: name, class: "label" }, title), inside);
}

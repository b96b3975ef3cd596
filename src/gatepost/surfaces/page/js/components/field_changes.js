// What a change does, field by field: before and after.

import { h, phrase } from "../dom.js";
import { who } from "../labels.js";
import { difference, unified } from "./diff.js";
import { time } from "./elements.js";
import { line } from "./proof_text.js";

/** @import { Change, Child, Json } from "../../types/page.d.ts" */
/** @typedef {{field: string, before?: Json, after?: Json, diff?: string}} ChangedField */
/** @typedef {{where: string, was_at?: string, fields: readonly ChangedField[]}} DocumentChange */

/** @type {Record<string, string>} */
const NAMES = {
  blocked: "Blocked",
  blockers: "Known blockers",
  confirmed: "Confirmed",
  contract_data: "Contract data",
  depends_on: "Depends on",
  done_at: "Closed",
  required: "Required checkpoints",
};

/**
 * How each document changes.
 * @param {readonly DocumentChange[]} documents
 */
export function documentChanges(documents) {
  return h(
    "ul",
    { class: "field-changes" },
    documents.map((one) =>
      h(
        "li",
        { key: one.where },
        h("p", { class: "where" }, h("span", { class: "id" }, one.where), moved(one)),
        place(one),
      ),
    ),
  );
}

/**
 * The same for changes that come field by field.
 * @param {readonly Change[]} changes
 */
export function fieldChanges(changes) {
  /** @type {Map<string, DocumentChange>} */
  const documents = new Map();
  for (const { where, ...field } of changes) {
    const known = documents.get(where) ?? { where, fields: [] };
    documents.set(where, { where, fields: [...known.fields, field] });
  }
  return documentChanges([...documents.values()]);
}

/** @param {DocumentChange} document */
const moved = ({ was_at: from }) => (from ? h("span", { class: "muted" }, ` moved, from ${from}`) : null);

// Of what appears or goes, its title says enough.
/** @param {DocumentChange} document */
function place({ fields }) {
  const title = fields.find(({ field }) => field === "title");
  if (title && fields.every(({ after }) => isNothing(after))) return h("p", {}, phrase`“${title.before}” is removed.`);
  if (title && fields.every(({ before }) => isNothing(before))) return h("p", {}, phrase`“${title.after}” is added.`);
  return h(
    "dl",
    {},
    fields.map((one) => [h("dt", {}, NAMES[one.field] ?? words(one.field)), h("dd", {}, change(one))]),
  );
}

/** @param {DocumentChange["fields"][number]} one */
function change({ field, before, after, diff }) {
  if (diff) return unified(diff, words(field));
  return isText(before, after) ? difference(before, after, { label: words(field) }) : pair(field, before, after);
}

/** @param {string} field @param {Json} before @param {Json} after */
function pair(field, before, after) {
  return h(
    "span",
    { class: "pair" },
    h("span", { class: "before" }, h("span", { class: "sr" }, "before: "), value(field, before)),
    h("span", { class: "arrow", "aria-hidden": "true" }, "→"),
    h("span", { class: "after" }, h("span", { class: "sr" }, "after: "), value(field, after)),
  );
}

/** @param {string} field @param {Json} given @returns {Child} */
function value(field, given) {
  if (isNothing(given)) return h("em", {}, field === "done_at" ? "open" : "none");
  if (typeof given === "boolean") return given ? "yes" : "no";
  if (field.endsWith("_at") && typeof given === "string") return time(given);
  if (Array.isArray(given)) return list(given.map((one) => entry(field, one)));
  return typeof given === "object" ? h("code", {}, JSON.stringify(given)) : String(given);
}

/** @param {Child[]} entries */
const list = (entries) =>
  entries.length === 1
    ? entries[0]
    : h(
        "ul",
        {},
        entries.map((one) => h("li", {}, one)),
      );

/** @param {string} field @param {Json} one @returns {Child} */
function entry(field, one) {
  if (typeof one !== "object" || one === null) return String(one);
  if (field === "confirmed")
    return phrase`${one.checkpoint} by ${who(one.actor).name}${one.note ? `: ${one.note}` : ""}`;
  if (field === "checks" && one.run) return h("code", {}, `$ ${line(one.run)}`);
  return h("code", {}, JSON.stringify(one));
}

/** @param {Json} given */
const isNothing = (given) =>
  given === null || given === undefined || given === "" || (Array.isArray(given) && !given.length);

/** @param {Json} before @param {Json} after */
const isText = (before, after) => typeof before === "string" && typeof after === "string" && /\n/.test(before + after);

/** @param {string} field */
const words = (field) => field[0].toUpperCase() + field.slice(1).replaceAll("_", " ");

// Evidence: command output, diffs, links, files, notes and checks.

import { h } from "../dom.js";
import { many } from "../labels.js";
import { rich } from "./markdown.js";
import { actor, time } from "./elements.js";
import { seconds } from "./proof_text.js";

/** @import { Child, Evidence, LogEvent } from "../../types/page.d.ts" */

const FOLD_LINES = 14;
const SHOWN_LINES = 10;
const FOLD_CHARS = 2_000;
const COLOURED = 3_000; // lines of a diff; beyond, it is plain text
/** @type {Record<string, string>} */
const KINDS = {
  cmd_output: "Output",
  diff: "Diff",
  url: "Link",
  file: "File",
  note: "Note",
  check: "Check",
  attachment: "Attachment",
};

/**
 * Pieces of evidence, newest first. `stamps[i]` is the event that captured a piece, or null.
 * @param {Evidence[]} pieces
 * @param {Array<LogEvent | null>} stamps
 */
export function evidence(pieces, stamps) {
  const seen = new Map();
  return h(
    "ol",
    { class: "evidence" },
    pieces.map((piece, at) =>
      h(
        "li",
        { key: keyOf(piece, seen), class: ["piece", `is-${piece.kind ?? piece.form}`] },
        head(piece, stamps[at]),
        body(piece),
      ),
    ),
  );
}

// The same piece may have been captured twice.
/** @param {Evidence} piece @param {Map<string, number>} seen */
function keyOf(piece, seen) {
  const { form, kind, title, command, url, path, content, detail } = piece;
  const plain = [form, kind, title, command, url, path, content?.length, detail?.length].join("|");
  seen.set(plain, (seen.get(plain) ?? 0) + 1);
  return `${plain}|${seen.get(plain)}`;
}

/** @param {Evidence} piece @param {LogEvent | null} stamp */
function head(piece, stamp) {
  const kind = piece.kind ?? piece.form;
  return h(
    "div",
    { class: "about" },
    h("span", { class: "label" }, KINDS[kind] ?? kind),
    outcome(piece),
    h("span", { class: "what" }, piece.title ?? (piece.command ? null : (piece.path ?? piece.url ?? null))),
    (piece.checkpoints ?? []).map((name) => h("span", { key: name, class: "chip" }, `for ${name}`)),
    stamp ? h("span", { class: "by" }, actor(stamp.actor), " · ", time(stamp.at)) : null,
  );
}

/** @param {Evidence} piece */
function outcome(piece) {
  const took = piece.seconds === undefined ? "" : `, ${seconds(piece)}`;
  if (piece.passed !== undefined) return verdict(piece.passed, (piece.passed ? "passed" : "failed") + took);
  if (piece.form === "check") return h("span", { class: "outcome" }, "– no result");
  return piece.exit_code === undefined ? null : verdict(!piece.exit_code, `exit ${piece.exit_code}`);
}

/** @param {boolean} good @param {string} word */
const verdict = (good, word) => h("span", { class: ["outcome", good ? "good" : "bad"] }, `${good ? "✓" : "✗"} ${word}`);

/** @param {Evidence} piece */
function body(piece) {
  const text = piece.content ?? piece.detail ?? "";
  return [
    piece.command ? h("p", { class: "ran" }, h("code", {}, `$ ${piece.command}`)) : null,
    piece.content && piece.detail ? h("p", { class: "bad" }, piece.detail) : null,
    piece.url ? h("p", {}, address(piece.url)) : null,
    piece.path && piece.title ? h("p", {}, h("code", {}, piece.path)) : null,
    !text
      ? null
      : piece.kind === "note"
        ? rich(text)
        : piece.kind === "diff"
          ? folded(text, coloured)
          : folded(text, (part) => part),
  ];
}

/**
 * A link, if it is a web address; otherwise its text.
 * @param {string} url
 */
export function address(url) {
  if (!/^https?:\/\//i.test(url)) return h("code", {}, url);
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, url);
}

// Long texts show their beginning and can be opened.
/** @param {string} text @param {(part: string) => Child} inside */
function folded(text, inside) {
  const lines = text.split("\n");
  /** @param {string} part @param {object} more */
  const pre = (part, more = {}) =>
    h("pre", { class: "block", tabindex: 0, "aria-label": "Content", ...more }, inside(part));
  if (lines.length <= FOLD_LINES && text.length <= FOLD_CHARS) return pre(text);
  const all = lines.length > 1 ? many(lines.length, "line") : many(text.length, "character");
  return h(
    "div",
    { class: "folded" },
    h("details", {}, h("summary", {}, `All ${all}`), pre(text)),
    pre(lines.slice(0, SHOWN_LINES).join("\n").slice(0, FOLD_CHARS), { class: "block beginning" }),
  );
}

/** @param {string} text */
function coloured(text) {
  const lines = text.split("\n");
  const shown = lines.slice(0, COLOURED).map((line) => h("span", { class: ["line", kindOf(line)] }, `${line}\n`));
  return lines.length > COLOURED ? [shown, lines.slice(COLOURED).join("\n")] : shown;
}

/** @param {string} line */
function kindOf(line) {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return "file";
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "";
}

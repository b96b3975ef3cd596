// What confirmations rest on: five kinds, each with a shape and a color of its own; the checks of a step, and the legend.

import { h, phrase } from "../dom.js";
import { many, who } from "../labels.js";
import { CHECKPOINTS, actor, time } from "./elements.js";
import { KINDS, STATES, basis, commit, isFor, line, prover, runsOf, seconds, sentence } from "./proof_text.js";

/** @import { Check, CheckResult, Checkpoint, Child, Evidence, Mark, Provenance, Step } from "../../types/page.d.ts" */
/** @typedef {Partial<Record<Checkpoint, Mark | null>>} Lamps */

const TAIL = 12; // lines
/** @type {Record<string, string>} */
const MARKS = { passed: "✓", failed: "✗", stale: "!", not_run: "○" };
/** @type {Record<string, string>} */
const FILLS = {
  asserted: "M8 8V2a6 6 0 0 1 6 6z",
  noted: "M8 2a6 6 0 0 1 0 12z",
  evidenced: "M8 8V2a6 6 0 1 1-6 6z",
  machine: "M8 .8l6.2 3.6v7.2L8 15.2l-6.2-3.6V4.4z",
  human: "M8 1.2a3.3 3.3 0 1 1 0 6.6 3.3 3.3 0 0 1 0-6.6zM1.6 15.2c0-3.9 2.9-6 6.4-6s6.4 2.1 6.4 6z",
};

/**
 * The shape of a checkpoint: an empty ring, a ring that is filled the more the better it is proven, a badge with a check
 * mark, or a person. What is stale has an exclamation mark.
 * @param {Provenance | undefined} kind
 * @param {boolean} stale
 */
export function shape(kind, stale = false) {
  const isRing = kind !== "machine" && kind !== "human";
  return h(
    "svg",
    { viewBox: "0 0 16 16", class: ["shape", `basis-${kind ?? "none"}`, stale && "is-stale"], "aria-hidden": "true" },
    isRing ? h("circle", { cx: 8, cy: 8, r: 6, class: "ring" }) : null,
    kind ? h("path", { d: FILLS[kind], class: "fill" }) : null,
    kind === "machine" ? h("path", { d: "M4.7 8.1l2.3 2.4 4.3-4.8", class: "cut" }) : null,
    stale ? h("circle", { cx: 12.4, cy: 12.4, r: 3.6, class: "badge" }) : null,
    stale ? h("path", { d: "M12.4 10.4v2.3M12.4 14.1v.1", class: "bang" }) : null,
  );
}

/**
 * The five checkpoints as lamps: each with its confirmation, or null if it has none. The others are not required here.
 * With `press(name, confirmed)`, they are buttons.
 * @param {Lamps} known
 * @param {Evidence[]} pieces
 * @param {(name: Checkpoint, confirmed: boolean) => void} press
 */
export function lamps(known, pieces, press) {
  return h(
    "ul",
    { class: "lamps", "aria-label": "Checkpoints" },
    CHECKPOINTS.map((name) => {
      const mark = known[name];
      const words = mark ? basis(mark) : mark === null ? "not confirmed yet" : "not required";
      const by = mark ? `, ${who(prover(mark)).name}` : "";
      const said = mark ? `${name}: ${sentence(mark, pieces)}${mark.note ? `: ${mark.note}` : ""}` : undefined;
      return h(
        "li",
        { key: name, class: ["lamp", mark ? "lit" : mark === null ? "waiting" : "off"], title: said },
        h(
          "button",
          { type: "button", "aria-pressed": String(Boolean(mark)), on: { click: () => press(name, !mark) } },
          shape(mark?.provenance, mark?.stale),
          h("span", { class: "name" }, name),
          h("span", { class: "by" }, h("span", { class: "word" }, words), by),
        ),
      );
    }),
  );
}

/**
 * Each confirmation of a step in full: who and when, note, commit, command and the end of its output, signature.
 * @param {Step} step
 * @param {Evidence[]} pieces
 */
export function proofs(step, pieces) {
  const marks = step.confirmed ?? [];
  if (!marks.length) return null;
  return h(
    "section",
    { class: "list proven", "aria-labelledby": "proofs" },
    h("h3", { class: "label", id: "proofs" }, "Proof"),
    h(
      "ul",
      {},
      marks.map((mark) => h("li", { key: mark.checkpoint }, shape(mark.provenance, mark.stale), proof(mark, pieces))),
    ),
  );
}

/** @param {Mark} mark @param {Evidence[]} pieces */
function proof(mark, pieces) {
  const runs = runsOf(mark, pieces);
  return h(
    "div",
    { class: "inside" },
    h(
      "p",
      {},
      h("strong", {}, mark.checkpoint),
      h("span", { class: ["basis", `basis-${mark.provenance}`] }, KINDS[mark.provenance].word),
      mark.stale ? h("span", { class: "chip warn" }, "stale") : null,
    ),
    h(
      "p",
      { class: "by" },
      mark.provenance === "machine" ? "run by " : "by ",
      actor(mark.actor),
      " · ",
      time(mark.at),
      mark.commit ? ` · ${commit(mark)}` : null,
    ),
    mark.note ? h("p", { class: "said" }, mark.note) : null,
    runs.map((piece, at) => run(piece, `${piece.seq} ${at}`)),
    mark.signed ? signature(mark.signed) : null,
    mark.stale ? h("p", { class: "warning" }, "Files that this covers have changed since.") : null,
  );
}

/** @param {NonNullable<Mark["signed"]>} signed */
function signature(signed) {
  return h(
    "p",
    { class: "by" },
    "signed off by ",
    actor(signed.actor),
    " · ",
    time(signed.at),
    signed.note ? phrase`: ${signed.note}` : null,
  );
}

/** @param {Evidence} piece @param {string} key */
function run(piece, key) {
  const lines = (piece.content ?? "").trimEnd().split("\n");
  const end = lines.slice(-TAIL).join("\n");
  const more = lines.length - TAIL;
  return h(
    "div",
    { key, class: "run" },
    h("p", { class: "ran" }, h("code", {}, `$ ${piece.command}`), h("span", { class: "muted" }, ` ${seconds(piece)}`)),
    end
      ? h(
          "details",
          {},
          h("summary", {}, more > 0 ? `End of the output (${many(more, "line")} before it)` : "Output"),
          h("pre", { class: "block", tabindex: 0, "aria-label": `End of the output of ${piece.command}` }, end),
        )
      : null,
  );
}

/**
 * The commands that prove a step, and how each came out.
 * @param {Step} step
 * @param {Child} [act]
 */
export function checks(step, act = null) {
  if (!step.checks?.length) return null;
  return h(
    "section",
    { class: "list checks", "aria-labelledby": "checks" },
    h("h3", { class: "label", id: "checks" }, "Checks"),
    h(
      "ul",
      {},
      step.checks.map((check, at) => checkRow(check, step.results?.[at])),
    ),
    act,
  );
}

/** @param {Check} check @param {CheckResult} [result] */
function checkRow(check, result = { state: "not_run" }) {
  const details = [
    `for ${isFor(check)}`,
    check.cwd ? `in ${check.cwd}` : "",
    check.covers?.length ? `covers ${check.covers.join(", ")}` : "",
    check.expect ? `expects ${check.expect}` : "",
  ];
  const exit = result.state === "failed" && result.exit_code !== undefined ? `, exit ${result.exit_code}` : "";
  const took = result.seconds !== undefined && result.state !== "not_run" ? `, ${seconds(result)}` : "";
  return h(
    "li",
    {},
    h(
      "p",
      {},
      h("span", { class: "mark", "aria-hidden": "true" }, MARKS[result.state]),
      h("code", {}, line(check.run)),
      h("span", { class: ["result", `is-${result.state}`] }, `${STATES[result.state]}${exit}${took}`),
    ),
    h("p", { class: "by" }, details.filter(Boolean).join(" · ")),
  );
}

/** Every shape and what it means. */
export function legend() {
  /** @param {Child} sign @param {string} word @param {string} means */
  const row = (sign, word, means) => h("li", {}, sign, h("strong", {}, word), h("span", { class: "muted" }, means));
  return h(
    "ul",
    { class: "legend" },
    row(shape(undefined), "not confirmed", "Nobody has confirmed it yet."),
    Object.entries(KINDS).map(([kind, { word, means }]) => row(shape(/** @type {Provenance} */ (kind)), word, means)),
    row(shape("machine", true), "stale", "Files that it covers have changed since."),
  );
}

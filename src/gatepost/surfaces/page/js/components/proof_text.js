// Proofs as text: what confirmations rest on, how checks came out, what a policy wants and what is missing.

import { moment } from "../labels.js";
import { list } from "./next_action.js";

/** @import { Check, CheckResult, Checkpoint, Evidence, Mark, Need, Policy, Provenance, Step } from "../../types/page.d.ts" */
/** @typedef {Pick<Mark, "provenance"> & Partial<Mark>} Basis */

/**
 * For each kind, the weakest first: the word for it, what it means, and the end of "confirmed tests …".
 * @type {Record<Provenance, {word: string, means: string, how: string}>}
 */
export const KINDS = {
  asserted: { word: "word only", means: "Someone said so, and nothing else.", how: "by word only" },
  noted: { word: "noted", means: "With a note that says how it was verified.", how: "with a note" },
  evidenced: { word: "evidence", means: "With evidence that was captured for it.", how: "with evidence" },
  machine: { word: "checked", means: "A command ran and passed. Its output is kept.", how: "by a check" },
  human: { word: "confirmed by a person", means: "A person confirmed it or signed it off.", how: "in person" },
};
const COMMIT = 7;
/** @type {Record<CheckResult["state"], string>} */
export const STATES = { passed: "passed", failed: "failed", stale: "stale", not_run: "not run" };
/** @type {Record<string, string>} */
const PROOFS = { word: "a word", note: "a note", evidence: "evidence", machine: "a check that passes" };
/** @type {Record<string, string>} */
const SIGNERS = { anyone: "anyone", other: "someone who did not work on it", human: "a person" };
/** @type {Record<string, string>} */
const SIGNS = { anyone: "Anyone", other: "Someone who did not work on the step", human: "A person" };

/**
 * What a checkpoint is confirmed on, in a word or two.
 * @param {Basis | undefined} mark
 */
export const basis = (mark) => (mark ? KINDS[mark.provenance].word + (mark.stale ? ", stale" : "") : "not confirmed");

/**
 * The same in a sentence: "checked by `pytest -q`, 3.2 s, commit 1a2b3c4, by agent:claude/3f2a, 12:04".
 * @param {Mark} mark
 * @param {Evidence[]} pieces
 */
export function sentence(mark, pieces) {
  const ran = runsOf(mark, pieces).map((piece) => `\`${piece.command}\`${piece.seconds ? `, ${seconds(piece)}` : ""}`);
  return [
    KINDS[mark.provenance].word + (ran.length ? ` by ${list(ran)}` : ""),
    mark.commit ? commit(mark) : "",
    mark.provenance === "human" ? prover(mark) : `by ${mark.actor}`,
    moment(mark.provenance === "human" ? (mark.signed?.at ?? mark.at) : mark.at),
    mark.signed && mark.provenance !== "human" ? `signed off by ${mark.signed.actor}` : "",
    mark.stale ? "stale: files changed since" : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/**
 * Who a confirmation rests on: where a person signed off what somebody else had confirmed, it is that person.
 * @param {Mark} mark
 */
export const prover = (mark) => (mark.provenance === "human" ? (mark.signed?.actor ?? mark.actor) : mark.actor);

/**
 * What was verified, and how: "confirmed tests by a check, criteria with a note".
 * @param {string[]} names
 * @param {Record<string, Provenance | undefined>} ways
 */
export function confirmed(names, ways) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const name of names) {
    const how = ways[name] ? ` ${KINDS[/** @type {Provenance} */ (ways[name])]?.how ?? ""}`.trimEnd() : "";
    found.set(how, [...(found.get(how) ?? []), name]);
  }
  return [...found].map(([how, those]) => `${list(those)}${how}`).join(", ");
}

/**
 * What an open step still takes: what is not confirmed, checks that did not run, and what the policy wants.
 * @param {Step} step
 */
export function missing(step) {
  if (step.done) return [];
  const byCheck = new Set((step.checks ?? []).map(isFor));
  const open = step.unconfirmed ?? [];
  const said = open.filter((name) => !byCheck.has(name));
  const proven = open.filter((name) => byCheck.has(name));
  const stale = (step.confirmed ?? []).filter((mark) => mark.stale).map((mark) => mark.checkpoint);
  return [
    said.length ? `Confirm ${list(said)}.` : "",
    proven.length ? `Run the checks of ${list(proven)}.` : "",
    stale.length ? `Run the checks of ${list(stale)} again: files changed since.` : "",
    ...(step.needs ?? []).map(need),
  ].filter(Boolean);
}

/** @param {Need} wanted */
const need = ({ checkpoint, proof: wants, signoff }) =>
  signoff
    ? `Get ${checkpoint} signed off by ${SIGNERS[signoff]}.`
    : `Back ${checkpoint} with ${PROOFS[wants ?? "word"]}.`;

/**
 * What a policy wants, in sentences.
 * @param {Policy | undefined} policy
 */
export function policyWords(policy) {
  if (!policy) return [];
  return [
    policy.proof ? `Each confirmation needs ${PROOFS[policy.proof]}.` : "",
    ...Object.entries(policy.signoff ?? {}).map(([name, who]) => `${SIGNS[who]} signs off ${name}.`),
    policy.approval === "human" ? "A person approves the plan before work begins." : "",
    policy.stale === "reopen" ? "A stale proof reopens its step." : "",
  ].filter(Boolean);
}

/**
 * Whether a checkpoint is confirmed by running checks only.
 * @param {Step} step @param {Checkpoint} name
 */
export const hasChecks = (step, name) => (step.checks ?? []).some((check) => isFor(check) === name);

/** @param {Check} check @returns {Checkpoint} */
export const isFor = (check) => check.for ?? "tests";

/** @param {Mark} mark @param {Evidence[]} pieces */
export const runsOf = (mark, pieces) =>
  mark.provenance === "machine"
    ? pieces.filter((one) => one.seq === mark.evidence && one.command && one.checkpoints?.includes(mark.checkpoint))
    : [];

/** @param {{seconds?: number}} ran */
export const seconds = (ran) => (ran.seconds === undefined ? "" : `${ran.seconds.toFixed(1)} s`);

/** @param {{commit?: string, dirty?: boolean, worktree?: string}} mark */
export const commit = (mark) =>
  `commit ${mark.commit?.slice(0, COMMIT)}${mark.dirty ? " with uncommitted changes" : ""}${mark.worktree ? ` in worktree ${mark.worktree}` : ""}`;

/** @param {string[]} words */
export const line = (words) =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`)).join(" ");

// Who holds a step or a task: as a chip, as a sentence, and the way to take it over.

import { h, phrase } from "../dom.js";
import { clock, who } from "../labels.js";
import { ask, field, typed } from "./dialog.js";
import { actor, button, code, time } from "./elements.js";
import { notice } from "./notices.js";

/** @import { Held } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @typedef {{holder: string, since: string, until?: string}} Claim */

/**
 * "in progress since 12:04 by codex/7f31".
 * @param {Claim} claim
 */
export const claimWords = ({ holder, since }) => `in progress since ${clock(since)} by ${who(holder).name}`;

/** @param {Claim} claim */
export const claimChip = (claim) =>
  h("span", { key: "claim", class: "chip claimed", title: claimWords(claim) }, "◆ ", who(claim.holder).name);

/**
 * What others work on, in a list.
 * @param {App} app
 * @param {readonly Held[]} held
 */
export function inProgress(app, held) {
  if (!held.length) return null;
  return h(
    "ul",
    { key: "held", class: "in-progress", "aria-label": "In progress" },
    held.map((one) =>
      h(
        "li",
        { key: `${one.task} ${one.step_id ?? ""}` },
        actor(one.holder),
        " works on ",
        h(
          "a",
          { href: app.link("task", one.task, ...(one.path ? [one.path] : [])) },
          one.title || one.path || one.task,
        ),
        " ",
        code(`${one.task} ${one.path ?? ""}`.trim()),
        h("span", { class: "muted" }, " · since ", time(one.since)),
      ),
    ),
  );
}

/**
 * Says who holds the step, and offers to take it over.
 * @param {App} app
 * @param {Held} held
 */
export function claimBanner(app, held) {
  return h(
    "div",
    { key: "claim", class: "banner claim" },
    h(
      "p",
      {},
      actor(held.holder),
      phrase` has been working on ${held.step_id ? "this step" : "the whole task"} since ${clock(held.since)}.`,
      " Leave a note for them, or answer what they ask. To change it yourself, take it over.",
    ),
    button("Take over…", () => takeOver(app, held)),
  );
}

/**
 * Says that the reader holds the step, with a button to release it.
 * @param {Claim} claim
 * @param {() => unknown} release
 */
export function ownClaim(claim, release) {
  return h(
    "div",
    { key: "own", class: "banner claim" },
    h(
      "p",
      {},
      `You have held this step since ${clock(claim.since)}. Others work elsewhere until you release or close it.`,
    ),
    button("Release", release),
  );
}

/**
 * Ask for the reason, then take a step or a whole task from its holder.
 * @param {App} app
 * @param {{task: string, step_id?: string, holder: string}} held
 */
export function takeOver(app, { task, step_id: step, holder }) {
  const what = step ? { task, step_id: step } : { task, whole: true };
  ask({
    title: phrase`Take it over from ${who(holder).name}?`,
    submit: "Take over",
    fields: [
      h(
        "p",
        { class: "muted" },
        "They can no longer change it, and the log says why. It is yours for 15 minutes after your last action.",
      ),
      field("Reason", h("textarea", { name: "reason", rows: 2, required: true }), "Why are you taking it over?"),
    ],
    send: async (form) => {
      await app.call("tasks_claim", { ...what, take_over: typed(form, "reason") });
      notice("It is yours now.");
    },
  });
}

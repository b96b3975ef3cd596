// The timeline of a step: notes, evidence, confirmations and blocks.

import { h } from "../dom.js";
import { many } from "../labels.js";
import { actor, time } from "./elements.js";
import { done, verified } from "./event_text.js";
import { rich } from "./markdown.js";

/** @import { LogEvent } from "../../types/page.d.ts" */

/**
 * Events, newest first.
 * @param {LogEvent[]} events
 */
export const timeline = (events) => h("ol", { class: "timeline" }, events.map(entry));

/** @param {LogEvent} event */
function entry(event) {
  const text = event.note ?? event.ask ?? event.answer ?? event.reason ?? "";
  return h(
    "li",
    { key: event.seq, class: ["entry", event.type] },
    h("p", { class: "by" }, actor(event.actor), ` ${deed(event)} · `, time(event.at)),
    text ? rich(text) : null,
  );
}

/** @param {LogEvent} event */
function deed(event) {
  if (event.type === "step_verified") return verified(event);
  if (event.type === "evidence_captured") return captured(event);
  return done(event).replace("a step", "it");
}

/** @param {LogEvent} event */
function captured({ items = [], checks = [], attachments = [], failed = [] }) {
  if (failed.length) return `ran checks: ${failed.length} failed`;
  return `captured ${many(items.length + checks.length + attachments.length, "piece")} of evidence`;
}

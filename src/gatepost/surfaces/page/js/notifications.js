// Browser notifications for new items that wait for a person, and for plans that are done. Off until the reader says yes.

import { link } from "./routes.js";

/** @import { InboxItem, LogEvent } from "../types/page.d.ts" */
/** @import { App } from "./app.js" */

const ANSWER = "gatepost.notifications";
const LONGEST = 200;
/** @type {Record<string, string>} */
const TITLES = { question: "A question for you", signoff: "A step waits for your sign-off" };

/**
 * Whether the reader can be asked ("unasked"), said yes or no, or the browser has or allows none.
 * @returns {"unasked" | "on" | "off" | "impossible"}
 */
export function notifying() {
  if (!("Notification" in window) || Notification.permission === "denied") return "impossible";
  const answer = localStorage.getItem(ANSWER);
  if (answer === "on") return Notification.permission === "granted" ? "on" : "unasked";
  return answer === "off" ? "off" : "unasked";
}

/**
 * Remember the reader's answer. To be called from a click: browsers only then ask for their permission.
 * @param {boolean} wanted
 */
export async function answerNotifications(wanted) {
  const isOn = wanted && (await Notification.requestPermission()) === "granted";
  localStorage.setItem(ANSWER, isOn ? "on" : "off");
}

/**
 * Show what is new if the reader is looking elsewhere. All tabs do this; the tag makes it one notification.
 * @param {App} app
 * @param {InboxItem[]} items
 * @param {LogEvent[]} events
 */
export function notify({ workspace, overview }, items, events) {
  if (notifying() !== "on" || document.hasFocus()) return;
  for (const one of items) {
    const title = TITLES[one.kind];
    if (title) tell(workspace, itemKey(one), title, one.ask ?? one.title ?? "", [one.task ?? "", one.path ?? ""]);
  }
  for (const event of events)
    if (event.type === "task_completed" && event.plan && !event.task)
      tell(workspace, `done ${event.plan}`, "A plan is done", titleOf(event.plan), [event.plan]);

  /** @param {string} plan */
  function titleOf(plan) {
    return overview?.plans.find(({ id }) => id === plan)?.title ?? plan;
  }
}

/**
 * The key of an item. A question that is asked again is a new item.
 * @param {InboxItem} item
 */
export const itemKey = ({ kind, task, plan, step_id: step, taskdoc, selector, run, at }) =>
  [kind, task, plan, step, taskdoc, selector, run, kind === "question" ? at : ""].filter(Boolean).join(" ");

/** @param {string} workspace @param {string} key @param {string} title @param {string} body @param {string[]} place */
function tell(workspace, key, title, body, place) {
  const shown = new Notification(title, { body: body.slice(0, LONGEST), tag: `gatepost ${workspace} ${key}` });
  shown.onclick = () => {
    window.focus();
    location.hash = link(workspace, "task", ...place.filter(Boolean));
    shown.close();
  };
}

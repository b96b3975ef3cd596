// A plan that waits for a person: the banner, and the button that approves it.

import { h, phrase } from "../dom.js";
import { ask, field, typed } from "./dialog.js";
import { button } from "./elements.js";
import { notice } from "./notices.js";

/** @import { RadarReply } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

/**
 * What a plan or task says that waits for approval; nothing if it does not.
 * @param {App} app
 * @param {RadarReply | null | undefined} radar
 */
export function approval(app, radar) {
  const plan = radar?.blockers.find((one) => one.approval);
  if (!plan) return null;
  const isHere = radar?.target?.id === plan.task;
  return h(
    "div",
    { key: "approval", class: "banner approval" },
    h(
      "p",
      {},
      h("strong", {}, isHere ? "This plan waits for your approval." : phrase`“${plan.title}” waits for your approval.`),
      " Until then, nothing in it can be confirmed or closed. Read its contract and tasks first.",
    ),
    h(
      "div",
      { class: "actions" },
      button("Approve…", () => approve(app, plan.task, plan.title), { class: "primary" }),
      isHere ? null : h("a", { href: app.link("task", plan.task) }, "Go to the plan"),
    ),
  );
}

/**
 * Ask for a remark, then approve a plan.
 * @param {App} app @param {string} plan @param {string} title
 */
export function approve(app, plan, title) {
  ask({
    title: phrase`Approve “${title}”`,
    submit: "Approve",
    fields: [
      h("p", { class: "muted" }, "Agents can then work on its tasks. Your name is recorded."),
      field("Note", h("textarea", { name: "note", rows: 3 }), "Conditions or remarks, if any."),
    ],
    send: async (form) => {
      const note = typed(form, "note");
      await app.call("tasks_approve", { plan, ...(note ? { note } : {}) });
      notice("Approved.");
    },
  });
}

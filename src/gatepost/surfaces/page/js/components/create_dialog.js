// The dialog for a new plan or task.

import { h } from "../dom.js";
import { ask, field } from "./dialog.js";
import { notice } from "./notices.js";

/** @import { Arguments } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

// What was typed when the dialog was closed is there when it opens again.
/** @type {Map<string, Record<string, string>>} */
const drafts = new Map();

/**
 * Ask for a new plan or task. For a task, a plan may be preselected.
 * @param {App} app
 * @param {"task" | "plan"} kind
 * @param {string} plan
 */
export function openCreate(app, kind, plan = "") {
  const key = `${app.workspace} ${kind}`;
  const draft = drafts.get(key) ?? {};
  const isTask = kind === "task";
  const title = h("input", {
    name: "title",
    required: true,
    maxlength: 200,
    autocomplete: "off",
    value: draft.title ?? "",
  });
  const steps = h("textarea", { name: "steps", rows: 5, value: draft.steps ?? "" });
  const body = h("textarea", { name: "description", rows: 3, value: draft.description ?? "" });
  const hint = isTask ? "What it is for. Agents see this as the reason." : "Rules for everyone who works on this plan.";
  let sent = false;
  ask({
    title: isTask ? "New task" : "New plan",
    submit: isTask ? "Create task" : "Create plan",
    fields: [
      field("Title", title),
      isTask ? field("Plan", plans(app, plan || draft.plan)) : null,
      field(isTask ? "Why" : "Contract", body, hint),
      isTask ? field("Steps", steps, "One per line. Criteria and tests can be added later.") : null,
      field("Priority", priorities(draft.priority)),
    ],
    send: async (form) => {
      const reply = await app.call("tasks_create", asked(app, kind, read(form)));
      sent = true;
      drafts.delete(key);
      notice(`Created ${reply.id}.`, {
        action: {
          label: "Open",
          run: () => {
            location.hash = app.link("task", reply.id);
          },
        },
      });
    },
    left: (form) => {
      if (!sent) drafts.set(key, read(form));
    },
  });
}

/** @param {HTMLFormElement} form @returns {Record<string, string>} */
const read = (form) => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/**
 * @param {App} app
 * @param {"task" | "plan"} kind
 * @param {Record<string, string>} given
 * @returns {Arguments<"tasks_create">}
 */
function asked(app, kind, given) {
  const text = given.description.trim();
  const priority = /** @type {Arguments<"tasks_create">["priority"]} */ (given.priority);
  const wanted = { kind, title: given.title.trim(), priority };
  if (kind === "plan") return text ? { ...wanted, contract: text } : wanted;
  const steps = titles(given.steps);
  const chosen = app.overview?.plans.find((one) => one.id === given.plan);
  return {
    ...wanted,
    ...(text ? { description: text } : {}),
    ...(steps.length ? { steps } : {}),
    ...(given.plan ? { plan: given.plan } : {}),
    ...(chosen ? { expected_revision: chosen.revision } : {}),
  };
}

/** @param {App} app @param {string | undefined} chosen */
function plans(app, chosen) {
  const open = (app.overview?.plans ?? []).filter((plan) => plan.status !== "DONE" || plan.id === chosen);
  return h(
    "select",
    { name: "plan" },
    h("option", { value: "" }, "None"),
    open.map((plan) => h("option", { value: plan.id, selected: plan.id === chosen }, `${plan.id} · ${plan.title}`)),
  );
}

/** @param {string} chosen */
function priorities(chosen = "MEDIUM") {
  /** @param {string} name */
  const said = (name) => name[0] + name.slice(1).toLowerCase();
  return h(
    "select",
    { name: "priority" },
    ["CRITICAL", "HIGH", "MEDIUM", "LOW"].map((name) =>
      h("option", { value: name, selected: name === chosen }, said(name)),
    ),
  );
}

/**
 * Steps from lines of text, one title each.
 * @param {string} text
 */
export const titles = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((title) => ({ title }));

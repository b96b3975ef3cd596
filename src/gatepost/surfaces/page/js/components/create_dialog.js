// People may start work, too: a new plan or a new task, made as agents make them.

import { h } from "../dom.js";
import { ask, field } from "./dialog.js";
import { notice } from "./notices.js";

// What was typed when a form was left is there when it is opened again.
const drafts = new Map();

/** Ask for a new plan or task; for a task, `plan` may be chosen already. */
export function openCreate(app, kind, plan = "") {
  const key = `${app.workspace} ${kind}`;
  const draft = drafts.get(key) ?? {};
  const isTask = kind === "task";
  const title = h("input", { name: "title", required: true, maxlength: 200, autocomplete: "off", value: draft.title ?? "" });
  const steps = h("textarea", { name: "steps", rows: 5, value: draft.steps ?? "" });
  const body = h("textarea", { name: "description", rows: 3, value: draft.description ?? "" });
  const hint = isTask ? "What it is for. Agents see it as the reason." : "What everyone who works on it must keep to.";
  let sent = false;
  ask({
    title: isTask ? "New task" : "New plan",
    submit: isTask ? "Make the task" : "Make the plan",
    fields: [
      field("Title", title),
      isTask ? field("Plan", plans(app, plan || draft.plan)) : null,
      field(isTask ? "Why" : "Contract", body, hint),
      isTask ? field("Steps", steps, "One a line. What would prove each can be added later.") : null,
      field("Priority", priorities(draft.priority)),
    ],
    send: async (form) => {
      const reply = await app.call("tasks_create", asked(app, kind, read(form)));
      sent = true;
      drafts.delete(key);
      notice(`Made ${reply.id}.`, { action: { label: "Open it", run: () => { location.hash = app.link("task", reply.id); } } });
    },
    left: (form) => { if (!sent) drafts.set(key, read(form)); },
  });
}

const read = (form) => Object.fromEntries(new FormData(form));

function asked(app, kind, given) {
  const text = given.description.trim();
  const wanted = { kind, title: given.title.trim(), priority: given.priority };
  if (kind === "plan") return text ? { ...wanted, contract: text } : wanted;
  const steps = given.steps.split("\n").map((line) => line.trim()).filter(Boolean).map((title) => ({ title }));
  const chosen = app.overview?.plans.find((one) => one.id === given.plan);
  return {
    ...wanted, ...(text ? { description: text } : {}), ...(steps.length ? { steps } : {}),
    ...(given.plan ? { plan: given.plan } : {}), ...(chosen ? { expected_revision: chosen.revision } : {}),
  };
}

function plans(app, chosen) {
  const open = (app.overview?.plans ?? []).filter((plan) => plan.status !== "DONE" || plan.id === chosen);
  return h("select", { name: "plan" }, h("option", { value: "" }, "None: a task of its own"),
    open.map((plan) => h("option", { value: plan.id, selected: plan.id === chosen }, `${plan.id} · ${plan.title}`)));
}

function priorities(chosen = "MEDIUM") {
  const said = (name) => name[0] + name.slice(1).toLowerCase();
  return h("select", { name: "priority" },
    ["CRITICAL", "HIGH", "MEDIUM", "LOW"].map((name) => h("option", { value: name, selected: name === chosen }, said(name))));
}

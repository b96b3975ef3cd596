// Events as sentences: what was done, to what, and its first line where it has one.

import { GLYPHS, many } from "../labels.js";
import { list } from "./next_action.js";

const SAID = {
  plan_created: "made a plan", task_created: "made a task", plan_edited: "edited a plan", task_edited: "edited a task",
  plan_updated: "updated a plan", contract_updated: "changed the contract", steps_added: "added steps", step_defined: "defined a step",
  step_noted: "noted", step_verified: "confirmed", step_done: "closed a step", step_reopened: "reopened a step", step_blocked: "blocked a step",
  step_unblocked: "unblocked a step", step_deleted: "deleted a step", task_patched: "patched a task", task_completed: "completed a task",
  task_reopened: "reopened a task", task_deleted: "deleted a task", plan_deleted: "deleted a plan", task_node_added: "added a task node",
  task_node_defined: "defined a task node", task_node_deleted: "deleted a task node", evidence_captured: "captured evidence",
  focus_set: "set the focus", focus_cleared: "cleared the focus", operation_undone: "undid a change", operation_redone: "redid a change",
  section_replaced: "rewrote a section", mind_cleared: "ended the round", todo_written: "wrote a todo list", todo_cleared: "cleared a todo list",
  digest_set: "stored a digest", taskdoc_created: "made a taskdoc", taskdoc_bound: "bound a taskdoc", package_restored: "restored a package",
  package_tampered: "restored what a tool call changed",
  session_opened: "opened a session", session_kept: "kept a session's events", session_closed: "closed a session",
  taskdoc_renamed: "renamed a taskdoc", taskdoc_archived: "archived a taskdoc", taskdoc_unarchived: "brought back a taskdoc",
};

/** What an event says happened, without its subject. */
export const said = (event) => SAID[event.type] ?? event.type.replaceAll("_", " ");

/** What kinds of events there are, for who wants to see only some. */
export const KINDS = {
  proof: { label: "Closed and confirmed", has: /^(step_done|step_verified|task_completed)$/ },
  stuck: { label: "Blocked and reopened", has: /(blocked|reopened|undone|redone)$/ },
  notes: { label: "Notes and evidence", has: /^(step_noted|evidence_captured|digest_set)$/ },
  shape: { label: "Plans, tasks and steps", has: /^(?!taskdoc_).*_(created|edited|updated|added|defined|deleted|patched)$|^focus_/ },
  minds: { label: "Taskdocs", has: /^(taskdoc_|section_replaced|package_|mind_cleared)/ },
  todos: { label: "Todo lists", has: /^todo_/ },
};

const MARKS = [
  [/^step_blocked$/, GLYPHS.blocked], [/^(step_done|step_verified|task_completed|step_unblocked)$/, GLYPHS.done],
  [/^step_noted$/, "✎"], [/^evidence_captured$/, "▤"], [/^(section_|mind_|taskdoc_)/, "§"], [/^todo_/, "☰"], [/^focus_/, "◎"],
  [/(created|added)$/, "+"], [/deleted$/, "×"], [/(undone|reopened)$/, "↶"], [/redone$/, "↷"],
];

/** The glyph beside an event. */
export const mark = ({ type }) => MARKS.find(([pattern]) => pattern.test(type))?.[1] ?? "·";

/** What was done, without by whom and to what. */
export function done(event) {
  const isPlan = Boolean(event.plan && !event.task);
  switch (event.type) {
    case "steps_added": return event.count ? `added ${many(event.count, "step")}` : said(event);
    case "step_verified": return verified(event.checkpoints ?? {});
    case "step_done": return event.forced ? "forced a step shut" : said(event);
    case "step_noted": return event.step_id ? "noted" : isPlan ? "noted, on the plan" : "noted, on the task";
    case "task_completed": case "task_reopened": return isPlan ? said(event).replace("task", "plan") : said(event);
    case "section_replaced": return event.selector ? `rewrote the ${event.selector}` : said(event);
    case "todo_written": return written(event);
    case "operation_undone": case "operation_redone": return `${event.type === "operation_undone" ? "undid" : "redid"} ${event.tool}`;
    default: return event.fields?.length ? `${said(event)}: ${list([...event.fields])}` : said(event);
  }
}

// Who is active is told without the items.
function written({ items }) {
  if (!items) return "wrote a todo list";
  return items.length ? `wrote a todo list of ${items.length}` : "emptied a todo list";
}

function verified(marks) {
  const names = (wanted) => Object.keys(marks).filter((name) => Boolean(marks[name]?.confirmed) === wanted);
  const [yes, no] = [names(true), names(false)];
  const parts = [yes.length && `confirmed ${list(yes)}`, no.length && `withdrew ${list(no)}`].filter(Boolean);
  return parts.join(", ") || "confirmed";
}

/** The first line of what was written with it; empty if nothing was. */
export function firstLine(event) {
  const found = quoted(event) ?? "";
  return String(found).trim().split("\n", 1)[0];
}

function quoted(event) {
  switch (event.type) {
    case "step_noted": return event.note;
    case "evidence_captured": return captured(event);
    case "step_verified": return Object.values(event.checkpoints ?? {}).find((one) => one?.note)?.note;
    case "todo_written": return event.items?.[0];
    case "mind_cleared": return event.reminder_content;
    case "digest_set": return event.summary;
    default: return event.reason;
  }
}

function captured({ items = [], checks = [], attachments = [] }) {
  const all = [...items, ...checks, ...attachments];
  const first = (all[0] ?? "").replace(/^cmd_output: /, "$ ");
  return all.length > 1 ? `${first} (and ${all.length - 1} more)` : first;
}

/** What it was done to: what it is called, its id, and where that is. */
export function subject(app, event) {
  if (event.focus) return about(app, event.focus);
  const { task, plan, path, taskdoc, selector, session, title } = event;
  const link = (...parts) => app.link(...parts.filter(Boolean));
  if (/^(task|plan)_deleted$/.test(event.type)) return { name: title, id: task ?? plan, href: "" }; // there is nothing to go to
  const isThere = !event.type.endsWith("_deleted");
  if (task) return { name: title, id: [task, path].filter(Boolean).join(" "), href: link("task", task, isThere && path) };
  if (plan) return { name: title, id: plan, href: link("task", plan) };
  if (taskdoc) return { name: taskdoc, id: "", href: link("taskdoc", taskdoc, selector) };
  if (session) return { name: "", id: session, href: link("todos", session) };
  return { name: "", id: "", href: "" };
}

function about(app, id) {
  const known = [...(app.overview?.tasks ?? []), ...(app.overview?.plans ?? [])].find((one) => one.id === id);
  return { name: known?.title, id, href: app.link("task", id) };
}

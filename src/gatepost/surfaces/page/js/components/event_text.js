// Events as text: what was done, to what, and the first line of what was written.

import { GLYPHS, many, toolText, who } from "../labels.js";
import { list } from "./next_action.js";
import { confirmed } from "./proof_text.js";

/** @import { EventType, LogEvent } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

/** @type {Record<EventType, string>} */
const SAID = {
  plan_created: "created a plan",
  task_created: "created a task",
  plan_edited: "edited a plan",
  task_edited: "edited a task",
  plan_updated: "updated a plan",
  plan_approved: "approved a plan",
  policy_set: "set the policy",
  contract_updated: "changed the contract",
  steps_added: "added steps",
  step_defined: "defined a step",
  step_noted: "added a note",
  step_verified: "confirmed checkpoints",
  step_done: "closed a step",
  step_reopened: "reopened a step",
  step_blocked: "blocked a step",
  step_unblocked: "unblocked a step",
  step_deleted: "deleted a step",
  step_moved: "moved a step",
  task_moved: "moved a task",
  step_claimed: "claimed a step",
  step_released: "released a step",
  task_patched: "edited a task",
  task_completed: "completed a task",
  task_reopened: "reopened a task",
  task_deleted: "deleted a task",
  plan_deleted: "deleted a plan",
  task_node_added: "added a task node",
  task_node_defined: "defined a task node",
  task_node_deleted: "deleted a task node",
  evidence_captured: "captured evidence",
  focus_set: "set the focus",
  focus_cleared: "cleared the focus",
  operation_undone: "undid a change",
  operation_redone: "redid a change",
  section_replaced: "rewrote a section",
  mind_cleared: "ended a work round",
  todo_written: "wrote a todo list",
  todo_cleared: "cleared a todo list",
  digest_set: "stored a digest",
  taskdoc_created: "created a taskdoc",
  taskdoc_bound: "bound a taskdoc",
  package_restored: "restored a package",
  package_tampered: "restored files that a tool call changed",
  session_opened: "opened a session",
  session_kept: "recorded session events",
  session_closed: "closed a session",
  taskdoc_renamed: "renamed a taskdoc",
  taskdoc_archived: "archived a taskdoc",
  taskdoc_unarchived: "unarchived a taskdoc",
};

/**
 * What an event did, without actor and subject.
 * @param {Pick<LogEvent, "type">} event
 */
export const said = (event) => SAID[/** @type {EventType} */ (event.type)] ?? event.type.replaceAll("_", " ");

/**
 * Kinds of events, for the filter.
 * @type {Record<string, {label: string, has: RegExp}>}
 */
export const KINDS = {
  proof: { label: "Closed and confirmed", has: /^(step_done|step_verified|task_completed|plan_approved)$/ },
  stuck: { label: "Blocked and reopened", has: /(blocked|reopened|undone|redone)$/ },
  notes: { label: "Notes and evidence", has: /^(step_noted|evidence_captured|digest_set)$/ },
  shape: {
    label: "Plans, tasks and steps",
    has: /^(?!taskdoc_).*_(created|edited|updated|added|defined|deleted|patched)$|^focus_|^policy_/,
  },
  minds: { label: "Taskdocs", has: /^(taskdoc_|section_replaced|package_|mind_cleared)/ },
  todos: { label: "Todo lists", has: /^todo_/ },
};

/** @type {Array<[RegExp, string]>} */
const MARKS = [
  [/^step_blocked$/, GLYPHS.blocked],
  [/^(step_done|step_verified|task_completed|step_unblocked|plan_approved)$/, GLYPHS.done],
  [/^step_claimed$/, "◆"],
  [/^step_released$/, "◇"],
  [/^step_noted$/, "✎"],
  [/^evidence_captured$/, "▤"],
  [/^(section_|mind_|taskdoc_)/, "§"],
  [/^todo_/, "☰"],
  [/^focus_/, "◎"],
  [/(created|added)$/, "+"],
  [/deleted$/, "×"],
  [/(undone|reopened)$/, "↶"],
  [/redone$/, "↷"],
];

/**
 * The glyph beside an event.
 * @param {LogEvent} event
 */
export const mark = ({ type }) => MARKS.find(([pattern]) => pattern.test(type))?.[1] ?? "·";

/**
 * What was done, without actor and subject.
 * @param {LogEvent} event
 */
export function done(event) {
  const isPlan = Boolean(event.plan && !event.task);
  switch (event.type) {
    case "steps_added":
      return event.count ? `added ${many(event.count, "step")}` : said(event);
    case "step_verified":
      return verified(event);
    case "step_claimed":
    case "step_released":
      return claimed(event);
    case "step_blocked":
      return event.ask ? "asked a question" : said(event);
    case "step_unblocked":
      return event.answer ? "answered" : said(event);
    case "step_done":
      return event.forced ? "closed a step by force" : said(event);
    case "step_noted":
      return event.step_id ? said(event) : isPlan ? "added a note to the plan" : "added a note to the task";
    case "evidence_captured":
      return event.failed?.length ? `ran checks: ${event.failed.length} failed` : said(event);
    case "policy_set":
      return `${event.loosened?.length ? "loosened" : "set"} the policy: ${list([...(event.fields ?? [])])}`;
    case "task_completed":
    case "task_reopened":
      return isPlan ? said(event).replace("task", "plan") : said(event);
    case "section_replaced":
      return event.selector ? `rewrote the ${event.selector}` : said(event);
    case "todo_written":
      return written(event);
    case "operation_undone":
    case "operation_redone":
      return `${event.type === "operation_undone" ? "undid" : "redid"}: ${toolText(event.tool)}`;
    default:
      return event.fields?.length ? `${said(event)}: ${list([...event.fields])}` : said(event);
  }
}

/** @param {LogEvent} event */
function claimed(event) {
  const what = event.step_id ? "a step" : "the whole task";
  if (event.type === "step_released") return `released ${what}`;
  return event.taken_over ? `took over ${what} from ${who(event.taken_over).name}` : `claimed ${what}`;
}

// The list of actors has no items.
/** @param {LogEvent} event */
function written({ items }) {
  if (!items) return "wrote a todo list";
  return items.length ? `wrote a todo list of ${items.length}` : "emptied a todo list";
}

/**
 * The checkpoints of a verification, by name. Evidence names those that it supports in a list, which says nothing here.
 * @param {LogEvent} event
 * @returns {Record<string, {confirmed?: boolean, note?: string}>}
 */
export const marksOf = ({ checkpoints }) => (Array.isArray(checkpoints) ? {} : { ...checkpoints });

/**
 * What was confirmed and how, signed off and withdrawn.
 * @param {LogEvent} event
 */
export function verified(event) {
  const marks = marksOf(event);
  const signed = event.signed ?? [];
  /** @param {boolean} wanted */
  const names = (wanted) => Object.keys(marks).filter((name) => Boolean(marks[name]?.confirmed) === wanted);
  const yes = names(true).filter((name) => !signed.some((one) => one === name));
  const parts = [
    yes.length && `confirmed ${confirmed(yes, event.provenance ?? {})}`,
    signed.length && `signed off ${list([...signed])}`,
    names(false).length && `withdrew ${list(names(false))}`,
  ];
  return parts.filter(Boolean).join(", ") || SAID.step_verified;
}

/**
 * The first line of what was written with it, or nothing.
 * @param {LogEvent} event
 */
export function firstLine(event) {
  const found = quoted(event) ?? "";
  return String(found).trim().split("\n", 1)[0];
}

/** @param {LogEvent} event */
function quoted(event) {
  switch (event.type) {
    case "step_noted":
    case "plan_approved":
      return event.note;
    case "evidence_captured":
      return captured(event);
    case "step_verified":
      return Object.values(marksOf(event)).find((one) => one?.note)?.note;
    case "todo_written":
      return event.items?.[0];
    case "mind_cleared":
      return event.reminder_content;
    case "digest_set":
      return event.summary;
    default:
      return event.ask ?? event.answer ?? event.reason;
  }
}

/** @param {LogEvent} event */
function captured({ items = [], checks = [], attachments = [] }) {
  const all = [...items, ...checks, ...attachments];
  const first = (all[0] ?? "").replace(/^cmd_output: /, "$ ");
  return all.length > 1 ? `${first} (and ${all.length - 1} more)` : first;
}

/**
 * What it was done to: its name, its id, and its address.
 * @param {App} app
 * @param {LogEvent} event
 * @returns {{name?: string, id?: string, href: string}}
 */
export function subject(app, event) {
  if (event.focus) return about(app, event.focus);
  const { task, plan, path, taskdoc, selector, session, title } = event;
  /** @param {Array<string | false | undefined>} parts */
  const link = (...parts) =>
    app.link(parts[0] || "overview", ...parts.slice(1).filter((part) => typeof part === "string"));
  if (/^(task|plan)_deleted$/.test(event.type)) return { name: title, id: task ?? plan, href: "" }; // nothing to link to
  const isThere = !event.type.endsWith("_deleted");
  if (task)
    return { name: title, id: [task, path].filter(Boolean).join(" "), href: link("task", task, isThere && path) };
  if (plan) return { name: title, id: plan, href: link("task", plan) };
  if (taskdoc) return { name: taskdoc, id: "", href: link("taskdoc", taskdoc, selector) };
  if (session) return { name: "", id: session, href: link("todos", session) };
  return { name: "", id: "", href: "" };
}

/** @param {App} app @param {string} id */
function about(app, id) {
  const known = [...(app.overview?.tasks ?? []), ...(app.overview?.plans ?? [])].find((one) => one.id === id);
  return { name: known?.title, id, href: app.link("task", id) };
}

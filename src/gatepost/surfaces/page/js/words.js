// How things are said: times, events, people.

const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60]];
const spoken = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** "3 minutes ago". */
export function ago(at, now = Date.now()) {
  const seconds = (now - Date.parse(at)) / 1000;
  if (!Number.isFinite(seconds)) return "";
  for (const [unit, size] of UNITS) if (seconds >= size) return spoken.format(-Math.floor(seconds / size), unit);
  return seconds < 5 ? "just now" : `${Math.floor(seconds)} seconds ago`;
}

export const moment = (at) => exact.format(new Date(at));

/** "claude-code" of "agent:claude-code", and what kind of actor it is. */
export function who(actor = "") {
  const [kind, ...rest] = actor.split(":");
  return rest.length ? { kind, name: rest.join(":") } : { kind: "program", name: actor };
}

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

/** Good news, bad news, or neither: for a glyph beside it, never for colour alone. */
export function tone(type) {
  if (/_(done|completed|verified|unblocked)$/.test(type)) return "good";
  if (/_(blocked|deleted|reopened|undone)$/.test(type)) return "bad";
  return "plain";
}

export const GLYPHS = { done: "✓", now: "▶", blocked: "⊘", open: "○", todo: "○", in_progress: "▶", canceled: "–" };

/** "1 step", "2 steps". */
export const many = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

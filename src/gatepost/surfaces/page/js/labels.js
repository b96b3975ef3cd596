// Labels: times, actors, counts and state glyphs.

/** @type {Array<[Intl.RelativeTimeFormatUnit, number]>} */
const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const spoken = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const hour = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const hourOfDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/**
 * "3 minutes ago".
 * @param {string} at
 */
export function ago(at, now = Date.now()) {
  const seconds = (now - Date.parse(at)) / 1000;
  if (!Number.isFinite(seconds)) return "";
  for (const [unit, size] of UNITS) if (seconds >= size) return spoken.format(-Math.floor(seconds / size), unit);
  return seconds < 5 ? "just now" : `${Math.floor(seconds)} seconds ago`;
}

/**
 * "12:04", with the day where that is not today.
 * @param {string} at
 */
export function clock(at, now = new Date()) {
  const day = new Date(at);
  return (day.toDateString() === now.toDateString() ? hour : hourOfDay).format(day);
}

/** @param {string} at */
export const moment = (at) => exact.format(new Date(at));

/**
 * "claude-code" of "agent:claude-code", and what kind of actor it is.
 * @param {string} actor
 */
export function who(actor = "") {
  const [kind, ...rest] = actor.split(":");
  return rest.length ? { kind, name: rest.join(":") } : { kind: "program", name: actor };
}

/** @type {Record<string, string>} */
export const GLYPHS = { done: "✓", now: "▶", blocked: "⊘", open: "○", todo: "○", in_progress: "▶", canceled: "–" };

/**
 * "1 step", "2 steps".
 * @param {number} count
 * @param {string} one
 */
export const many = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

/** @type {Record<string, string>} */
const TOOLS = {
  tasks_done: "close step",
  tasks_define: "edit step",
  tasks_decompose: "add steps",
  tasks_progress: "reopen step",
  tasks_edit: "edit task",
  tasks_plan: "update plan",
  tasks_contract: "change contract",
  change_mind: "rewrite section",
};

/**
 * What people call an operation: "close step" for tasks_close_step.
 * @param {string | undefined} tool
 */
export const toolText = (tool = "") => TOOLS[tool] ?? tool.replace(/^(tasks|workspace)_/, "").replaceAll("_", " ");

/**
 * A sentence of the server, which speaks to agents as well, without the names of tools.
 * @param {string} text
 */
export const plainly = (text) =>
  text
    .replace(/ \((?:tasks|taskdoc|todo)_\w+\)/g, "")
    .replace(
      /`?\b((?:tasks|taskdoc|todo)_[a-z_]+|change_mind|recall_mind)\b`?/g,
      (_all, tool) => `“${toolText(tool)}”`,
    );

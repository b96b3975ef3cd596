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

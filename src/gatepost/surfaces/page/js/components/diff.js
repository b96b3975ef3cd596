// What differs between two texts: by lines, and within lines that correspond by words. Bounded for texts of any length.

import { h } from "../dom.js";
import { many } from "../labels.js";

const MOST_STEPS = 600; // edits looked for between lines; beyond, a stretch counts as replaced
const MOST_WORD_STEPS = 120;
const MOST_WORDS = 600;
const LEAST_ALIKE = 0.35; // lines that share less are shown as other lines, not as the same line changed
const CONTEXT = 3;
const MOST_ROWS = 1_500;

/**
 * The way from one list to another: [{kind: "same" | "gone" | "new", from, to}], where `from` and `to` are places in the lists.
 * The shortest way, unless it takes more than `most` edits: then all between the common beginning and end is gone and new.
 */
export function compare(old, fresh, most = MOST_STEPS) {
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const same = (from, to, count) => Array.from({ length: count }, (_, at) => ({ kind: "same", from: from + at, to: to + at }));
  return [
    ...same(0, 0, head),
    ...between(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail), most)
      .map((edit) => ({ kind: edit.kind, from: edit.from + head, to: edit.to + head })),
    ...same(old.length - tail, fresh.length - tail, tail),
  ];
}

// Myers' greedy way: how far one gets with so many edits on each diagonal, and back along what was remembered.
function between(old, fresh, most) {
  const trail = [];
  const reach = new Map([[1, 0]]);
  const longest = Math.min(old.length + fresh.length, most);
  for (let edits = 0; edits <= longest; edits++) {
    trail.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && reach.get(diagonal - 1) < reach.get(diagonal + 1));
      let x = down ? reach.get(diagonal + 1) : reach.get(diagonal - 1) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return back(trail, old.length, fresh.length);
    }
  }
  return [
    ...old.map((_, from) => ({ kind: "gone", from, to: 0 })),
    ...fresh.map((_, to) => ({ kind: "new", from: old.length, to })),
  ];
}

function back(trail, x, y) {
  const way = [];
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reach = trail[edits];
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && reach.get(diagonal - 1) < reach.get(diagonal + 1));
    const before = down ? diagonal + 1 : diagonal - 1;
    const startX = reach.get(before);
    const startY = startX - before;
    while (x > startX && y > startY && x > 0 && y > 0) way.push({ kind: "same", from: --x, to: --y });
    if (edits === 0) break;
    way.push(down ? { kind: "new", from: x, to: startY } : { kind: "gone", from: startX, to: y });
    x = startX;
    y = startY;
  }
  return way.reverse();
}

/** A text as lines; a last line that does not end is told from one that does. */
export function lines(text) {
  const found = text.split("\n");
  if (found.at(-1) === "") found.pop();
  return found;
}

/** How many lines are new and gone. */
export function tally(old, fresh) {
  const way = compare(lines(old), lines(fresh));
  return { fresh: way.filter((edit) => edit.kind === "new").length, gone: way.filter((edit) => edit.kind === "gone").length };
}

/** The difference between two texts, to be read: lines gone and new with their signs, what stays the same folded. */
export function difference(old, fresh, { label = "Difference", whole = false } = {}) {
  const left = lines(old);
  const right = lines(fresh);
  const way = compare(left, right);
  const changed = way.some((edit) => edit.kind !== "same");
  const rows = changed || whole ? folded(emphasised(way, left, right), whole) : [];
  return h("div", { class: "diff", role: "group", "aria-label": label, tabindex: 0 },
    changed ? null : h("p", { class: "muted" }, old === fresh ? "The two are the same." : "Only the end of the last line differs."),
    rows.slice(0, MOST_ROWS).map((row) => line(row)),
    rows.length > MOST_ROWS ? h("p", { class: "muted" }, `… and ${many(rows.length - MOST_ROWS, "more line")}`) : null,
    changed && old && fresh && old.endsWith("\n") !== fresh.endsWith("\n")
      ? h("p", { class: "muted" }, `The last line ${fresh.endsWith("\n") ? "now" : "no longer"} ends with a line break.`) : null);
}

/** A unified diff as the server gives it. */
export function unified(text, label = "Difference") {
  const rows = lines(text).filter((row) => !row.startsWith("--- ") && !row.startsWith("+++ "));
  const kinds = { "+": "new", "-": "gone", " ": "same", "@": "fold", "\\": "fold" };
  return h("div", { class: "diff", role: "group", "aria-label": label, tabindex: 0 },
    rows.slice(0, MOST_ROWS).map((row) => {
      const kind = kinds[row[0]] ?? "fold";
      return kind === "fold" ? h("p", { class: "fold" }, row) : line({ kind, parts: [{ text: row.slice(1) }] });
    }));
}

function line({ kind, parts, count, rows }) {
  if (kind === "fold") {
    return h("details", { class: "fold" }, h("summary", {}, many(count, "unchanged line")), rows.map((row) => line(row)));
  }
  const tag = { new: "ins", gone: "del", same: "span" }[kind];
  return h("div", { class: ["line", kind] },
    h("span", { class: "sign" }, { new: "+", gone: "−", same: " " }[kind]),
    h(tag, { class: "text" }, parts.map((part) => (part.strong ? h("mark", {}, visible(part.text)) : visible(part.text)))));
}

// A carriage return is invisible, and may be all that differs.
const visible = (text) => text.replaceAll("\r", "␍");

/** Rows with their texts; gone and new lines that correspond have the words marked that differ. */
function emphasised(way, left, right) {
  const rows = way.map((edit) => ({ ...edit, parts: [{ text: edit.kind === "new" ? right[edit.to] : left[edit.from] }] }));
  for (let at = 0; at < rows.length;) {
    if (rows[at].kind === "same") { at++; continue; }
    let end = at;
    while (end < rows.length && rows[end].kind !== "same") end++;
    const block = rows.slice(at, end);
    const gone = block.filter((row) => row.kind === "gone");
    const fresh = block.filter((row) => row.kind === "new");
    for (let pair = 0; pair < Math.min(gone.length, fresh.length); pair++) mark(gone[pair], fresh[pair]);
    rows.splice(at, block.length, ...gone, ...fresh);
    at = end;
  }
  return rows;
}

function mark(gone, fresh) {
  const words = (row) => row.parts[0].text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
  const [old, now] = [words(gone), words(fresh)];
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) return;
  const way = compare(old, now, MOST_WORD_STEPS);
  const kept = way.filter((edit) => edit.kind === "same").reduce((sum, edit) => sum + old[edit.from].length, 0);
  if (kept < LEAST_ALIKE * Math.max(gone.parts[0].text.length, fresh.parts[0].text.length)) return;
  gone.parts = joined(way.filter((edit) => edit.kind !== "new").map((edit) => ({ text: old[edit.from], strong: edit.kind === "gone" })));
  fresh.parts = joined(way.filter((edit) => edit.kind !== "gone").map((edit) => ({ text: now[edit.to], strong: edit.kind === "new" })));
}

function joined(parts) {
  const found = [];
  for (const part of parts) {
    if (found.length && found.at(-1).strong === part.strong) found.at(-1).text += part.text;
    else found.push({ ...part });
  }
  return found;
}

/** Long stretches in which nothing changed become one row that can be opened. */
function folded(rows, whole) {
  if (whole) return rows;
  const found = [];
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (end < rows.length && rows[end].kind === "same") end++;
    if (end === at) { found.push(rows[at++]); continue; }
    const first = at === 0 ? at : Math.min(at + CONTEXT, end);
    const last = end === rows.length ? end : Math.max(end - CONTEXT, first);
    found.push(...rows.slice(at, first));
    if (last - first > 1) found.push({ kind: "fold", count: last - first, rows: rows.slice(first, last) });
    else found.push(...rows.slice(first, last));
    found.push(...rows.slice(last, end));
    at = end;
  }
  return found;
}

/** Both sides' changes to one text together; null where they touch the same lines and differ. */
export function merged(base, theirs, mine) {
  const start = lines(base);
  const [left, right] = [changes(start, lines(theirs)), changes(start, lines(mine))];
  const clash = left.some((one) => right.some((other) => meet(one, other) && !alike(one, other)));
  if (clash) return null;
  const all = [...left, ...right.filter((one) => !left.some((other) => alike(one, other)))].sort((one, other) => other.first - one.first);
  const found = [...start];
  for (const { first, end, texts } of all) found.splice(first, end - first, ...texts);
  const ending = mine.endsWith("\n") === base.endsWith("\n") ? theirs : mine;
  return found.join("\n") + (ending.endsWith("\n") && found.length ? "\n" : "");
}

const meet = (one, other) => one.first <= other.end && other.first <= one.end;
const alike = (one, other) => one.first === other.first && one.end === other.end && one.texts.join("\n") === other.texts.join("\n");

/** Which stretches of a list became what. */
function changes(old, fresh) {
  const found = [];
  let open = null;
  let at = 0; // in the old list
  for (const edit of compare(old, fresh)) {
    if (edit.kind === "same") { open = null; at = edit.from + 1; continue; }
    if (!open) found.push(open = { first: at, end: at, texts: [] });
    if (edit.kind === "gone") open.end = ++at;
    else open.texts.push(fresh[edit.to]);
  }
  return found;
}

// Differences between two texts: by line, and by word within corresponding lines. Bounded for texts of any length.

import { h } from "../dom.js";
import { many } from "../labels.js";

/** @typedef {{kind: "same" | "gone" | "new", from: number, to: number}} Edit */
/** @typedef {{text: string, strong?: boolean}} Part */
/** @typedef {{kind: Edit["kind"] | "fold", from?: number, to?: number, parts: Part[], count?: number, rows?: DiffRow[]}} DiffRow */
/** @typedef {{first: number, end: number, texts: string[]}} Stretch */

const MOST_STEPS = 600; // line edits searched for; beyond, a stretch counts as replaced
const MOST_WORD_STEPS = 120;
const MOST_WORDS = 600;
const LEAST_ALIKE = 0.35; // lines that share less are shown as different lines, not as one changed line
const CONTEXT = 3;
const MOST_ROWS = 1_500;

/**
 * The edits from one list to another, where `from` and `to` are indexes in the lists.
 * The fewest edits, unless there are more than `most`: then everything between the common beginning and end is replaced.
 * @param {string[]} old
 * @param {string[]} fresh
 * @param {number} most
 * @returns {Edit[]}
 */
export function compare(old, fresh, most = MOST_STEPS) {
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  /** @param {number} from @param {number} to @param {number} count @returns {Edit[]} */
  const same = (from, to, count) =>
    Array.from({ length: count }, (_, at) => ({ kind: "same", from: from + at, to: to + at }));
  return [
    ...same(0, 0, head),
    ...between(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail), most).map((edit) => ({
      kind: edit.kind,
      from: edit.from + head,
      to: edit.to + head,
    })),
    ...same(old.length - tail, fresh.length - tail, tail),
  ];
}

// Myers' greedy algorithm: how far each diagonal reaches with a number of edits, then back along the trail.
/** @param {string[]} old @param {string[]} fresh @param {number} most @returns {Edit[]} */
function between(old, fresh, most) {
  /** @type {Array<Map<number, number>>} */
  const trail = [];
  const reach = new Map([[1, 0]]);
  const longest = Math.min(old.length + fresh.length, most);
  for (let edits = 0; edits <= longest; edits++) {
    trail.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = isDown(reach, diagonal, edits);
      let x = down ? reached(reach, diagonal + 1) : reached(reach, diagonal - 1) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return back(trail, old.length, fresh.length);
    }
  }
  return [
    ...old.map((_, from) => /** @type {Edit} */ ({ kind: "gone", from, to: 0 })),
    ...fresh.map((_, to) => /** @type {Edit} */ ({ kind: "new", from: old.length, to })),
  ];
}

/** @param {Map<number, number>} reach @param {number} diagonal */
const reached = (reach, diagonal) => reach.get(diagonal) ?? 0;

/** @param {Map<number, number>} reach @param {number} diagonal @param {number} edits */
const isDown = (reach, diagonal, edits) =>
  diagonal === -edits || (diagonal !== edits && reached(reach, diagonal - 1) < reached(reach, diagonal + 1));

/** @param {Array<Map<number, number>>} trail @param {number} x @param {number} y */
function back(trail, x, y) {
  /** @type {Edit[]} */
  const way = [];
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reach = trail[edits];
    const diagonal = x - y;
    const down = isDown(reach, diagonal, edits);
    const before = down ? diagonal + 1 : diagonal - 1;
    const startX = reached(reach, before);
    const startY = startX - before;
    while (x > startX && y > startY && x > 0 && y > 0) way.push({ kind: "same", from: --x, to: --y });
    if (edits === 0) break;
    way.push(down ? { kind: "new", from: x, to: startY } : { kind: "gone", from: startX, to: y });
    x = startX;
    y = startY;
  }
  return way.reverse();
}

/**
 * The lines of a text.
 * @param {string} text
 */
export function lines(text) {
  const found = text.split("\n");
  if (found.at(-1) === "") found.pop();
  return found;
}

/**
 * How many lines were added and removed.
 * @param {string} old
 * @param {string} fresh
 */
export function tally(old, fresh) {
  const way = compare(lines(old), lines(fresh));
  return {
    fresh: way.filter((edit) => edit.kind === "new").length,
    gone: way.filter((edit) => edit.kind === "gone").length,
  };
}

/**
 * The difference between two texts: removed and added lines with signs, unchanged lines folded.
 * @param {string} old
 * @param {string} fresh
 * @param {{label?: string, whole?: boolean}} options
 */
export function difference(old, fresh, { label = "Difference", whole = false } = {}) {
  const left = lines(old);
  const right = lines(fresh);
  const way = compare(left, right);
  const changed = way.some((edit) => edit.kind !== "same");
  const rows = changed || whole ? folded(emphasised(way, left, right), whole) : [];
  return h(
    "div",
    { class: "diff", role: "group", "aria-label": label, tabindex: 0 },
    changed
      ? null
      : h("p", { class: "muted" }, old === fresh ? "No differences." : "Only the end of the last line differs."),
    rows.slice(0, MOST_ROWS).map((row) => line(row)),
    rows.length > MOST_ROWS ? h("p", { class: "muted" }, `… and ${many(rows.length - MOST_ROWS, "more line")}`) : null,
    changed && old && fresh && old.endsWith("\n") !== fresh.endsWith("\n")
      ? h(
          "p",
          { class: "muted" },
          `The last line ${fresh.endsWith("\n") ? "now" : "no longer"} ends with a line break.`,
        )
      : null,
  );
}

/**
 * A unified diff from the server.
 * @param {string} text
 * @param {string} label
 */
export function unified(text, label = "Difference") {
  const rows = lines(text).filter((row) => !row.startsWith("--- ") && !row.startsWith("+++ "));
  /** @type {Record<string, Edit["kind"] | "fold">} */
  const kinds = { "+": "new", "-": "gone", " ": "same", "@": "fold", "\\": "fold" };
  return h(
    "div",
    { class: "diff", role: "group", "aria-label": label, tabindex: 0 },
    rows.slice(0, MOST_ROWS).map((row) => {
      const kind = kinds[row[0]] ?? "fold";
      return kind === "fold" ? h("p", { class: "fold" }, row) : line({ kind, parts: [{ text: row.slice(1) }] });
    }),
  );
}

/** @param {DiffRow} row @returns {HTMLElement} */
function line({ kind, parts, count = 0, rows = [] }) {
  if (kind === "fold") {
    return h(
      "details",
      { class: "fold" },
      h("summary", {}, many(count, "unchanged line")),
      rows.map((row) => line(row)),
    );
  }
  const tag = { new: "ins", gone: "del", same: "span" }[kind];
  return h(
    "div",
    { class: ["line", kind] },
    h("span", { class: "sign" }, { new: "+", gone: "−", same: " " }[kind]),
    h(
      tag,
      { class: "text" },
      parts.map((part) => (part.strong ? h("mark", {}, visible(part.text)) : visible(part.text))),
    ),
  );
}

// A carriage return is invisible, and may be the only difference.
/** @param {string} text */
const visible = (text) => text.replaceAll("\r", "␍");

/**
 * Rows with their texts. In corresponding removed and added lines, the different words are marked.
 * @param {Edit[]} way
 * @param {string[]} left
 * @param {string[]} right
 */
function emphasised(way, left, right) {
  /** @type {DiffRow[]} */
  const rows = way.map((edit) => ({
    ...edit,
    parts: [{ text: edit.kind === "new" ? right[edit.to] : left[edit.from] }],
  }));
  for (let at = 0; at < rows.length; ) {
    if (rows[at].kind === "same") {
      at++;
      continue;
    }
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

/** @param {DiffRow} gone @param {DiffRow} fresh */
function mark(gone, fresh) {
  /** @param {DiffRow} row */
  const words = (row) => row.parts[0].text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
  const [old, now] = [words(gone), words(fresh)];
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) return;
  const way = compare(old, now, MOST_WORD_STEPS);
  const kept = way.filter((edit) => edit.kind === "same").reduce((sum, edit) => sum + old[edit.from].length, 0);
  if (kept < LEAST_ALIKE * Math.max(gone.parts[0].text.length, fresh.parts[0].text.length)) return;
  gone.parts = joined(
    way.filter((edit) => edit.kind !== "new").map((edit) => ({ text: old[edit.from], strong: edit.kind === "gone" })),
  );
  fresh.parts = joined(
    way.filter((edit) => edit.kind !== "gone").map((edit) => ({ text: now[edit.to], strong: edit.kind === "new" })),
  );
}

/** @param {Part[]} parts */
function joined(parts) {
  /** @type {Part[]} */
  const found = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last && last.strong === part.strong) last.text += part.text;
    else found.push({ ...part });
  }
  return found;
}

/**
 * Long unchanged stretches become one row that can be opened.
 * @param {DiffRow[]} rows
 * @param {boolean} whole
 */
function folded(rows, whole) {
  if (whole) return rows;
  /** @type {DiffRow[]} */
  const found = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && rows[end].kind === "same") end++;
    if (end === at) {
      found.push(rows[at++]);
      continue;
    }
    const first = at === 0 ? at : Math.min(at + CONTEXT, end);
    const last = end === rows.length ? end : Math.max(end - CONTEXT, first);
    found.push(...rows.slice(at, first));
    if (last - first > 1) found.push({ kind: "fold", parts: [], count: last - first, rows: rows.slice(first, last) });
    else found.push(...rows.slice(first, last));
    found.push(...rows.slice(last, end));
    at = end;
  }
  return found;
}

/**
 * Both sides' changes merged; null where they change the same lines differently.
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 */
export function merged(base, theirs, mine) {
  const start = lines(base);
  const [left, right] = [changes(start, lines(theirs)), changes(start, lines(mine))];
  const clash = left.some((one) => right.some((other) => meet(one, other) && !alike(one, other)));
  if (clash) return null;
  const all = [...left, ...right.filter((one) => !left.some((other) => alike(one, other)))].sort(
    (one, other) => other.first - one.first,
  );
  const found = [...start];
  for (const { first, end, texts } of all) found.splice(first, end - first, ...texts);
  const ending = mine.endsWith("\n") === base.endsWith("\n") ? theirs : mine;
  return found.join("\n") + (ending.endsWith("\n") && found.length ? "\n" : "");
}

/** @param {Stretch} one @param {Stretch} other */
const meet = (one, other) => one.first <= other.end && other.first <= one.end;
/** @param {Stretch} one @param {Stretch} other */
const alike = (one, other) =>
  one.first === other.first && one.end === other.end && one.texts.join("\n") === other.texts.join("\n");

/**
 * Which stretches of a list were replaced, and by what.
 * @param {string[]} old
 * @param {string[]} fresh
 */
function changes(old, fresh) {
  /** @type {Stretch[]} */
  const found = [];
  /** @type {Stretch | null} */
  let open = null;
  let at = 0; // in the old list
  for (const edit of compare(old, fresh)) {
    if (edit.kind === "same") {
      open = null;
      at = edit.from + 1;
      continue;
    }
    if (!open) {
      open = { first: at, end: at, texts: [] };
      found.push(open);
    }
    if (edit.kind === "gone") open.end = ++at;
    else open.texts.push(fresh[edit.to]);
  }
  return found;
}

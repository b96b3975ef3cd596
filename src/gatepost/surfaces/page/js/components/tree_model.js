// The step tree as far as it was read: windows of children by number, and which branches are open.
// However many steps there are, only what was scrolled past is held.

import { Refusal } from "../api.js";

/** @import { TreeReply, TreeRow } from "../../types/page.d.ts" */
/** @typedef {{branch: Branch, from: number, to: number, start: number}} Segment */
/** @typedef {{late: boolean, answer: Promise<void> | null}} Asked */
/** @typedef {(asked: {path?: string, first: number, limit: number}) => Promise<TreeReply>} Ask */

const WINDOW = 100;
const AT_ONCE = 4;
const MOST_KEPT = 150;
const PAUSE = 1_500;

/** The children of one step, or of the task, whose path is "". */
class Branch {
  /**
   * How many numbers were given to children; null before the first answer.
   * @type {number | null}
   */
  children = null;
  /** @type {Map<number, {rows: TreeRow[], numbers: number[], fresh: boolean}>} */
  windows = new Map();
  /** @type {Map<string, Branch>} */
  open = new Map();
  /** @type {Map<number, number>} */
  #holes = new Map();
  level = 1;

  /** @param {string} path @param {Branch | null} over @param {number} at */
  constructor(path, over, at) {
    this.path = path;
    this.over = over;
    this.at = at;
    if (over) this.level = over.level + 1;
  }

  /** How many rows it has of its own: exact where it was read, an upper bound elsewhere. */
  get length() {
    if (this.children === null) return 1;
    let gone = 0;
    for (const count of this.#holes.values()) gone += count;
    return this.children - gone;
  }

  /**
   * The row position of a child number.
   * @param {number} at
   */
  position(at) {
    const mine = Math.floor(at / WINDOW);
    let gone = 0;
    for (const [window, count] of this.#holes) if (window < mine) gone += count;
    if (!this.#holes.has(mine)) return at - gone;
    const before = this.windows.get(mine)?.numbers.filter((number) => number < at).length ?? 0;
    return mine * WINDOW - gone + before;
  }

  /**
   * The window of a row, and the index in that window.
   * @param {number} position
   * @returns {[number, number]}
   */
  find(position) {
    if (!this.#holes.size) return [Math.floor(position / WINDOW), position % WINDOW];
    let left = position;
    for (let window = 0; ; window++) {
      const count = WINDOW - (this.#holes.get(window) ?? 0);
      if (left < count || window * WINDOW > (this.children ?? 0)) return [window, left];
      left -= count;
    }
  }

  /** @param {number} position */
  row(position) {
    const [window, at] = this.find(position);
    return this.windows.get(window)?.rows?.[at] ?? null;
  }

  /** @param {number} window @param {number} children @param {TreeRow[]} rows */
  keep(window, children, rows) {
    this.children = children;
    const first = window * WINDOW;
    const mine = rows.filter((row) => (row.at ?? 0) < first + WINDOW);
    const span = Math.max(0, Math.min(WINDOW, children - first));
    if (span > mine.length) this.#holes.set(window, span - mine.length);
    else this.#holes.delete(window);
    this.windows.set(window, { rows: mine, numbers: mine.map((row) => row.at ?? 0), fresh: true });
    for (const known of [...this.windows.keys()]) if (known * WINDOW >= children && known) this.forget(known);
    this.#mend(first, mine);
  }

  /** @param {number} window */
  forget(window) {
    this.windows.delete(window);
    this.#holes.delete(window);
  }

  // Open branches stay with their steps; those whose steps are gone are dropped.
  /** @param {number} first @param {TreeRow[]} rows */
  #mend(first, rows) {
    const seen = new Map(rows.map((row) => [row.path, row]));
    for (const [path, branch] of this.open) {
      const row = seen.get(path);
      if (row) branch.at = row.at ?? branch.at;
      if (row ? !row.children : branch.at >= first && branch.at < first + WINDOW) this.open.delete(path);
    }
  }
}

export class TreeModel {
  root = new Branch("", null, 0);
  /** @type {TreeReply["now"]} */
  now = null;
  /** @type {TreeReply["target"]} */
  target = null;
  /** @type {unknown} */
  error = null;
  changed = () => {};
  /** @type {Ask} */
  #ask;
  /** @type {Segment[] | null} */
  #segments = null;
  /** @type {Map<string, Asked>} */
  #asking = new Map();
  /** @type {ReturnType<typeof setTimeout> | null} */
  #resting = null;
  #ended = false;

  /**
   * `ask({path, first, limit})` reads a window of children.
   * @param {Ask} ask
   */
  constructor(ask) {
    this.#ask = ask;
  }

  get size() {
    const last = this.#layout().at(-1);
    return last ? last.start + last.to - last.from + 1 : 0;
  }

  get known() {
    return this.root.children !== null;
  }

  end() {
    this.#ended = true;
  }

  /**
   * The row at an index: its branch, its position there, and its data (null until it was read).
   * @param {number} index
   */
  at(index) {
    const all = this.#layout();
    let low = 0;
    let high = all.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (all[middle].start <= index) low = middle;
      else high = middle - 1;
    }
    const { branch, from, start } = all[low];
    const position = from + index - start;
    return { branch, position, row: branch.row(position) };
  }

  /**
   * The index of a visible step; -1 if its branch is closed or unknown.
   * @param {string} path
   */
  index(path) {
    const branch = this.branch(above(path));
    const at = branch && numberOf(branch, path);
    if (at === null || branch === null) return -1;
    const position = branch.position(at);
    const segment = this.#layout().find((one) => one.branch === branch && one.from <= position && position <= one.to);
    return segment ? segment.start + position - segment.from : -1;
  }

  /**
   * The open branch of a path, or null.
   * @param {string} path
   * @returns {Branch | null}
   */
  branch(path) {
    /** @type {Branch | undefined} */
    let branch = this.root;
    for (const step of ways(path)) {
      branch = branch.open.get(step);
      if (!branch) return null;
    }
    return branch;
  }

  /** @param {string} path */
  isOpen(path) {
    return this.branch(path) !== null;
  }

  /** @param {string} path @param {boolean} open */
  toggle(path, open = !this.isOpen(path)) {
    const branch = this.branch(above(path));
    const at = branch && numberOf(branch, path);
    if (!branch || at === null || open === branch.open.has(path)) return;
    if (open) branch.open.set(path, new Branch(path, branch, at));
    else branch.open.delete(path);
    this.#moved();
  }

  /**
   * Open all ancestors of a step. Resolves when its row is known, or cannot be.
   * @param {string} path
   */
  async reveal(path) {
    for (const step of ways(path)) {
      const branch = this.branch(above(step));
      const at = branch && (await this.#number(branch, step));
      if (!branch || at === null || this.#ended) return;
      if (step !== path && !branch.open.has(step)) branch.open.set(step, new Branch(step, branch, at));
      this.#segments = null;
    }
    const over = this.branch(above(path));
    const at = over && numberOf(over, path);
    if (over && at !== null) await this.#window(over, Math.floor(at / WINDOW));
  }

  /**
   * Make sure that these rows are known and fresh.
   * @param {number} first
   * @param {number} last
   */
  want(first, last) {
    if (this.#resting) return;
    /** @type {Map<string, [Branch, number]>} */
    const needed = new Map();
    for (let index = first; index <= last; index++) {
      const { branch, position } = this.at(index);
      const [window] = branch.find(position);
      needed.set(`${branch.path} ${window}`, [branch, window]);
    }
    for (const [branch, window] of needed.values()) {
      if (this.#asking.size >= AT_ONCE) return; // the next answer triggers the rest
      if (!branch.windows.get(window)?.fresh) this.#window(branch, window).catch(() => {});
    }
    this.#spare(needed);
  }

  /**
   * The row at an index, once it is known.
   * @param {number} index
   */
  async load(index) {
    const { branch, position, row } = this.at(index);
    if (row) return row;
    await this.#window(branch, branch.find(position)[0]);
    return this.at(Math.min(index, this.size - 1)).row;
  }

  /** Something in the task changed. What is shown stays until the new state is there. */
  stale() {
    const all = [this.root];
    for (const branch of all) {
      for (const window of branch.windows.values()) window.fresh = false;
      all.push(...branch.open.values());
    }
    for (const asked of this.#asking.values()) asked.late = true;
    this.changed();
  }

  /** @param {Branch} branch @param {number} window @returns {Promise<void>} */
  #window(branch, window) {
    const name = `${branch.path} ${window}`;
    /** @type {Asked} */
    const asked = this.#asking.get(name) ?? { late: false, answer: null };
    if (!asked.answer) {
      this.#asking.set(name, asked);
      asked.answer = this.#read(branch, window, asked).finally(() => {
        this.#asking.delete(name);
        if (!this.#ended) this.changed();
      });
    }
    return asked.answer;
  }

  /** @param {Branch} branch @param {number} window @param {Asked} asked */
  async #read(branch, window, asked) {
    const where = branch.path ? { path: branch.path } : {};
    let said;
    try {
      said = await this.#ask({ ...where, first: window * WINDOW, limit: WINDOW });
    } catch (error) {
      if (branch === this.root) this.error = error;
      if (error instanceof Refusal && error.code === "UNKNOWN_ID" && branch.over) branch.over.open.delete(branch.path);
      this.#segments = null;
      this.#rest();
      throw error;
    }
    this.error = null;
    this.now = said.now;
    this.target = said.target;
    branch.keep(window, said.children, said.rows);
    const held = branch.windows.get(window);
    if (held) held.fresh = !asked.late;
    if (!said.children && branch.over) branch.over.open.delete(branch.path);
    this.#segments = null;
  }

  // A step's number is in its name; a task node's number only in its row, after all steps.
  /** @param {Branch} branch @param {string} path */
  async #number(branch, path) {
    const known = numberOf(branch, path);
    if (known !== null) return known;
    if (branch.children === null) await this.#window(branch, 0);
    for (let window = Math.floor(((branch.children ?? 0) - 1) / WINDOW); window >= 0; window--) {
      await this.#window(branch, window);
      const found = numberOf(branch, path);
      if (found !== null) return found;
      if (branch.windows.get(window)?.rows.some((row) => row.kind === "step")) return null;
    }
    return null;
  }

  // After a failure, retry after a pause.
  #rest() {
    this.#resting ??= setTimeout(() => {
      this.#resting = null;
      if (!this.#ended) this.changed();
    }, PAUSE);
  }

  #layout() {
    if (!this.#segments) {
      this.#segments = [];
      lay(this.root, 0, this.#segments);
    }
    return this.#segments;
  }

  #moved() {
    this.#segments = null;
    this.changed();
  }

  // Windows far from view are dropped and can be read again. The last one, which gives the length of a branch, stays.
  /** @param {Map<string, unknown>} needed */
  #spare(needed) {
    const all = [this.root];
    let kept = 0;
    for (const branch of all) {
      kept += branch.windows.size;
      all.push(...branch.open.values());
    }
    if (kept <= MOST_KEPT) return;
    for (const branch of all) {
      for (const [window, held] of branch.windows) {
        const full = held.rows.length === WINDOW;
        if (kept > MOST_KEPT / 2 && full && !needed.has(`${branch.path} ${window}`)) {
          branch.forget(window);
          kept--;
        }
      }
    }
  }
}

/** @param {Branch} branch @param {number} start @param {Segment[]} into @returns {number} */
function lay(branch, start, into) {
  const opened = [...branch.open.values()].sort((one, other) => one.at - other.at);
  const length = branch.length;
  let from = 0;
  for (const child of opened) {
    const position = branch.position(child.at);
    if (position < from || position >= length) continue;
    into.push({ branch, from, to: position, start });
    start = lay(child, start + position - from + 1, into);
    from = position + 1;
  }
  if (from < length) into.push({ branch, from, to: length - 1, start });
  return start + length - from;
}

/** @param {Branch} branch @param {string} path */
function numberOf(branch, path) {
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (name.startsWith("s:")) return Number(name.slice(2));
  for (const { rows } of branch.windows.values()) for (const row of rows) if (row.path === path) return row.at ?? null;
  return branch.open.get(path)?.at ?? null;
}

/**
 * The parent's path; "" for the task.
 * @param {string} path
 */
export const above = (path) => path.slice(0, Math.max(0, path.lastIndexOf(".")));

/**
 * The ancestors of "s:0.s:1" and itself: "s:0", "s:0.s:1".
 * @param {string} path
 */
function ways(path) {
  const names = path ? path.split(".") : [];
  return names.map((_, at) => names.slice(0, at + 1).join("."));
}

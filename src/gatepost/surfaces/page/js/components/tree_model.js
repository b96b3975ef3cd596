// The step tree as far as it was looked at: windows of children by their numbers, and which branches are open.
// However many steps there are, this holds only what somebody has scrolled past.

const WINDOW = 100;
const AT_ONCE = 4;
const MOST_KEPT = 150;
const PAUSE = 1_500;

/** The children of one step (or of the task, whose path is ""). */
class Branch {
  /** How many numbers were given to children; not known before the first answer. */
  children = null;
  windows = new Map();
  open = new Map();
  #holes = new Map();

  constructor(path, over, at) {
    this.path = path;
    this.over = over;
    this.at = at;
    this.level = over ? over.level + 1 : 1;
  }

  /** How many rows it has of its own: exact where it was looked at, at the most where not. */
  get length() {
    if (this.children === null) return 1;
    let gone = 0;
    for (const count of this.#holes.values()) gone += count;
    return this.children - gone;
  }

  /** Which of its rows a number is. */
  position(at) {
    const mine = Math.floor(at / WINDOW);
    let gone = 0;
    for (const [window, count] of this.#holes) if (window < mine) gone += count;
    if (!this.#holes.has(mine)) return at - gone;
    const before = this.windows.get(mine)?.numbers.filter((number) => number < at).length ?? 0;
    return mine * WINDOW - gone + before;
  }

  /** The window and the place in it of one of its rows. */
  find(position) {
    if (!this.#holes.size) return [Math.floor(position / WINDOW), position % WINDOW];
    let left = position;
    for (let window = 0; ; window++) {
      const count = WINDOW - (this.#holes.get(window) ?? 0);
      if (left < count || window * WINDOW > this.children) return [window, left];
      left -= count;
    }
  }

  row(position) {
    const [window, at] = this.find(position);
    return this.windows.get(window)?.rows?.[at] ?? null;
  }

  keep(window, children, rows) {
    this.children = children;
    const first = window * WINDOW;
    const mine = rows.filter((row) => row.at < first + WINDOW);
    const span = Math.max(0, Math.min(WINDOW, children - first));
    if (span > mine.length) this.#holes.set(window, span - mine.length);
    else this.#holes.delete(window);
    this.windows.set(window, { rows: mine, numbers: mine.map((row) => row.at), fresh: true });
    for (const known of [...this.windows.keys()]) if (known * WINDOW >= children && known) this.forget(known);
    this.#mend(first, mine);
  }

  forget(window) {
    this.windows.delete(window);
    this.#holes.delete(window);
  }

  // Open branches stay where their steps are; those whose steps are gone, go.
  #mend(first, rows) {
    const seen = new Map(rows.map((row) => [row.path, row]));
    for (const [path, branch] of this.open) {
      const row = seen.get(path);
      if (row) branch.at = row.at;
      if (row ? !row.children : branch.at >= first && branch.at < first + WINDOW) this.open.delete(path);
    }
  }
}

export class TreeModel {
  root = new Branch("", null, 0);
  now = null;
  target = null;
  error = null;
  changed = () => {};
  #ask;
  #segments = null;
  #asking = new Map();
  #resting = null;
  #ended = false;

  /** `ask({path, first, limit})` gives a promise of what tasks_tree answers. */
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

  /** The row of an index: its branch, its position there, and what is known of it (null until that was read). */
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

  /** The index of a step that is in sight; -1 if it stands in a branch that is closed, or is not known. */
  index(path) {
    const branch = this.branch(above(path));
    const at = branch && numberOf(branch, path);
    if (at === null || branch === null) return -1;
    const position = branch.position(at);
    const segment = this.#layout().find((one) => one.branch === branch && one.from <= position && position <= one.to);
    return segment ? segment.start + position - segment.from : -1;
  }

  /** The open branch of a path, or null. */
  branch(path) {
    let branch = this.root;
    for (const step of ways(path)) {
      branch = branch.open.get(step) ?? null;
      if (!branch) return null;
    }
    return branch;
  }

  isOpen(path) {
    return this.branch(path) !== null;
  }

  toggle(path, open = !this.isOpen(path)) {
    const branch = this.branch(above(path));
    const at = branch && numberOf(branch, path);
    if (!branch || at === null || open === branch.open.has(path)) return;
    if (open) branch.open.set(path, new Branch(path, branch, at));
    else branch.open.delete(path);
    this.#moved();
  }

  /** Open everything above a step, so that it is in sight. Settles when its own row is known (or cannot be). */
  async reveal(path) {
    for (const step of ways(path)) {
      const branch = this.branch(above(step));
      const at = branch && await this.#number(branch, step);
      if (at === null || this.#ended) return;
      if (step !== path && !branch.open.has(step)) branch.open.set(step, new Branch(step, branch, at));
      this.#segments = null;
    }
    const over = this.branch(above(path));
    if (over) await this.#window(over, Math.floor(numberOf(over, path) / WINDOW));
  }

  /** See that these rows are known, and fresh. */
  want(first, last) {
    if (this.#resting) return;
    const needed = new Map();
    for (let index = first; index <= last; index++) {
      const { branch, position } = this.at(index);
      const [window] = branch.find(position);
      needed.set(`${branch.path} ${window}`, [branch, window]);
    }
    for (const [branch, window] of needed.values()) {
      if (this.#asking.size >= AT_ONCE) return; // the answer that comes next makes it be asked for again
      if (!branch.windows.get(window)?.fresh) this.#window(branch, window).catch(() => {});
    }
    this.#spare(needed);
  }

  /** The row of an index, once it is known. */
  async load(index) {
    const { branch, position, row } = this.at(index);
    if (row) return row;
    await this.#window(branch, branch.find(position)[0]);
    return this.at(Math.min(index, this.size - 1)).row;
  }

  /** Something in the task changed: what is shown stays until the new state is there. */
  stale() {
    const all = [this.root];
    for (const branch of all) {
      for (const window of branch.windows.values()) window.fresh = false;
      all.push(...branch.open.values());
    }
    for (const asked of this.#asking.values()) asked.late = true;
    this.changed();
  }

  #window(branch, window) {
    const name = `${branch.path} ${window}`;
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

  async #read(branch, window, asked) {
    const where = branch.path ? { path: branch.path } : {};
    let said;
    try {
      said = await this.#ask({ ...where, first: window * WINDOW, limit: WINDOW });
    } catch (error) {
      if (branch === this.root) this.error = error;
      if (error.code === "UNKNOWN_ID" && branch.over) branch.over.open.delete(branch.path);
      this.#segments = null;
      this.#rest();
      throw error;
    }
    this.error = null;
    this.now = said.now;
    this.target = said.target;
    branch.keep(window, said.children, said.rows);
    branch.windows.get(window).fresh = !asked.late;
    if (!said.children && branch.over) branch.over.open.delete(branch.path);
    this.#segments = null;
  }

  // A step's number is in its name; a task node's only in its row, which stands after all steps.
  async #number(branch, path) {
    const known = numberOf(branch, path);
    if (known !== null) return known;
    if (branch.children === null) await this.#window(branch, 0);
    for (let window = Math.floor((branch.children - 1) / WINDOW); window >= 0; window--) {
      await this.#window(branch, window);
      const found = numberOf(branch, path);
      if (found !== null) return found;
      if (branch.windows.get(window)?.rows.some((row) => row.kind === "step")) return null;
    }
    return null;
  }

  // After a failure, ask again a little later, not at once and for ever.
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

  // What is far from sight can be read again. The one window that says how long a branch is stays.
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
        if (kept > MOST_KEPT / 2 && full && !needed.has(`${branch.path} ${window}`)) { branch.forget(window); kept--; }
      }
    }
  }
}

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

function numberOf(branch, path) {
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (name.startsWith("s:")) return Number(name.slice(2));
  for (const { rows } of branch.windows.values()) for (const row of rows) if (row.path === path) return row.at;
  return branch.open.get(path)?.at ?? null;
}

/** The path of what a step stands in; "" for the task. */
export const above = (path) => path.slice(0, Math.max(0, path.lastIndexOf(".")));

/** "s:0.s:1" by its beginnings: "s:0", then itself. */
function ways(path) {
  const names = path ? path.split(".") : [];
  return names.map((_, at) => names.slice(0, at + 1).join("."));
}

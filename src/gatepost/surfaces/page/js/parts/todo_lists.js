// Todo lists by scope, kept right from a stream that may repeat itself, skip or break off.

import { listen } from "../sse.js";

/** One scope's list. A delta costs what it changes; what is read of it is made once for each revision. */
class List {
  #shown = null;

  constructor(key) {
    Object.assign(this, { key, label: key, revision: null, items: new Map(), touched: 0 });
  }

  get isTask() { return /^TASK-\d+$/.test(this.key); }

  /** The items by what they are to the reader, each group in the list's order, and how many there are of each. */
  get shown() {
    if (!this.#shown) {
      const found = { in_progress: [], blocked: [], todo: [], done: [], canceled: [] };
      for (const item of this.items.values()) (found[item.status] ?? found.todo).push(item);
      const total = this.items.size - found.canceled.length;
      const done = found.done.length;
      this.#shown = { ...found, counts: { total, done, open: total - done, blocked: found.blocked.length } };
    }
    return this.#shown;
  }

  /** Nothing is left to do, and something was done; or there is nothing at all. */
  get isOver() { return this.shown.counts.open === 0; }

  change(told) {
    this.#make(told);
    this.#shown = null;
    this.revision = told.revision;
    this.label = told.scopeLabel || this.label;
  }

  #patch(one) {
    if (this.items.has(one.id)) this.items.set(one.id, { ...this.items.get(one.id), ...one });
  }

  #make({ op, items, item, patches, ids }) {
    if (op === "replace") this.items = new Map(items.map((one) => [one.id, one]));
    else if (op === "clear") this.items = new Map();
    else if (op === "upsert") this.items.set(item.id, { ...this.items.get(item.id), ...item });
    else if (op === "delete") for (const id of ids) this.items.delete(id);
    else if (op === "patch") for (const one of patches) this.#patch(one);
  }
}

const OPS = new Set(["replace", "clear", "upsert", "delete", "patch"]);
const WHOLE = new Set(["replace", "clear"]);

/** The lists of a workspace. */
export class TodoLists {
  #lists = new Map();

  get(key) { return this.#lists.get(key); }

  get all() { return [...this.#lists.values()]; }

  forget() { this.#lists.clear(); }

  /**
   * Take in an envelope: "taken"; "old" if it is not newer than the list; "gap" if it is a change before which something is
   * missing, which only a snapshot mends; "unknown" if it makes no sense, which uses up no revision.
   */
  apply(told, isLive = false) {
    if (!told || !OPS.has(told.op) || !Number.isInteger(told.revision) || typeof told.scopeKey !== "string") return "unknown";
    const known = this.#lists.get(told.scopeKey);
    const last = known?.revision ?? null;
    if (last !== null && told.revision <= last) return "old";
    if (!WHOLE.has(told.op) && told.revision > (last ?? 0) + 1) return "gap";
    const list = known ?? new List(told.scopeKey);
    list.change(told);
    if (isLive) list.touched = performance.now();
    this.#lists.set(told.scopeKey, list);
    return "taken";
  }
}

/**
 * Follow a workspace's todo lists. Returns a function that ends it.
 *   taken(keys, live)   lists changed; `live` of them by what somebody just did
 *   state(name)         "live" or "lost", or "refused" with the problem
 */
export function followTodos(workspace, lists, { taken, state }) {
  let seen = ""; // up to where the log is known: a reconnect also hears of what ended meanwhile
  return listen({
    state,
    take,
    request: () => ({ address: address(workspace), more: seen ? { "Last-Event-ID": seen } : {} }),
    gone: () => { seen = ""; lists.forget(); taken([], []); },
  });

  /** Whether all could be taken; after a gap one has to connect again, for that begins with snapshots. */
  function take(found) {
    const keys = new Set();
    const live = [];
    let isWhole = true;
    for (const { id, event } of found) {
      const told = event?.payload?.todo;
      const isLive = event?.payload?.tool !== "todo_snapshot";
      const outcome = told ? lists.apply(told, isLive) : "unknown";
      if (outcome === "gap") { isWhole = false; break; }
      if (outcome === "taken") {
        keys.add(told.scopeKey);
        if (isLive) live.push(told.scopeKey);
      }
      seen = id || seen;
    }
    if (keys.size) taken([...keys], live);
    return isWhole;
  }
}

const address = (workspace) => `/v1/todo?workspace=${encodeURIComponent(workspace)}`;

/** One scope's list as it is, for a scope that the stream does not begin with: one that ended long ago. */
export async function snapshot(workspace, scope) {
  const answer = await fetch(`${address(workspace)}&scope=${encodeURIComponent(scope)}&snapshot=1`, { headers: headers() });
  return answer.ok ? (await answer.json()).todos[0] : null;
}

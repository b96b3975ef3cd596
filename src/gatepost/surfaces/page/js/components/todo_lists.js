// Todo lists by scope, kept right from a stream that may repeat itself, skip or break off.

import { headers } from "../api.js";
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

  #upsert({ position, ...item }) {
    const changed = { ...this.items.get(item.id), ...item };
    if (!Number.isInteger(position)) { this.items.set(item.id, changed); return; }
    this.items.delete(item.id);
    const others = [...this.items];
    others.splice(Math.max(position, 0), 0, [item.id, changed]);
    this.items = new Map(others);
  }

  #make({ op, entries }) {
    if (op === "replace") this.items = new Map(entries.map((one) => [one.id, one]));
    else if (op === "clear") this.items = new Map();
    else if (op === "upsert") for (const one of entries) this.#upsert(one);
    else if (op === "delete") for (const id of entries) this.items.delete(id);
    else if (op === "patch") for (const one of entries) this.#patch(one);
  }
}

const isName = (value) => typeof value === "string" && value.trim() !== "";
const isItem = (value) => isName(value?.id);

/** For each op: what it tells, where that is in the envelope, and what of it can be used. */
const OPS = new Map([
  ["replace", { told: ({ items }) => items, isUsable: isItem }],
  ["clear", { told: () => [], isUsable: isItem }],
  ["upsert", { told: ({ item, items, position }) => (item ? [{ position, ...item }] : items), isUsable: isItem }],
  ["delete", { told: ({ ids }) => ids, isUsable: isName }],
  ["patch", { told: ({ patches }) => patches, isUsable: isItem }],
]);
const WHOLE = new Set(["replace", "clear"]);
const KEY = /^[A-Za-z0-9._:-]{1,64}$/;

/** Whether a list may have this key. What every object has by itself is no list's name, nor is `__proto__` and its kin. */
const isKey = (key) => typeof key === "string" && KEY.test(key) && !/^__.*__$/.test(key)
  && !(key in Object.prototype) && key !== "prototype" && key !== "toJSON";

/** What an envelope tells, and how much in it is junk. Nothing, if its op is not known or all that it tells of items is junk. */
function read(told) {
  const { told: said, isUsable } = OPS.get(told?.op) ?? {};
  const all = said?.(told);
  if (!Array.isArray(all)) return null;
  const entries = all.filter(isUsable);
  const junk = all.length - entries.length;
  return junk && !entries.length && !WHOLE.has(told.op) ? null : { entries, junk };
}

/** The lists of a workspace. */
export class TodoLists {
  #lists = new Map();

  get(key) { return this.#lists.get(key); }

  get all() { return [...this.#lists.values()]; }

  forget() { this.#lists.clear(); }

  /** How much was left out: updates that make no sense, and what is junk in updates that were taken without it. */
  ignored = 0;

  /**
   * Take in an envelope: "taken"; "old" if it is not newer than the list; "gap" if it is a change before which something is
   * missing, which only a snapshot mends; "unknown" if it makes no sense or is for a key that no list may have. That uses up no
   * revision, and touches no list.
   */
  apply(told, isLive = false) {
    const { entries, junk } = read(told) ?? {};
    if (!entries || !isKey(told.scopeKey) || !Number.isInteger(told.revision)) {
      this.ignored += 1;
      return "unknown";
    }
    const known = this.#lists.get(told.scopeKey);
    const last = known?.revision ?? null;
    if (last !== null && told.revision <= last) return "old";
    if (!WHOLE.has(told.op) && told.revision > (last ?? 0) + 1) return "gap";
    const list = known ?? new List(told.scopeKey);
    this.ignored += junk;
    list.change({ ...told, entries });
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

// Todo lists by scope, kept correct from a stream that may repeat, skip or break off.

import { headers } from "../api.js";
import { listen } from "../sse.js";

/** @import { Connection, Json, Problem, StreamEvent, TodoItem, TodoUpdate } from "../../types/page.d.ts" */
/** @typedef {{entries: (update: Json) => Json, isUsable: (value: Json) => boolean}} Op */
/** @typedef {Omit<TodoUpdate, "items"> & {entries: Json[]}} Change */
/** @typedef {Record<TodoItem["status"], TodoItem[]> & {counts: {total: number, done: number, open: number, blocked: number}}} Shown */

/** One scope's list. An update costs what it changes; groups and counts are computed once per revision. */
export class List {
  /** @type {Shown | null} */
  #shown = null;
  /** @type {number | null} */
  revision = null;
  /** @type {Map<string, TodoItem>} */
  items = new Map();

  /** @param {string} key */
  constructor(key) {
    this.key = key;
    this.label = key;
    this.touched = 0;
  }

  get isTask() {
    return /^TASK-\d+$/.test(this.key);
  }

  /**
   * The items by status, each group in the order of the list, and how many there are.
   * @returns {Shown}
   */
  get shown() {
    if (!this.#shown) {
      /** @type {Record<TodoItem["status"], TodoItem[]>} */
      const found = { in_progress: [], blocked: [], todo: [], done: [], canceled: [] };
      for (const item of this.items.values()) (found[item.status] ?? found.todo).push(item);
      const total = this.items.size - found.canceled.length;
      const done = found.done.length;
      this.#shown = { ...found, counts: { total, done, open: total - done, blocked: found.blocked.length } };
    }
    return this.#shown;
  }

  /** Whether nothing is left to do. */
  get isOver() {
    return this.shown.counts.open === 0;
  }

  /** @param {Change} update */
  change(update) {
    this.#make(update);
    this.#shown = null;
    this.revision = update.revision;
    this.label = update.scopeLabel || this.label;
  }

  /** @param {TodoItem} one */
  #patch(one) {
    const known = this.items.get(one.id);
    if (known) this.items.set(one.id, { ...known, ...one });
  }

  /** @param {TodoItem & {position?: number}} item */
  #upsert({ position, ...item }) {
    const changed = { ...this.items.get(item.id), ...item };
    if (position === undefined || !Number.isInteger(position)) {
      this.items.set(item.id, changed);
      return;
    }
    this.items.delete(item.id);
    const others = [...this.items];
    others.splice(Math.max(position, 0), 0, [item.id, changed]);
    this.items = new Map(others);
  }

  /** @param {Change} update */
  #make({ op, entries }) {
    if (op === "replace") this.items = new Map(entries.map((one) => [one.id, one]));
    else if (op === "clear") this.items = new Map();
    else if (op === "upsert") for (const one of entries) this.#upsert(one);
    else if (op === "delete") for (const id of entries) this.items.delete(id);
    else if (op === "patch") for (const one of entries) this.#patch(one);
  }
}

/** @param {unknown} value */
const isName = (value) => typeof value === "string" && value.trim() !== "";
/** @param {Json} value */
const isItem = (value) => isName(value?.id);

/**
 * For each op: where its entries are in the update, and which of them are usable.
 * @type {Map<string, {entries: (update: Json) => Json, isUsable: (value: unknown) => boolean}>}
 */
const OPS = new Map(
  /** @type {Array<[string, Op]>} */ ([
    ["replace", { entries: (update) => update.items, isUsable: isItem }],
    ["clear", { entries: () => [], isUsable: isItem }],
    [
      "upsert",
      {
        entries: (update) => (update.item ? [{ position: update.position, ...update.item }] : update.items),
        isUsable: isItem,
      },
    ],
    ["delete", { entries: (update) => update.ids, isUsable: isName }],
    ["patch", { entries: (update) => update.patches, isUsable: isItem }],
  ]),
);
const WHOLE = new Set(["replace", "clear"]);
const KEY = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * Whether a list may have this key. Names that every object has, and `__proto__` and the like, are no keys.
 * @param {unknown} key
 */
const isKey = (key) =>
  typeof key === "string" &&
  KEY.test(key) &&
  !/^__.*__$/.test(key) &&
  !(key in Object.prototype) &&
  key !== "prototype" &&
  key !== "toJSON";

/**
 * The usable entries of an update, and how many are junk. Null if its op is unknown or nothing in it is usable.
 * @param {Json} update
 */
function read(update) {
  const op = OPS.get(update?.op);
  const all = op?.entries(update);
  if (!op || !Array.isArray(all)) return null;
  const entries = all.filter(op.isUsable);
  const junk = all.length - entries.length;
  return junk && !entries.length && !WHOLE.has(update.op) ? null : { entries, junk };
}

/** The lists of a workspace. */
export class TodoLists {
  /** @type {Map<string, List>} */
  #lists = new Map();

  /** @param {string} key */
  get(key) {
    return this.#lists.get(key);
  }

  get all() {
    return [...this.#lists.values()];
  }

  forget() {
    this.#lists.clear();
  }

  /** How much was ignored: invalid updates, and junk entries in valid ones. */
  ignored = 0;

  /**
   * Apply an update: "taken"; "old" if the list is as new; "gap" if an update before it is missing, which only a snapshot
   * repairs; "unknown" if it is invalid, which changes nothing.
   * @param {TodoUpdate} update
   * @param {boolean} isLive
   */
  apply(update, isLive = false) {
    const { entries, junk } = read(update) ?? { entries: null, junk: 0 };
    if (!entries || !isKey(update.scopeKey) || !Number.isInteger(update.revision)) {
      this.ignored += 1;
      return "unknown";
    }
    const known = this.#lists.get(update.scopeKey);
    const last = known?.revision ?? null;
    if (last !== null && update.revision <= last) return "old";
    if (!WHOLE.has(update.op) && update.revision > (last ?? 0) + 1) return "gap";
    const list = known ?? new List(update.scopeKey);
    this.ignored += junk;
    list.change({ ...update, entries });
    if (isLive) list.touched = performance.now();
    this.#lists.set(update.scopeKey, list);
    return "taken";
  }
}

/**
 * Follow a workspace's todo lists. Returns a function that stops it. `taken(keys, live)` is called when lists changed;
 * those in `live` by what somebody just did.
 * @param {string} workspace
 * @param {TodoLists} lists
 * @param {{taken: (keys: string[], live: string[]) => void, state: (name: Connection, problem?: Problem) => void}} handlers
 */
export function followTodos(workspace, lists, { taken, state }) {
  let seen = ""; // the position in the log, so that a reconnect also gets what ended meanwhile
  return listen({
    state,
    take,
    request: () => ({ address: address(workspace), more: seen ? { "Last-Event-ID": seen } : undefined }),
    gone: () => {
      seen = "";
      lists.forget();
      taken([], []);
    },
  });

  /**
   * Whether everything was taken. After a gap it reconnects, because a stream starts with snapshots.
   * @param {Array<{id: string, event: StreamEvent}>} found
   */
  function take(found) {
    const keys = new Set();
    /** @type {string[]} */
    const live = [];
    let isWhole = true;
    for (const { id, event } of found) {
      const update = event?.payload?.todo;
      const isLive = event?.payload?.tool !== "todo_snapshot";
      const outcome = update ? lists.apply(update, isLive) : "unknown";
      if (outcome === "gap") {
        isWhole = false;
        break;
      }
      if (update && outcome === "taken") {
        keys.add(update.scopeKey);
        if (isLive) live.push(update.scopeKey);
      }
      seen = id || seen;
    }
    if (keys.size) taken([...keys], live);
    return isWhole;
  }
}

/** @param {string} workspace */
const address = (workspace) => `/v1/todo?workspace=${encodeURIComponent(workspace)}`;

/**
 * The current list of one scope, for those that the stream does not start with because they ended long ago.
 * @param {string} workspace
 * @param {string} scope
 * @returns {Promise<TodoUpdate | null>}
 */
export async function snapshot(workspace, scope) {
  const answer = await fetch(`${address(workspace)}&scope=${encodeURIComponent(scope)}&snapshot=1`, {
    headers: headers(),
  });
  return answer.ok ? (await answer.json()).todos[0] : null;
}

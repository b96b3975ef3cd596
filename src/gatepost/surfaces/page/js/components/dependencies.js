// What a task waits for and what waits for it, as a small graph from left to right.

import { Refusal } from "../api.js";
import { h } from "../dom.js";
import { GLYPHS, many } from "../labels.js";
import { aside, code, section } from "./elements.js";
import { Query } from "./query.js";
import { isRefused } from "./refusals.js";

/** @import { Target } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

const SHOWN = 6;
const LOOKED_AT = 24;
const BOX = 58; // px, including the gap below; same as in the style sheet
const GAP = 10;

/** Both sides. The server names what a task waits for; what waits for it is found among the open tasks that wait. */
export class Dependencies {
  /** @type {App} */
  #app;
  /** @type {string} */
  #id;
  /** @type {Query<{before: Target[], after: Target[], hidden: number}>} */
  #reading;
  /** @type {Map<string, Target>} */
  #known = new Map();
  /** @type {string[]} */
  #needed = [];

  /** @param {App} app @param {string} id @param {() => void} then */
  constructor(app, id, then) {
    this.#app = app;
    this.#id = id;
    this.#reading = new Query(() => this.#ask(), then);
  }

  /**
   * Read both sides of this task again.
   * @param {Target | undefined} target
   */
  read(target) {
    this.#needed = target?.depends_on ?? [];
    return this.#reading.read();
  }

  end() {
    this.#reading.end();
  }

  async #ask() {
    const { overview } = this.#app;
    const waiting = [...(overview?.tasks ?? []), ...(overview?.plans ?? [])].filter(
      (row) => row.waiting_for && row.id !== this.#id,
    );
    /** @param {string[]} ids */
    const look = (ids) => Promise.all(ids.map((id) => this.#look(id)));
    const waiters = waiting.slice(0, LOOKED_AT).map((row) => row.id);
    const [before, others] = await Promise.all([look(this.#needed.slice(0, SHOWN)), look(waiters)]);
    const after = others.filter((one) => one !== null).filter((one) => one.depends_on?.includes(this.#id));
    const hidden = Math.max(0, this.#needed.length - SHOWN) + Math.max(0, after.length - SHOWN);
    return { before: before.filter((one) => one !== null), after: after.slice(0, SHOWN), hidden };
  }

  // A task that the overview shows is only read again when its revision changed.
  /** @param {string} id @returns {Promise<Target | null>} */
  async #look(id) {
    const row = [...(this.#app.overview?.tasks ?? []), ...(this.#app.overview?.plans ?? [])].find(
      (one) => one.id === id,
    );
    const known = this.#known.get(id);
    if (row && known && known.revision === row.revision && known.status === row.status) return known;
    try {
      const { target } = await this.#app.resume({ task: id, limit: 1 });
      this.#known.set(id, target);
      return target;
    } catch (error) {
      if (!(isRefused(error) && error instanceof Refusal && error.code === "UNKNOWN_ID")) throw error;
      return null;
    }
  }

  /**
   * The graph, or nothing if there are no dependencies.
   * @param {Target} target
   */
  render(target) {
    const found = this.#reading.value;
    if (!found || !(found.before.length || found.after.length)) return null;
    const { before, after, hidden } = found;
    const height = Math.max(before.length, after.length, 1) * BOX - GAP;
    return section(
      "dependencies",
      "Dependencies",
      "card dependencies",
      h(
        "div",
        { class: "graph" },
        side(this.#app, "Waits for", before, "Waits for nothing."),
        edges(before.length, height, "in"),
        h("div", { class: "middle" }, h("div", { class: ["node", "self"] }, inside(target))),
        edges(after.length, height, "out"),
        side(this.#app, "Needed by", after, "No open task waits for it."),
      ),
      hidden ? aside(`and ${hidden} more`) : null,
    );
  }
}

/** @param {App} app @param {string} title @param {Target[]} tasks @param {string} none */
function side(app, title, tasks, none) {
  if (!tasks.length) return h("div", { class: "side none" }, aside(none));
  /** @param {Target} task */
  const node = (task) =>
    h("a", { class: ["node", task.status === "DONE" && "done"], href: app.link("task", task.id) }, inside(task));
  return h(
    "div",
    { class: "side" },
    h("h3", { class: "sr" }, title),
    h(
      "ul",
      {},
      tasks.map((task) => h("li", { key: task.id }, node(task))),
    ),
  );
}

/** @param {Target} task */
function inside(task) {
  const [glyph, word] = {
    DONE: [GLYPHS.done, "done"],
    ACTIVE: [GLYPHS.now, "active"],
    TODO: [GLYPHS.todo, "not started"],
  }[task.status];
  const { total = 0, done = 0 } = task.counts ?? {};
  return [
    h("span", { class: "name" }, task.title),
    h(
      "span",
      { class: "meta" },
      code(task.id),
      h("span", { class: "state" }, h("span", { "aria-hidden": "true" }, glyph), ` ${word}`),
      total ? h("span", { class: "muted" }, `${done}/${many(total, task.kind === "plan" ? "task" : "step")}`) : null,
    ),
  ];
}

// All boxes have the same height, so the number of boxes gives the lines.
/** @param {number} count @param {number} height @param {"in" | "out"} way */
function edges(count, height, way) {
  const middle = height / 2;
  const top = (height - (count * BOX - GAP)) / 2;
  const lines = Array.from({ length: count }, (_, at) => {
    const y = top + at * BOX + (BOX - GAP) / 2;
    const [from, to] = way === "in" ? [y, middle] : [middle, y];
    return h("path", { d: `M0 ${from} C22 ${from} 22 ${to} 40 ${to}`, class: "edge" });
  });
  const heads =
    way === "in" ? (count ? [middle] : []) : Array.from({ length: count }, (_, at) => top + at * BOX + (BOX - GAP) / 2);
  return h(
    "svg",
    { class: "edges", viewBox: `0 0 48 ${height}`, width: 48, height, "aria-hidden": "true" },
    lines,
    heads.map((y) => h("path", { class: "head", d: `M40 ${y - 4} L47 ${y} L40 ${y + 4} Z` })),
  );
}

// All todo lists of a workspace, live: the steps of each task and the list of each session.

import { h, show } from "../dom.js";
import { empty, progress, refusal } from "../components/elements.js";
import { TodoLists, followTodos, snapshot } from "../components/todo_lists.js";
import { todoRows } from "../components/todo_rows.js";
import { many } from "../labels.js";

/** @import { Connection, Problem, TodoItem } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @import { List } from "../components/todo_lists.js" */

const FOLLOW = "gatepost.todos.follow";
const MOST_TABS = 150;
const FILTERED = 12; // with more lists than this, there is a filter
const FEW = 4; // rows of each list where all are shown
const STEADY = 700; // lists that change in turns must not make the page flicker
const ALL = "";

export class TodosView {
  /** @type {App} */
  #app;
  /** @type {HTMLElement} */
  #place;
  #lists = new TodoLists();
  /** @type {(() => void) | null} */
  #end = null;
  #ending = new AbortController();
  /** @type {number | null} */
  #drawing = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #turning;
  /** @type {Map<string, (item: TodoItem) => string>} */
  #links = new Map();
  /** @type {Map<string, TodoItem[]>} */
  #firsts = new Map();
  #filter = "";

  scope = ALL;
  /** @type {Connection} */
  connection = "waiting";
  /** @type {Problem | null} */
  problem = null;
  /** @type {"not yet" | "asked" | "not found"} */
  sought = "not yet"; // a list that the stream did not have: "asked" for, or not found

  /** @param {App} app @param {HTMLElement} place */
  constructor(app, place) {
    this.#app = app;
    this.#place = place;
  }

  open(scope = ALL) {
    const app = this.#app;
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.#ending.signal });
    this.#end = followTodos(app.workspace, this.#lists, {
      taken: (_, live) => {
        this.#soon();
        if (live.length) this.#follow(live.at(-1));
      },
      state: (name, problem) => {
        this.connection = name;
        this.problem = problem ?? null;
        this.#soon();
      },
    });
    this.go(scope);
    if (scope === ALL && this.isFollowing) this.#follow(this.#latest());
  }

  go(scope = ALL) {
    if (scope !== this.scope) window.scrollTo({ top: 0 });
    this.scope = scope;
    this.sought = "not yet";
    this.#draw();
  }

  leave() {
    this.#end?.();
    this.#ending.abort();
    clearTimeout(this.#turning);
    cancelAnimationFrame(this.#drawing ?? 0);
  }

  get isFollowing() {
    return localStorage.getItem(FOLLOW) === "on";
  }

  // Changes that come together are drawn together.
  #soon() {
    this.#drawing ??= requestAnimationFrame(() => {
      this.#drawing = null;
      this.#inPlace(() => this.#draw());
    });
  }

  // The row being read stays in place, whatever changes above it.
  /** @param {() => void} draw */
  #inPlace(draw) {
    const middle = window.scrollY > 0 ? document.elementFromPoint(innerWidth * 0.6, innerHeight * 0.3) : null;
    const line = middle?.closest("gp-todo-rows [data-item]");
    const rows = line?.closest("gp-todo-rows");
    const before = line?.getBoundingClientRect().top ?? 0;
    draw();
    if (line?.isConnected && line.closest("gp-todo-rows") === rows)
      window.scrollBy(0, line.getBoundingClientRect().top - before);
  }

  /** @param {string | null | undefined} key */
  #follow(key) {
    if (!this.isFollowing || !key) return;
    clearTimeout(this.#turning);
    const turn = () => {
      if (this.isFollowing && key !== this.scope) location.replace(this.#app.link("todos", key));
    };
    this.#turning = setTimeout(turn, this.scope === ALL ? 0 : STEADY);
  }

  /** The list that changed last, by the log. */
  #latest() {
    const last = this.#app.overview?.activity.find((event) => event.task || event.session);
    return last?.task ?? last?.session ?? null;
  }

  /** The lists in a stable order: unfinished first, tasks before sessions. */
  get #scopes() {
    /** @param {List} list */
    const rank = (list) => (list.isOver ? 2 : 0) + (list.isTask ? 0 : 1);
    return this.#lists.all
      .filter((list) => list.items.size || list.key === this.scope)
      .sort((one, other) => rank(one) - rank(other) || one.key.localeCompare(other.key, "en", { numeric: true }));
  }

  #draw() {
    if (this.#ending.signal.aborted) return;
    const scopes = this.#scopes;
    const isNone = !scopes.length && this.scope === ALL;
    show(
      this.#place,
      this.#head(scopes),
      this.#trouble(),
      isNone ? this.#none() : h("div", { class: "todos", key: "todos" }, this.#tabs(scopes), this.#panel(scopes)),
    );
    const follow = /** @type {HTMLInputElement | null} */ (this.#place.querySelector("#follow"));
    if (follow) follow.checked = this.isFollowing; // it may have been switched elsewhere
  }

  #trouble() {
    const { message = "Cannot follow the todo lists.", recovery } = this.problem ?? {};
    if (this.problem) return h("div", { class: "problem", key: "problem" }, refusal({ message, recovery }));
    if (this.connection !== "lost") return null;
    return h("p", { class: "banner", role: "status", key: "lost" }, "Connection lost. These lists may be out of date.");
  }

  /** @param {List[]} scopes */
  #panel(scopes) {
    const list = this.scope === ALL ? null : this.#lists.get(this.scope);
    const label = list?.label ?? (this.scope || "All lists");
    return h(
      "section",
      { class: "todo-panel", role: "tabpanel", id: "todo-panel", key: "panel", "aria-label": label },
      this.scope === ALL ? this.#all(scopes) : this.#one(list),
    );
  }

  /** @param {List[]} scopes */
  #head(scopes) {
    const open = scopes.filter((list) => !list.isOver).length;
    const sum = scopes.length
      ? `${many(open, "open list")}, ${scopes.length - open} finished`
      : "The lists of all agents, live.";
    /** @param {Event & {currentTarget: HTMLInputElement}} event */
    const follow = (event) => this.#setFollow(event.currentTarget.checked);
    return h(
      "div",
      { class: "doc-head", key: "head" },
      h("div", {}, h("h1", {}, "Todos"), h("p", { class: "muted" }, sum)),
      h(
        "label",
        { class: "tick", title: "Always show the list that changed last" },
        h("input", { type: "checkbox", id: "follow", on: { change: follow } }),
        "Follow the active list",
      ),
    );
  }

  /** @param {boolean} isOn */
  #setFollow(isOn) {
    localStorage.setItem(FOLLOW, isOn ? "on" : "off");
    const touched = this.#lists.all.filter((list) => list.touched).sort((one, other) => other.touched - one.touched)[0];
    this.#follow(touched?.key ?? this.#latest());
  }

  /** @param {List[]} scopes */
  #tabs(scopes) {
    const found = scopes.filter((list) => `${list.key} ${list.label}`.toLowerCase().includes(this.#filter));
    const tabs = [ALL, ...found.slice(0, MOST_TABS).map((list) => list.key)];
    const more = found.length - MOST_TABS;
    /** @param {Event & {currentTarget: HTMLInputElement}} event */
    const filter = (event) => {
      this.#filter = event.currentTarget.value.trim().toLowerCase();
      this.#draw();
    };
    return h(
      "div",
      { class: "scopes", key: "scopes" },
      scopes.length > FILTERED
        ? h(
            "label",
            { class: "filter" },
            h("span", { class: "sr" }, "Filter lists"),
            h("input", { type: "search", placeholder: "Filter…", on: { input: filter } }),
          )
        : null,
      h(
        "div",
        { role: "tablist", "aria-label": "Lists", "aria-orientation": "vertical" },
        tabs.map((_, at) => this.#tab(tabs, at)),
      ),
      more > 0 ? h("p", { class: "muted" }, `and ${many(more, "more list")}. Use the filter to find one.`) : null,
    );
  }

  /** @param {string[]} tabs @param {number} at */
  #tab(tabs, at) {
    const key = tabs[at];
    const list = key === ALL ? null : this.#lists.get(key);
    const isChosen = key === this.scope;
    const isStop = isChosen || (at === 0 && !tabs.includes(this.scope));
    return h(
      "button",
      {
        type: "button",
        role: "tab",
        key: `tab:${key}`,
        id: `scope-${at}`,
        class: [list?.isOver && "over"],
        "aria-selected": String(isChosen),
        "aria-controls": "todo-panel",
        tabindex: isStop ? 0 : -1,
        data: { scope: key },
        title: at < 10 ? `Key ${at}` : undefined,
        on: { click: () => this.#choose(key), keydown: (event) => this.#turn(event, tabs, at) },
      },
      list ? about(list) : h("span", { class: "name whole" }, "All lists"),
    );
  }

  /** @param {string} key */
  #choose(key) {
    if (key !== this.scope && this.isFollowing) localStorage.setItem(FOLLOW, "off"); // a chosen list must not be replaced by the active one
    location.hash = key === ALL ? this.#app.link("todos") : this.#app.link("todos", key);
  }

  /** @param {KeyboardEvent} event @param {string[]} tabs @param {number} at */
  #turn(event, tabs, at) {
    /** @type {Record<string, number | undefined>} */
    const moves = {
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = (next + tabs.length) % tabs.length;
    this.#tabAt(to)?.focus();
    this.#choose(tabs[to]);
  }

  /**
   * @param {number | string} at
   * @returns {HTMLElement | null}
   */
  #tabAt(at) {
    return this.#place.querySelector(`#scope-${at}`);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
    if (isTyping || !/^[0-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    const tab = this.#tabAt(event.key);
    if (tab) {
      event.preventDefault();
      this.#choose(tab.dataset.scope ?? ALL);
    }
  }

  /** @param {List[]} scopes */
  #all(scopes) {
    return h(
      "div",
      { class: "all", key: "all" },
      scopes.slice(0, MOST_TABS).map((list) => {
        const { in_progress: busy, blocked, todo, counts } = list.shown;
        const first = [...busy, ...blocked, ...todo.slice(0, FEW)].slice(0, FEW);
        const left = counts.open - first.length;
        return h(
          "article",
          { class: ["card scope", list.isOver && "over"], key: list.key },
          h(
            "h2",
            {},
            h("a", { href: this.#app.link("todos", list.key) }, list.label),
            " ",
            h("span", { class: "id" }, kind(list)),
          ),
          sum(list),
          first.length ? todoRows(this.#steady(list.key, first), null, "rows") : null,
          left > 0 ? h("p", { class: "muted" }, `and ${left.toLocaleString("en")} more to do`) : null,
        );
      }),
    );
  }

  // Rows skip drawing while they get the same array.
  /** @param {string} key @param {TodoItem[]} items */
  #steady(key, items) {
    const known = this.#firsts.get(key);
    if (known && known.length === items.length && known.every((item, at) => item === items[at])) return known;
    this.#firsts.set(key, items);
    return items;
  }

  /** @param {List | null | undefined} list */
  #one(list) {
    if (!list) return this.#seek();
    const { in_progress: busy, blocked, todo, done, canceled } = list.shown;
    const href = list.isTask ? this.#href(list.key) : null;
    /** @param {TodoItem[]} items */
    const rows = (items) => todoRows(items, href, "rows");
    /** @param {string} name @param {string} title @param {TodoItem[]} items */
    const group = (name, title, items) =>
      items.length
        ? h(
            "section",
            { class: `group ${name}`, key: name, "aria-label": title },
            h("h3", { class: "label" }, title),
            rows(items),
          )
        : null;
    /** @param {string} name @param {string} title @param {TodoItem[]} items */
    const folded = (name, title, items) =>
      items.length ? h("details", { class: `group ${name}`, key: name }, h("summary", {}, title), rows(items)) : null;
    return h(
      "div",
      { class: "card one", key: list.key },
      h(
        "div",
        { class: "one-head" },
        h("h2", {}, list.label),
        h(
          "span",
          { class: "id" },
          list.isTask ? h("a", { href: this.#app.link("task", list.key) }, `Open ${list.key}`) : "session",
        ),
      ),
      /** @param {List} list */
      sum(list),
      list.items.size ? null : h("p", { class: "nothing" }, "This list is empty."),
      group("busy", "In progress", busy),
      group("stuck", "Blocked", blocked),
      group("open", isPlain(list) ? "Items" : "To do", todo),
      folded("done", `${many(done.length, "item")} done`, done),
      folded("canceled", `${many(canceled.length, "item")} canceled`, canceled),
    );
  }

  // One function per task, so that rows can tell that nothing changed.
  /** @param {string} task */
  #href(task) {
    /** @type {(item: TodoItem) => string} */
    const link = this.#links.get(task) ?? ((item) => this.#app.link("task", task, item.id));
    this.#links.set(task, link);
    return link;
  }

  // The stream does not start with lists that ended long ago: they are read by name.
  #seek() {
    if (this.sought === "not yet" && this.connection === "live") this.#ask(this.scope);
    if (this.sought !== "not found") return h("p", { class: "waiting" }, "Loading…");
    return empty(
      `No list named ${this.scope}`,
      "It appears here as soon as an agent writes one.",
      h("a", { href: this.#app.link("todos") }, "All lists"),
    );
  }

  /** @param {string} scope */
  async #ask(scope) {
    this.sought = "asked";
    const update = await snapshot(this.#app.workspace, scope).catch(() => null);
    if (update?.revision) this.#lists.apply(update);
    if (scope === this.scope) this.sought = "not found";
    this.#soon();
  }

  #none() {
    if (this.connection !== "live") return h("p", { class: "waiting", key: "waiting" }, "Loading…");
    return h(
      "div",
      { key: "none" },
      empty(
        "No todo lists yet",
        "The steps of each task form a list, and agents can write lists of their own. They appear here live.",
      ),
    );
  }
}

/**
 * A session's list without states: its items are counted, without progress.
 * @param {List} list
 */
const isPlain = (list) => !list.isTask && list.shown.todo.length === list.items.size;

/** @param {List} list */
const kind = (list) => (list.isTask ? list.key : "session");

/** @param {List} list */
function about(list) {
  const { counts, in_progress: busy } = list.shown;
  const open = busy.length ? "▶" : counts.blocked ? "⊘" : list.isTask ? "○" : "≡";
  return [
    h("span", { class: ["glyph", busy.length && "busy"], "aria-hidden": "true" }, list.isOver ? "✓" : open),
    h("span", { class: "name" }, list.label),
    h("span", { class: "count" }, isPlain(list) ? many(counts.total, "item") : `${counts.done}/${counts.total}`),
    h("span", { class: "id" }, kind(list)),
  ];
}

/** @param {List} list */
function sum(list) {
  const { counts, canceled } = list.shown;
  if (isPlain(list)) return h("p", { class: "muted", key: "sum" }, many(counts.total, "item"));
  return h(
    "div",
    { class: "sum", key: "sum" },
    progress(counts, `Progress of ${list.label}`),
    canceled.length ? h("span", { class: "muted" }, `${canceled.length} canceled`) : null,
  );
}

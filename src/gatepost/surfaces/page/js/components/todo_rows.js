// The rows of a todo list, possibly very many: those near the viewport are elements, the rest only takes up height.

import { h, show } from "../dom.js";
import { GLYPHS } from "../labels.js";

/** @import { TodoItem } from "../../types/page.d.ts" */
/** @typedef {{items: TodoItem[], href: ((item: TodoItem) => string) | null}} State */

const CHUNK = 60;
const ROW = 33; // pixels of a row, until it was measured
const NEAR = "800px 0px";
/** @type {Record<string, string>} */
const WORDS = { todo: "to do", in_progress: "in progress", blocked: "blocked", done: "done", canceled: "canceled" };

class Rows extends HTMLElement {
  /** @type {State} */
  #state = { items: [], href: null };
  /** @type {Set<Element>} */
  #near = new Set();
  /** @type {number[]} */
  #heights = []; // average row height of measured chunks
  /** @type {IntersectionObserver | null} */
  #watch = null;

  connectedCallback() {
    this.setAttribute("role", "list");
    this.#watch = new IntersectionObserver((seen) => this.#seen(seen), { rootMargin: NEAR });
    this.#draw();
  }

  disconnectedCallback() {
    this.#watch?.disconnect();
    this.#watch = null;
  }

  /** @param {State} state */
  renew(state) {
    if (state.items !== this.#state.items || state.href !== this.#state.href) {
      this.#state = state;
      if (this.#watch) this.#draw();
    }
  }

  #draw() {
    const count = Math.ceil(this.#state.items.length / CHUNK);
    while (this.children.length > count) {
      const last = /** @type {HTMLElement} */ (this.lastElementChild);
      this.#watch?.unobserve(last);
      this.#near.delete(last);
      last.remove();
    }
    while (this.children.length < count) {
      const chunk = this.appendChild(h("div", { role: "presentation", class: "chunk" }));
      const at = this.children.length - 1;
      chunk.dataset.chunk = String(at);
      if (at === 0) this.#near.add(chunk); // the first rows are there at once
      this.#watch?.observe(chunk);
    }
    for (const chunk of this.children) this.#fill(/** @type {HTMLElement} */ (chunk));
  }

  /** @param {IntersectionObserverEntry[]} seen */
  #seen(seen) {
    for (const { target: chunk, isIntersecting } of seen) {
      const target = /** @type {HTMLElement} */ (chunk);
      if (isIntersecting) this.#near.add(target);
      else if (this.#near.delete(target)) this.#measure(target);
      this.#fill(target);
    }
  }

  /** @param {HTMLElement} chunk */
  #measure(chunk) {
    if (chunk.offsetHeight) this.#heights[indexOf(chunk)] = chunk.offsetHeight / chunk.childElementCount;
  }

  /** @param {HTMLElement} chunk */
  #fill(chunk) {
    const { items, href } = this.#state;
    const first = indexOf(chunk) * CHUNK;
    const mine = items.slice(first, first + CHUNK);
    const isNear = this.#near.has(chunk);
    if (!isNear)
      chunk.style.setProperty("height", `${Math.round(mine.length * (this.#heights[indexOf(chunk)] ?? ROW))}px`);
    else chunk.style.removeProperty("height");
    show(chunk, isNear ? mine.map((item, at) => row(item, first + at + 1, items.length, href)) : []);
  }
}

/** @param {HTMLElement} chunk */
const indexOf = (chunk) => Number(chunk.dataset.chunk);

customElements.define("gp-todo-rows", Rows);

/** @param {TodoItem} item @param {number} at @param {number} of @param {State["href"]} href */
function row(item, at, of, href) {
  const isMarked = item.status === "blocked" || item.status === "in_progress";
  const about = { class: ["todo", `todo-${item.status}`], key: item.id, data: { item: item.id } };
  return h(
    "div",
    { ...about, role: "listitem", "aria-posinset": at, "aria-setsize": of },
    h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[item.status] ?? GLYPHS.todo),
    h("span", { class: "sr" }, `${WORDS[item.status] ?? "to do"}: `),
    href ? h("a", { href: href(item), class: "title" }, item.title) : h("span", { class: "title" }, item.title),
    isMarked ? h("span", { class: "chip", "aria-hidden": "true" }, WORDS[item.status]) : null,
  );
}

/**
 * The rows. `items` must be a new array when anything in it changed.
 * @param {TodoItem[]} items
 * @param {State["href"]} href
 * @param {string} key
 */
export const todoRows = (items, href, key) => h("gp-todo-rows", { key, keep: true, state: { items, href } });

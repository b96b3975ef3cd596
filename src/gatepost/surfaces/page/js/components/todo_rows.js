// The lines of a todo list, of which there may be very many: those near the window are in the page, the rest is their height.

import { h, show } from "../dom.js";
import { GLYPHS } from "../labels.js";

const CHUNK = 60;
const ROW = 33; // pixels that a line takes as far as nobody has measured
const NEAR = "800px 0px";
const WORDS = { todo: "to do", in_progress: "in progress", blocked: "blocked", done: "done", canceled: "canceled" };

class Rows extends HTMLElement {
  #state = { items: [], href: null };
  #near = new Set();
  #heights = []; // of a line, on average, in chunks that were measured
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

  renew(state) {
    if (state.items !== this.#state.items || state.href !== this.#state.href) {
      this.#state = state;
      if (this.#watch) this.#draw();
    }
  }

  #draw() {
    const count = Math.ceil(this.#state.items.length / CHUNK);
    while (this.children.length > count) {
      this.#watch.unobserve(this.lastChild);
      this.#near.delete(this.lastChild);
      this.lastChild.remove();
    }
    while (this.children.length < count) {
      const chunk = this.appendChild(h("div", { role: "presentation", class: "chunk" }));
      chunk.__at = this.children.length - 1;
      if (chunk.__at === 0) this.#near.add(chunk); // the first lines are there at once
      this.#watch.observe(chunk);
    }
    for (const chunk of this.children) this.#fill(chunk);
  }

  #seen(seen) {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) this.#near.add(target);
      else if (this.#near.delete(target)) this.#measure(target);
      this.#fill(target);
    }
  }

  #measure(chunk) {
    if (chunk.offsetHeight) this.#heights[chunk.__at] = chunk.offsetHeight / chunk.childElementCount;
  }

  #fill(chunk) {
    const { items, href } = this.#state;
    const first = chunk.__at * CHUNK;
    const mine = items.slice(first, first + CHUNK);
    const isNear = this.#near.has(chunk);
    if (!isNear) chunk.style.setProperty("height", `${Math.round(mine.length * (this.#heights[chunk.__at] ?? ROW))}px`);
    else chunk.style.removeProperty("height");
    show(chunk, isNear ? mine.map((item, at) => row(item, first + at + 1, items.length, href)) : []);
  }
}

customElements.define("gp-todo-rows", Rows);

function row(item, at, of, href) {
  const isMarked = item.status === "blocked" || item.status === "in_progress";
  const about = { class: ["todo", `todo-${item.status}`], key: item.id, data: { item: item.id } };
  return h("div", { ...about, role: "listitem", "aria-posinset": at, "aria-setsize": of },
    h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[item.status] ?? GLYPHS.todo),
    h("span", { class: "sr" }, `${WORDS[item.status] ?? "to do"}: `),
    href ? h("a", { href: href(item), class: "title" }, item.title) : h("span", { class: "title" }, item.title),
    isMarked ? h("span", { class: "chip", "aria-hidden": "true" }, WORDS[item.status]) : null);
}

/** Lines, to be shown. `items` must be another list when something in it is another. */
export const todoRows = (items, href, key) => h("gp-todo-rows", { key, keep: true, state: { items, href } });

// The step tree. Only visible rows are elements, so a hundred thousand steps scroll like ten.

import { h, show } from "../dom.js";
import { GLYPHS, many } from "../labels.js";
import { claimChip, claimWords } from "./claims.js";
import { CHECKPOINTS } from "./elements.js";
import { basis } from "./proof_text.js";
import { shape } from "./proofs.js";
import { TreeModel, above } from "./tree_model.js";

/** @import { Checkpoint, Held, TreeRow } from "../../types/page.d.ts" */

const ROW = 2.4; // rem
/** @type {State} */
const NOTHING = {
  model: new TreeModel(() => Promise.reject(new Error("no task"))),
  selected: null,
  pick: () => {},
  held: () => undefined,
};
const MARGIN = 8; // extra rows above and below

/**
 * `pick(path, again)` is called when a row is opened; `again` if it was open already.
 * `held(step_id)` says who holds a step.
 * @typedef {(step: string) => Held | undefined} HeldBy
 * @typedef {{model: TreeModel, selected: string | null, pick: (path: string, again: boolean) => void, held: HeldBy}} State
 */
export class Tree extends HTMLElement {
  #state = NOTHING;
  #all = h("div", { class: "all", role: "none" });
  /** @type {string | null} */
  #active = null;
  /** @type {number | null} */
  #heading = null;
  /** @type {{path: string, offset: number} | null} */
  #anchor = null;
  #top = 0;
  /** @type {number | null} */
  #frame = null;
  /** @type {ResizeObserver | null} */
  #resized = null;

  constructor() {
    super();
    this.addEventListener(
      "scroll",
      () => {
        this.#remember();
        this.#soon();
      },
      { passive: true },
    );
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("click", (event) => this.#click(event));
  }

  connectedCallback() {
    this.setAttribute("role", "tree");
    this.setAttribute("aria-label", "Steps");
    this.tabIndex = 0;
    if (!this.#all.isConnected) this.append(this.#all);
    this.#resized = new ResizeObserver(() => this.#soon());
    this.#resized.observe(this);
    this.#listen();
  }

  disconnectedCallback() {
    this.#resized?.disconnect();
    cancelAnimationFrame(this.#frame ?? 0);
    this.#frame = null;
  }

  /** @param {State} state */
  renew(state) {
    const other = state.model !== this.#state.model;
    this.#state = state;
    if (other) {
      this.#active = state.selected;
      this.#anchor = null;
    }
    this.#listen();
  }

  // A view creates a new element each time it draws; only the one in the page listens to the model.
  #listen() {
    if (!this.isConnected || this.#state === NOTHING) return;
    this.#state.model.changed = () => this.#soon();
    this.#soon();
  }

  /**
   * Scroll to a step, open its ancestors, and start keyboard navigation from it.
   * @param {string} path
   */
  async reveal(path) {
    const { model } = this.#state;
    await model.reveal(path);
    const index = model.index(path);
    if (model !== this.#state.model || index < 0) return;
    this.#active = path;
    this.#draw();
    this.#scrollTo(index, true);
  }

  get #height() {
    return ROW * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  #soon() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      if (this.isConnected) this.#draw();
    });
  }

  #draw() {
    const { model } = this.#state;
    const size = model.size;
    const height = this.#height;
    this.#all.style.setProperty("height", `${size * height}px`);
    this.style.setProperty("--all", `${size * height}px`);
    this.#hold(height);
    const first = Math.max(0, Math.floor(this.scrollTop / height) - MARGIN);
    const last = Math.min(size - 1, Math.ceil((this.scrollTop + this.clientHeight) / height) + MARGIN);
    if (size) model.want(first, last);
    const rows = [];
    for (let index = first; index <= last; index++) rows.push(this.#row(index, height));
    show(this.#all, rows);
    this.#point();
    this.#remember();
  }

  // The row at the top stays at the top whatever changes above it, unless the reader has just scrolled.
  /** @param {number} height */
  #hold(height) {
    if (Math.abs(this.scrollTop - this.#top) > 1) this.#remember();
    if (!this.#anchor) return;
    const index = this.#state.model.index(this.#anchor.path);
    if (index < 0) return;
    const top = index * height + this.#anchor.offset;
    if (Math.abs(top - this.scrollTop) > 1) this.scroll({ top });
  }

  #remember() {
    const { model } = this.#state;
    if (!model.known || !model.size) return;
    const height = this.#height;
    const index = Math.min(model.size - 1, Math.floor(this.scrollTop / height));
    const { row, branch, position } = model.at(index);
    const path = row?.path ?? `${branch.path ? `${branch.path}.` : ""}s:${position}`;
    this.#top = this.scrollTop;
    this.#anchor = this.#top > 0 ? { path, offset: this.scrollTop - index * height } : null;
  }

  /** @param {number} index @param {number} height */
  #row(index, height) {
    const { model, selected } = this.#state;
    const { branch, position, row } = model.at(index);
    const place = { "--y": `${Math.round(index * height)}px`, "--level": branch.level };
    const where = { "aria-level": branch.level, "aria-setsize": branch.length, "aria-posinset": position + 1 };
    const common = { role: "treeitem", css: place, ...where };
    const unread = {
      key: `${branch.path} ${position}`,
      class: "row unread",
      "aria-busy": "true",
      "aria-label": "Loading…",
    };
    if (!row) return h("div", { ...common, ...unread });
    const open = model.isOpen(row.path);
    const now = model.now?.step_id === row.step_id;
    const held = row.done ? undefined : this.#state.held(row.step_id);
    return h(
      "div",
      {
        ...common,
        key: row.step_id,
        id: name(row.path),
        data: { path: row.path },
        class: [
          "row",
          now && "now",
          row.done && "done",
          row.blocked && "blocked",
          row.path === selected && "selected",
          row.path === this.#active && "active",
        ],
        "aria-expanded": row.children ? String(open) : undefined,
        "aria-selected": String(row.path === selected),
        "aria-label": words(row, now) + (held ? `, ${claimWords(held)}` : ""),
      },
      h("span", { class: ["twisty", row.children ? (open ? "open" : "shut") : "leaf"], "aria-hidden": "true" }),
      glyph(row, now),
      h(
        "span",
        { class: "title", title: row.title },
        row.title,
        row.kind === "task" ? h("span", { class: "chip" }, "task") : null,
      ),
      now ? h("span", { class: "tag" }, "now") : null,
      held ? claimChip(held) : null,
      row.blocked ? h("span", { class: "reason" }, row.blocked === true ? "blocked" : row.blocked) : null,
      bulbs(row),
      h(
        "span",
        { class: "counts" },
        row.counts ? `${row.counts.done.toLocaleString("en")}/${row.counts.total.toLocaleString("en")}` : "",
      ),
    );
  }

  #point() {
    const shown = this.#active && this.#all.querySelector(".row.active");
    if (shown) this.setAttribute("aria-activedescendant", shown.id);
    else this.removeAttribute("aria-activedescendant");
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const path = /** @type {HTMLElement | null} */ (target.closest("[role=treeitem]"))?.dataset.path;
    if (!path) return;
    this.#active = path;
    this.focus({ preventScroll: true });
    if (target.closest(".twisty:not(.leaf)")) this.#state.model.toggle(path);
    else this.#pick(path);
    this.#soon();
  }

  /** @param {string} path */
  #pick(path) {
    this.#state.pick(path, path === this.#state.selected);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { model } = this.#state;
    const here = this.#heading ?? Math.max(0, this.#active ? model.index(this.#active) : 0);
    const page = Math.max(1, Math.floor(this.clientHeight / this.#height) - 1);
    /** @type {Record<string, number>} */
    const moves = {
      ArrowDown: here + 1,
      ArrowUp: here - 1,
      Home: 0,
      End: model.size - 1,
      PageDown: here + page,
      PageUp: here - page,
    };
    if (event.key in moves) this.#go(this.#active || event.key === "End" ? moves[event.key] : 0);
    else if (event.key === "ArrowRight") this.#into(here);
    else if (event.key === "ArrowLeft") this.#out();
    else if ((event.key === "Enter" || event.key === " ") && this.#active) this.#pick(this.#active);
    else return;
    event.preventDefault();
  }

  /** @param {number} here */
  #into(here) {
    const { model } = this.#state;
    const row = this.#active && model.size ? model.at(here).row : null;
    if (!row?.children) return;
    if (model.isOpen(row.path)) this.#go(here + 1);
    else model.toggle(row.path, true);
  }

  #out() {
    const { model } = this.#state;
    if (!this.#active) return;
    if (model.isOpen(this.#active)) model.toggle(this.#active, false);
    else if (above(this.#active)) this.#go(model.index(above(this.#active)));
  }

  // The target of a key may not have been read yet: scroll there at once, and count further keys from there.
  /** @param {number} index */
  async #go(index) {
    const { model } = this.#state;
    const to = Math.min(Math.max(index, 0), model.size - 1);
    if (to < 0) return;
    this.#heading = to;
    this.#scrollTo(to, false);
    const row = await model.load(to).catch(() => null);
    if (this.#heading !== to || model !== this.#state.model) return;
    this.#heading = null;
    if (row) this.#active = row.path;
    this.#scrollTo(Math.max(0, row ? model.index(row.path) : to), false);
    this.#draw();
  }

  /** @param {number} index @param {boolean} centred */
  #scrollTo(index, centred) {
    const height = this.#height;
    const top = index * height;
    if (top >= this.scrollTop && top + height <= this.scrollTop + this.clientHeight) return;
    const nearest = top < this.scrollTop ? top : top + height - this.clientHeight;
    this.scroll({ top: centred ? Math.max(0, top - (this.clientHeight - height) / 2) : nearest });
    this.#remember();
    this.#soon();
  }
}

/** @param {string} path */
const name = (path) => `row-${path}`;

/** @param {TreeRow} row @param {boolean} now */
function glyph(row, now) {
  const state = stateOf(row, now);
  return h("span", { class: ["glyph", `state-${state}`], "aria-hidden": "true" }, GLYPHS[state]);
}

/**
 * The state of a row: done, blocked, now or open.
 * @param {{done: boolean, blocked?: unknown, now?: boolean}} row
 * @param {boolean} [now]
 */
export function stateOf(row, now = row.now) {
  if (row.done) return "done";
  if (row.blocked) return "blocked";
  return now ? "now" : "open";
}

/** @param {TreeRow} row */
function bulbs(row) {
  const counted = CHECKPOINTS.filter((one) => one in row.checkpoints);
  if (!counted.length) return null;
  return h(
    "span",
    {
      class: "bulbs",
      "aria-hidden": "true",
      title: counted.map((one) => `${one}: ${basis(proofOf(row, one))}`).join(", "),
    },
    counted.map((one) => shape(row.provenance?.[one], row.stale?.includes(one))),
  );
}

/** @param {TreeRow} row @param {Checkpoint} name */
function proofOf(row, name) {
  const provenance = row.provenance?.[name];
  return provenance && { provenance, stale: row.stale?.includes(name) };
}

/** @param {TreeRow} row @param {boolean} now */
function words(row, now) {
  const blocked = row.blocked === true ? "blocked" : `blocked: ${row.blocked}`;
  const state = { done: row.forced ? "closed by force" : "done", blocked, now: "now", open: "open" }[stateOf(row, now)];
  const below = row.counts && `${row.counts.done} of ${many(row.counts.total, "step")} below done`;
  const missing = row.unconfirmed ?? [];
  const proven = CHECKPOINTS.filter((one) => row.provenance?.[one]).map((one) => `${one} ${basis(proofOf(row, one))}`);
  const unproven = missing.length ? `${missing.join(" and ")} not confirmed` : "";
  return [row.title, state, below, ...proven, !row.done && unproven].filter(Boolean).join(", ");
}

customElements.define("gp-tree", Tree);

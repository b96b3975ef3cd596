// The command palette: search and commands, as a combobox over a listbox in a dialog.

import { Unreachable } from "../api.js";
import { h, show } from "../dom.js";
import { many } from "../labels.js";
import { asked, atHand, wordsOf } from "./search.js";

/** @import { SearchResult } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

const PAUSE = 120; // between the last letter and asking the server
const LEAP = 6;

/** @type {Palette | null} */
let open = null;

/**
 * Open the palette. If it is open, select its text.
 * @param {App} app
 */
export function openPalette(app) {
  if (!app.workspace) return;
  if (open) open.again();
  else
    open = new Palette(app, () => {
      open = null;
    });
}

class Palette {
  #app;
  #dialog;
  #input;
  #list;
  #status;
  /** @type {SearchResult[]} */
  #found = [];
  #chosen = 0;
  #latest = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pausing;
  #state = "";

  /** @param {App} app @param {() => void} closed */
  constructor(app, closed) {
    this.#app = app;
    this.#input = h("input", {
      type: "text",
      role: "combobox",
      "aria-label": "Search",
      "aria-expanded": "true",
      "aria-controls": "palette-list",
      "aria-autocomplete": "list",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: "Search tasks, plans, ids, taskdocs and commands",
      on: { input: () => this.#typed(), keydown: (event) => this.#key(event) },
    });
    this.#list = h("div", { id: "palette-list", class: "found", role: "listbox", "aria-label": "Results" });
    this.#status = h("p", { class: "status", role: "status" });
    /** @param {string} name */
    const key = (name) => h("kbd", {}, name);
    const hints = h(
      "p",
      { class: "hints", "aria-hidden": "true" },
      key("↑"),
      key("↓"),
      " choose ",
      key("↵"),
      " open ",
      key("esc"),
      " close",
    );
    this.#dialog = h(
      "dialog",
      {
        class: "palette",
        "aria-label": "Search",
        on: {
          close: () => {
            clearTimeout(this.#pausing);
            this.#latest++;
            this.#dialog.remove();
            closed();
          },
          click: (event) => {
            if (event.target === this.#dialog) this.#dialog.close();
          }, // outside of it
        },
      },
      h("div", { class: "frame" }, this.#input, this.#list, h("div", { class: "foot" }, this.#status, hints)),
    );
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    this.#input.focus();
    this.#typed();
  }

  again() {
    this.#input.focus();
    this.#input.select();
  }

  #typed() {
    const text = this.#input.value;
    const mine = ++this.#latest;
    clearTimeout(this.#pausing);
    const near = atHand(this.#app, text);
    const asks = wordsOf(text).length > 0;
    this.#offer(asks ? [...this.#found.filter((one) => one.far), ...near] : near, asks ? "Searching…" : "");
    this.#chosen = 0;
    if (asks) this.#pausing = setTimeout(() => this.#ask(text, mine, near), PAUSE);
    this.#draw();
  }

  /** @param {string} text @param {number} mine @param {SearchResult[]} near */
  async #ask(text, mine, near) {
    /** @type {SearchResult[]} */
    let far = [];
    let trouble = "";
    try {
      const { found, gaveUp } = await asked(this.#app, text);
      far = found.map((one) => ({ ...one, far: true }));
      if (gaveUp) trouble = "No match in recent text. Add another word to search older text.";
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      trouble = error.message;
    }
    if (mine !== this.#latest) return; // a newer request is under way, or the palette was closed
    const before = this.#found[this.#chosen]?.key;
    const moved = this.#chosen > 0;
    this.#offer([...far, ...near], trouble);
    const still = this.#found.findIndex((one) => one.key === before);
    this.#chosen = moved && still >= 0 ? still : 0;
    this.#draw();
  }

  /** @param {SearchResult[]} found @param {string} state */
  #offer(found, state) {
    this.#found = found;
    this.#state = state;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    const [at, last] = [this.#chosen, this.#found.length - 1];
    const to = {
      ArrowDown: at >= last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      PageDown: Math.min(at + LEAP, last),
      PageUp: Math.max(at - LEAP, 0),
    }[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      this.#run(this.#found[this.#chosen]);
    } else if (to !== undefined) {
      event.preventDefault();
      this.#chosen = Math.max(0, to);
      this.#draw();
      this.#list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {SearchResult | undefined} one */
  #run(one) {
    if (!one) return;
    this.#dialog.close(); // first, so that focus returns before the result moves it
    one.run();
  }

  #draw() {
    const words = wordsOf(this.#input.value);
    const chosen = this.#found[this.#chosen];
    if (chosen) this.#input.setAttribute("aria-activedescendant", `palette-${this.#chosen}`);
    else this.#input.removeAttribute("aria-activedescendant");
    show(
      this.#list,
      groupsOf(this.#found).map(([name, members]) =>
        h(
          "div",
          { key: name, role: "group", "aria-label": name },
          h("div", { class: "label", "aria-hidden": "true" }, name),
          members.map(([one, at]) => this.#option(one, at, words)),
        ),
      ),
    );
    this.#status.textContent = this.#state || (this.#found.length ? many(this.#found.length, "result") : "No results");
  }

  /** @param {SearchResult} one @param {number} at @param {string[]} words */
  #option(one, at, words) {
    return h(
      "div",
      {
        key: one.key,
        id: `palette-${at}`,
        role: "option",
        class: "option",
        "aria-selected": String(at === this.#chosen),
        on: {
          click: () => this.#run(one),
          pointermove: () => {
            if (this.#chosen !== at) {
              this.#chosen = at;
              this.#draw();
            }
          },
        },
      },
      h("span", { class: "name" }, marked(one.label, words)),
      one.detail ? h("span", { class: "id" }, one.detail) : null,
    );
  }
}

/** @param {SearchResult[]} found */
function groupsOf(found) {
  /** @type {Map<string, Array<[SearchResult, number]>>} */
  const groups = new Map();
  for (const [at, one] of found.entries()) groups.set(one.group, [...(groups.get(one.group) ?? []), [one, at]]);
  return [...groups];
}

/**
 * A text with the search words marked.
 * @param {string} text
 * @param {string[]} words
 */
function marked(text, words) {
  if (!words.length) return text;
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "iu");
  return text.split(pattern).map((part, at) => (at % 2 ? h("mark", {}, part) : part));
}

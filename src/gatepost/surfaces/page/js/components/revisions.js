// The revisions of a section: what each changed, and restoring one.

import { Refusal, Unreachable } from "../api.js";
import { h } from "../dom.js";
import { many } from "../labels.js";
import { ask } from "./dialog.js";
import { difference } from "./diff.js";
import { TITLES } from "./editor.js";
import { rich } from "./markdown.js";
import { notice } from "./notices.js";
import { isRefused } from "./refusals.js";
import { actor, button, empty, refusal, time, toggle } from "./elements.js";

/** @import { Arguments, Json, Revision, Section, Selector } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @typedef {{revision: number | null, against: "before" | "now", now: number}} Chosen */
/** @typedef {{revision: number, against: "before" | "now", other: number, text: string, beside: string}} Shown */

const WHOLE = 1_000_000;
const PAGE = 30;
/** @type {Record<string, string>} */
const HOW = {
  change_mind: "rewrote it",
  taskdoc_restore: "restored an earlier text",
  taskdoc_adopt: "adopted the text on disk",
  tasks_undo: "undid a change",
  tasks_redo: "redid a change",
  tasks_batch: "rewrote it, in a batch",
};

/** The revisions of one section. `draw()` is called when there is something new to show. */
export class Revisions {
  /** @type {Map<number, Promise<string>>} */
  #texts = new Map();
  /** @type {Chosen | null} */
  #reading = null;
  /** Whether a read is due: nothing was read yet, or the reply was lost. */
  isOwed = true;

  /** @param {App} app @param {string} name @param {Selector} selector @param {() => void} draw */
  constructor(app, name, selector, draw) {
    this.app = app;
    this.name = name;
    this.selector = selector;
    this.draw = draw;
    /** @type {Revision[] | null} */
    this.items = null;
    /** @type {string | null} */
    this.cursor = null;
    /** @type {number | null} */
    this.chosen = null;
    /** @type {"before" | "now"} */
    this.against = "before";
    /** @type {Shown | null} */
    this.shown = null;
    /** @type {Refusal | Unreachable | null} */
    this.problem = null;
  }

  get title() {
    return TITLES[this.selector];
  }

  /** Read the newest revisions; older ones that were asked for stay. */
  async read() {
    this.isOwed = false;
    try {
      await this.#newest();
      await this.#compare();
      if (this.problem instanceof Unreachable) throw this.problem; // it is shown, and the caller retries
    } catch (error) {
      this.isOwed = true;
      throw error;
    }
  }

  async #newest() {
    const reply = await this.#ask("taskdoc_history", { limit: PAGE, max_chars: WHOLE });
    const last = reply.items.at(-1)?.revision ?? 0;
    const older = (this.items ?? []).filter((item) => item.revision < last);
    if (!older.length) this.cursor = reply.cursor ?? null;
    this.items = [...reply.items, ...older];
    if (!this.items.some((item) => item.revision === this.chosen)) this.chosen = this.items[0]?.revision ?? null;
  }

  async more() {
    const asked = {
      taskdoc: this.name,
      selector: this.selector,
      limit: PAGE,
      max_chars: WHOLE,
      cursor: this.cursor ?? undefined,
    };
    const reply = await this.app.change("taskdoc_history", asked);
    if (!reply) return;
    this.items = [...(this.items ?? []), ...reply.items];
    this.cursor = reply.cursor ?? null;
    this.draw();
  }

  /**
   * @template {"taskdoc_history" | "taskdoc_diff" | "taskdoc_restore"} N
   * @param {N} operation
   * @param {Omit<Arguments<N>, "taskdoc" | "selector">} about
   */
  #ask(operation, about) {
    const asked = /** @type {Json} */ ({ taskdoc: this.name, selector: this.selector, ...about });
    return this.app.call(operation, asked);
  }

  /** @param {number} revision @param {"before" | "now"} against */
  choose(revision, against = this.against) {
    this.chosen = revision;
    this.against = against;
    this.draw();
    return this.#compare();
  }

  // Only the latest choice is shown, however late the texts arrive.
  async #compare() {
    /** @type {Chosen} */
    const asked = { revision: this.chosen, against: this.against, now: this.items?.[0]?.revision ?? 0 };
    this.#reading = asked;
    const { revision, against } = asked;
    if (revision === null) {
      this.shown = null;
      this.draw();
      return;
    }
    try {
      const other = against === "now" ? asked.now : revision - 1;
      const [text, beside] = await Promise.all([this.text(revision), this.text(other)]);
      if (this.#reading !== asked) return;
      this.shown = { revision, against, other, text, beside };
      this.problem = null;
    } catch (error) {
      if (this.#reading !== asked) return;
      if (isRefused(error)) this.problem = error;
    }
    this.draw();
  }

  /**
   * A section's text at a revision. It never changes, so it is read once.
   * @param {number} revision
   * @returns {Promise<string>}
   */
  text(revision) {
    const known = this.#texts.get(revision);
    if (known) return known;
    const asked =
      revision <= 0
        ? Promise.resolve("")
        : this.#ask("taskdoc_diff", { from: 0, to: revision, max_chars: WHOLE }).then(({ diff }) => added(diff));
    this.#texts.set(revision, asked);
    asked.catch(() => this.#texts.delete(revision));
    return asked;
  }

  /**
   * Ask before an earlier text is restored. `section` is the current state.
   * @param {number} revision
   * @param {Section} section
   */
  restore(revision, section) {
    const text = this.shown?.revision === revision ? this.shown.text : null;
    if (text === null) return;
    const dialog = ask({
      title: `Restore revision ${revision} of ${this.title} in ${this.name}?`,
      submit: `Restore revision ${revision}`,
      fields: [
        h("p", {}, `Its text replaces revision ${section.revision}, which stays in the history.`),
        section.edited
          ? h(
              "p",
              { class: "banner" },
              "The file was edited outside Gatepost. That text is overwritten, and kept in this history.",
            )
          : null,
        difference(section.content, text, { label: `What would change in ${this.title}` }),
      ],
      send: async () => {
        const reply = await this.#ask("taskdoc_restore", { revision, expected_revision: section.revision });
        notice(
          reply.changed !== false
            ? `${this.title} of ${this.name} is now at revision ${reply.revision}.`
            : "No change: the text is the same.",
        );
      },
    });
    dialog.classList.add("wide");
  }

  /**
   * The history. `section` is the current state.
   * @param {Section} section
   */
  element(section) {
    if (!this.items) return h("p", { class: "waiting", key: "history" }, "Loading…");
    if (!this.items.length) {
      return h(
        "div",
        { key: "history" },
        empty(`${this.title} has no history yet`, "Press Edit to write the first text."),
      );
    }
    return h(
      "div",
      { class: "history", key: "history" },
      h(
        "div",
        { class: "card revisions" },
        h(
          "ol",
          { "aria-label": `Revisions of ${this.title}, newest first` },
          this.items.map((item) => this.#row(item, section)),
        ),
        this.cursor ? button("Older revisions", () => this.more(), { class: "quiet" }) : null,
      ),
      h("div", { class: "card change", "aria-live": "polite" }, this.#change(section)),
    );
  }

  /** @param {Revision} item @param {Section} section */
  #row(item, section) {
    const isNow = item.revision === section.revision;
    const size = item.bytes ? many(item.bytes, "byte") : "empty";
    const about = { class: "revision", "aria-current": item.revision === this.chosen ? "true" : undefined };
    return h(
      "li",
      { key: item.revision },
      button(
        [
          h(
            "span",
            { class: "number" },
            `Revision ${item.revision}`,
            isNow ? h("span", { class: "chip" }, "now") : null,
          ),
          h("span", { class: "muted" }, actor(item.actor), " ", how(item), " · ", time(item.at), ` · ${size}`),
        ],
        () => this.choose(item.revision),
        about,
      ),
    );
  }

  /** @param {Section} section */
  #change(section) {
    if (this.problem) return refusal(this.problem);
    if (!this.shown) return h("p", { class: "waiting" }, "Loading…");
    const { revision, against, text, beside } = this.shown;
    const item = this.items?.find((one) => one.revision === revision);
    return [
      this.#changeHead(section, this.shown),
      against === "now"
        ? difference(text, beside, { label: "What changed" })
        : difference(beside, text, { label: "What changed" }),
      item?.outside === undefined
        ? null
        : h(
            "details",
            { key: "outside" },
            h("summary", {}, "Text edited outside Gatepost, which was overwritten"),
            h("pre", { class: "block", tabindex: 0 }, item.outside),
          ),
      h(
        "details",
        { key: "whole" },
        h("summary", {}, `Full text of revision ${revision}`),
        text ? rich(text) : h("p", {}, "Empty."),
      ),
    ];
  }

  /** @param {Section} section @param {Shown} shown */
  #changeHead(section, { revision, against, other }) {
    const isNow = revision === section.revision;
    const title = other > 0 ? `Changes in revision ${revision}` : `Revision ${revision}, the first`;
    return h(
      "div",
      { class: "change-head" },
      h("h3", {}, against === "now" ? `From revision ${revision} to now` : title),
      h(
        "div",
        { class: "segments", role: "group", "aria-label": "Compare with" },
        toggle("Previous revision", against === "before", () => this.choose(revision, "before")),
        toggle("Current text", against === "now", () => this.choose(revision, "now"), { disabled: isNow }),
      ),
      isNow ? null : button("Restore…", () => this.restore(revision, section)),
    );
  }
}

/** @param {Revision} item */
function how(item) {
  if (item.outside !== undefined) return "overwrote an outside edit";
  if (item.tool === "change_mind" && item.bytes === 0) return "cleared it";
  return HOW[item.tool] ?? "changed it";
}

/**
 * The text that a diff from nothing adds, byte for byte.
 * @param {string} diff
 */
function added(diff) {
  const rows = diff.split("\n");
  const texts = rows
    .slice(3)
    .filter((row) => row.startsWith("+"))
    .map((row) => row.slice(1));
  return texts.join("\n") + (texts.length && !diff.endsWith("\\ No newline at end\n") ? "\n" : "");
}

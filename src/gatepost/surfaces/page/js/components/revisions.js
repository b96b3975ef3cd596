// What a section has been: its revisions, what each changed, and the way back.

import { Unreachable } from "../api.js";
import { h } from "../dom.js";
import { many } from "../labels.js";
import { ask } from "./dialog.js";
import { difference } from "./diff.js";
import { TITLES } from "./editor.js";
import { rich } from "./markdown.js";
import { notice } from "./notices.js";
import { actor, button, empty, refusal, time, toggle } from "./elements.js";

const WHOLE = 1_000_000;
const PAGE = 30;
const HOW = {
  change_mind: "rewrote it", taskdoc_restore: "brought back an earlier text", taskdoc_adopt: "adopted the text on disk",
  tasks_undo: "undid a change", tasks_redo: "redid a change", tasks_batch: "rewrote it, in a batch",
};

/** The revisions of one section. `draw()` is called when there is more to show. */
export class Revisions {
  #texts = new Map();
  #reading = null;
  /** Whether there is something to read: nothing was read yet, or the answer was lost. */
  isOwed = true;

  constructor(app, name, selector, draw) {
    Object.assign(this, { app, name, selector, draw });
    Object.assign(this, { items: null, cursor: null, chosen: null, against: "before", shown: null, problem: null });
  }

  get title() { return TITLES[this.selector]; }

  /** Read the newest revisions; older ones that were asked for stay. */
  async read() {
    this.isOwed = false;
    try {
      await this.#newest();
      await this.#compare();
      if (this.problem instanceof Unreachable) throw this.problem; // it is shown, and whoever wanted this asks again
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
    const asked = { taskdoc: this.name, selector: this.selector, limit: PAGE, max_chars: WHOLE, cursor: this.cursor };
    const reply = await this.app.change("taskdoc_history", asked);
    if (!reply) return;
    this.items = [...this.items, ...reply.items];
    this.cursor = reply.cursor ?? null;
    this.draw();
  }

  #ask(operation, about) {
    return this.app.call(operation, { taskdoc: this.name, selector: this.selector, ...about });
  }

  choose(revision, against = this.against) {
    this.chosen = revision;
    this.against = against;
    this.draw();
    return this.#compare();
  }

  // Only the newest choice is shown, however late the texts come.
  async #compare() {
    const asked = { revision: this.chosen, against: this.against, now: this.items[0]?.revision ?? 0 };
    this.#reading = asked;
    if (asked.revision === null) { this.shown = null; this.draw(); return; }
    try {
      const other = asked.against === "now" ? asked.now : asked.revision - 1;
      const [text, beside] = await Promise.all([this.text(asked.revision), this.text(other)]);
      if (this.#reading !== asked) return;
      this.shown = { ...asked, other, text, beside };
      this.problem = null;
    } catch (error) {
      if (this.#reading !== asked) return;
      this.problem = error;
    }
    this.draw();
  }

  /** A section's text at a revision. It never changes, so it is asked for once. */
  text(revision) {
    if (!this.#texts.has(revision)) {
      const asked = revision <= 0 ? Promise.resolve("")
        : this.#ask("taskdoc_diff", { from: 0, to: revision, max_chars: WHOLE }).then(({ diff }) => added(diff));
      this.#texts.set(revision, asked);
      asked.catch(() => this.#texts.delete(revision));
    }
    return this.#texts.get(revision);
  }

  /** Ask whether an earlier text shall come back; `section` is what the log has now. */
  restore(revision, section) {
    const text = this.shown?.revision === revision ? this.shown.text : null;
    if (text === null) return;
    const dialog = ask({
      title: `Restore ${this.title} of ${this.name} as of revision ${revision}?`,
      submit: `Restore revision ${revision}`,
      fields: [
        h("p", {}, `Its text replaces revision ${section.revision}, which stays in this history like every other.`),
        section.edited ? h("p", { class: "banner" }, "What somebody wrote into its file from outside is written over, and kept here.") : null,
        difference(section.content, text, { label: `What would change in ${this.title}` }),
      ],
      send: async () => {
        const reply = await this.#ask("taskdoc_restore", { revision, expected_revision: section.revision });
        notice(reply.changed ? `${this.title} of ${this.name} is at revision ${reply.revision} now.` : "That is the text it has already.");
      },
    });
    dialog.classList.add("wide");
  }

  /** The history, to be shown; `section` is what the log has now. */
  element(section) {
    if (!this.items) return h("p", { class: "waiting", key: "history" }, "Looking it up…");
    if (!this.items.length) {
      return h("div", { key: "history" }, empty(`${this.title} has no history yet`, "It begins with the first text: button Edit."));
    }
    return h("div", { class: "history", key: "history" },
      h("div", { class: "card revisions" },
        h("ol", { "aria-label": `Revisions of ${this.title}, newest first` }, this.items.map((item) => this.#row(item, section))),
        this.cursor ? button("Older revisions", () => this.more(), { class: "quiet" }) : null),
      h("div", { class: "card change", "aria-live": "polite" }, this.#change(section)));
  }

  #row(item, section) {
    const isNow = item.revision === section.revision;
    const size = item.bytes ? many(item.bytes, "byte") : "empty";
    const about = { class: "revision", "aria-current": item.revision === this.chosen ? "true" : undefined };
    return h("li", { key: item.revision }, button([
      h("span", { class: "number" }, `Revision ${item.revision}`, isNow ? h("span", { class: "chip" }, "now") : null),
      h("span", { class: "muted" }, actor(item.actor), " ", how(item), " · ", time(item.at), ` · ${size}`),
    ], () => this.choose(item.revision), about));
  }

  #change(section) {
    if (this.problem) return refusal(this.problem);
    if (!this.shown) return h("p", { class: "waiting" }, "Looking it up…");
    const { revision, against, text, beside } = this.shown;
    const item = this.items.find((one) => one.revision === revision);
    return [
      this.#changeHead(section),
      against === "now" ? difference(text, beside, { label: "What changed" }) : difference(beside, text, { label: "What changed" }),
      item?.outside === undefined ? null : h("details", { key: "outside" },
        h("summary", {}, "The text from outside that was written over"), h("pre", { class: "block", tabindex: 0 }, item.outside)),
      h("details", { key: "whole" }, h("summary", {}, `All of revision ${revision}`), text ? rich(text) : h("p", {}, "Empty.")),
    ];
  }

  #changeHead(section) {
    const { revision, against, other } = this.shown;
    const isNow = revision === section.revision;
    const title = other > 0 ? `What revision ${revision} changed` : `Revision ${revision}, the first`;
    return h("div", { class: "change-head" },
      h("h3", {}, against === "now" ? `From revision ${revision} to now` : title),
      h("div", { class: "segments", role: "group", "aria-label": "Compare" },
        toggle("With the one before", against === "before", () => this.choose(revision, "before")),
        toggle("With now", against === "now", () => this.choose(revision, "now"), { disabled: isNow })),
      isNow ? null : button("Restore…", () => this.restore(revision, section)));
  }
}

function how(item) {
  if (item.outside !== undefined) return "wrote the log's text over an outside edit";
  if (item.tool === "change_mind" && item.bytes === 0) return "emptied it";
  return HOW[item.tool] ?? "changed it";
}

/** The text that a diff from nothing adds, to the letter. */
function added(diff) {
  const rows = diff.split("\n");
  const texts = rows.slice(3).filter((row) => row.startsWith("+")).map((row) => row.slice(1));
  return texts.join("\n") + (texts.length && !diff.endsWith("\\ No newline at end\n") ? "\n" : "");
}

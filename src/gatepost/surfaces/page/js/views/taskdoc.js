// A taskdoc: goals, constraints and progress, with its editor and history.

import { Refusal, Unreachable } from "../api.js";
import { h, show } from "../dom.js";
import { parts } from "../routes.js";
import { ask } from "../components/dialog.js";
import { Draft } from "../components/drafts.js";
import { Editor, SECTIONS, TITLES } from "../components/editor.js";
import { button } from "../components/elements.js";
import { Revisions } from "../components/revisions.js";
import {
  adoptPackage,
  adoptSection,
  bindTaskdoc,
  clearSection,
  createTaskdoc,
  restorePackage,
  restoreSection,
} from "../components/taskdoc_dialogs.js";
import { listed, missing, none } from "../components/taskdoc_list.js";
import { outside, pack } from "../components/taskdoc_package.js";
import { combined, head, panes, tabs } from "../components/taskdoc_panes.js";

/** @import { Finding, LogEvent, Reply, Revision, Selector, Section, Taskdoc, TaskdocRow } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

const WATCH = 4_000; // edits on disk are no events: the server checks the files when it is asked
const LAYOUT = "gatepost.taskdoc.layout";
const NARROW = "(max-width: 60rem)";

export class TaskdocView {
  /** @type {App} */
  #app;
  /** @type {HTMLElement} */
  #place;
  #screen = matchMedia(NARROW);
  #ending = new AbortController();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #watch;
  /** @type {Promise<void> | null} */
  #reading = null;
  #again = false;
  /** @type {string | null} */
  #seen = null;
  #seeks = false; // the address has no name: it may mean the only taskdoc
  #address = 0; // counts addresses, so that an answer for an older one is ignored
  /** @type {Selector | null} */
  #history = null; // the section whose history the address asks for

  /** @type {TaskdocRow[] | null} */
  items = null; // the list of taskdocs, if it is shown
  /** @type {string | null} */
  name = null;
  /** @type {Selector | "combined"} */
  section = "goals"; // the tab, or "combined"
  /** @type {Taskdoc | null} */
  doc = null;
  /** @type {Refusal | null} */
  problem = null;
  /** @type {Editor | null} */
  editor = null;
  /** @type {Revisions | null} */
  versions = null;
  isSource = false;
  /** @type {Record<Selector, Revision | null> | null} */
  facts = null; // what meta.json says, once it was requested

  /** @param {App} app @param {HTMLElement} place */
  constructor(app, place) {
    this.#app = app;
    this.#place = place;
  }

  /** @param {string[]} rest */
  async open(...rest) {
    const { signal } = this.#ending;
    window.addEventListener(
      "beforeunload",
      (event) => {
        if (this.editor?.isDirty) event.preventDefault();
      },
      { signal },
    );
    document.addEventListener("visibilitychange", () => this.#glance(), { signal });
    this.#screen.addEventListener("change", () => this.draw(), { signal });
    this.#watch = setInterval(() => this.#glance(), WATCH);
    const [name, section, what] = rest;
    await this.go(name, section, what);
  }

  /**
   * @param {string} [name]
   * @param {string} [section]
   * @param {string} [what]
   */
  async go(name, section, what) {
    this.#address += 1;
    this.#seeks = name === undefined; // what is shown stays until it is known whether this is the only taskdoc
    if (name !== undefined && name !== this.name) this.#turn(name);
    if (isSection(section) || section === "combined") this.section = section;
    else if (this.section === "combined") this.section = "goals";
    this.draw(); // what is known need not wait
    this.#history = what === "history" && isSection(section) ? section : null;
    await this.#renew();
  }

  /** @param {LogEvent[]} events @param {boolean} everything */
  changed(events, everything) {
    const names = [this.name, this.called]; // an address stays valid when the taskdoc is renamed
    /** @param {LogEvent} event */
    const isOurs = ({ taskdoc, before }) =>
      this.name === null ? taskdoc !== undefined : names.includes(taskdoc ?? "") || names.includes(before ?? "");
    /** @param {LogEvent} event */
    const touches = (event) => isOurs(event) || /^operation_/.test(event.type); // an undo or redo may be about this taskdoc
    if (everything || events.some(touches)) return this.#renew();
    return undefined;
  }

  overviewed() {
    this.draw();
  }

  leave() {
    this.#ending.abort();
    clearInterval(this.#watch);
    this.editor?.rest();
  }

  get app() {
    return this.#app;
  }

  /** The taskdoc that is open. */
  get opened() {
    if (!this.doc || this.name === null) throw new Error("no taskdoc is open");
    return { app: this.#app, name: this.name, doc: this.doc };
  }

  get called() {
    return this.doc?.name ?? this.name ?? "";
  }
  get isNarrow() {
    return this.#screen.matches;
  }

  /** @returns {"panes" | "tabs" | "combined"} */
  get layout() {
    if (this.section === "combined") return "combined";
    return this.isNarrow || localStorage.getItem(LAYOUT) === "tabs" ? "tabs" : "panes";
  }

  /**
   * Show it as panes, as tabs, or combined.
   * @param {"panes" | "tabs" | "combined"} layout
   */
  show(layout) {
    if (layout !== "combined") localStorage.setItem(LAYOUT, layout);
    if (layout === "combined" || this.section === "combined")
      location.hash = this.link(layout === "combined" ? layout : "goals");
    else this.draw();
  }

  /** @param {string[]} rest */
  link(...rest) {
    return this.#app.link("taskdoc", this.name ?? "", ...rest);
  }

  draw() {
    if (this.#ending.signal.aborted) return;
    show(this.#place, ...this.#content());
  }

  #content() {
    if (this.problem) return missing(this, this.problem);
    if (this.name === null) return this.items?.length ? listed(this) : none(this);
    if (!this.doc) return [h("p", { class: "waiting" }, "Loading…")];
    const frame = [head(this), outside(this)];
    if (this.versions) return [...frame, this.versions.element(this.doc.sections[this.versions.selector])];
    const body = { panes, tabs, combined }[this.layout];
    return [...frame, body(this), pack(this)];
  }

  /** @param {string | null} name */
  #turn(name) {
    this.editor?.rest();
    Object.assign(this, { name, doc: null, editor: null, versions: null, problem: null, facts: null });
    this.draw(); // so that nothing of the previous one can be pressed
  }

  async #renew() {
    await this.#refresh();
    await this.#look();
    this.draw();
  }

  async #look() {
    const selector = this.#history;
    if (selector !== (this.versions?.selector ?? null)) {
      this.versions =
        selector && this.doc && this.name !== null
          ? new Revisions(this.#app, this.name, selector, () => this.draw())
          : null;
      this.draw();
    }
    if (this.versions?.isOwed) await this.versions.read();
  }

  // Check for changes. Nobody waits for it, so a refusal is left to the next read.
  #glance() {
    if (document.hidden || !this.doc) return;
    this.#refresh().catch((error) => {
      if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
    });
  }

  // One read at a time; calls during a read are answered by one more read after it.
  #refresh() {
    if (this.#reading) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = (async () => {
      try {
        do {
          this.#again = false;
          await this.#read();
        } while (this.#again);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status === 401) throw error;
        if (!this.doc) this.problem = error;
        this.draw();
      } finally {
        this.#reading = null;
      }
    })();
    return this.#reading;
  }

  async #read() {
    if (this.#seeks) await this.#seek();
    const { name } = this;
    if (name === null || this.#ending.signal.aborted) return;
    const whole = await this.#app.call("recall_mind", { taskdoc: name });
    if (this.#ending.signal.aborted) return; // the workspace may have changed
    /** @type {Partial<Record<Selector, Section>>} */
    const known = this.doc?.sections ?? {};
    const read = await Promise.all(
      SECTIONS.map(async (selector) => {
        const [before, now] = [known[selector], whole.sections?.[selector]];
        if (before && before.revision === now?.revision && !before.edited && !now.edited) return before;
        return sectionOf(await this.#app.call("recall_mind", { taskdoc: name, selector }));
      }),
    );
    if (this.name !== name) {
      this.#again = true;
      return;
    }
    const sections = by((selector, at) => ({ ...read[at], noticed: noticed(known[selector], read[at]) }));
    this.doc = {
      name: whole.taskdoc ?? name,
      sections,
      effective: whole.content,
      plan: whole.plan ?? null,
      revision: whole.revision,
      findings: whole.findings ?? [],
      archived: whole.archived ?? false,
    };
    this.problem = null;
    this.#resume();
    if (this.editor) this.editor.renew(sections[this.editor.selector]);
    this.#drawIfNew(JSON.stringify([name, whole, read.map((one) => one.edited ?? null)]));
    if (this.versions && SECTIONS.some((selector) => sections[selector].revision !== known[selector]?.revision))
      await this.versions.read();
    if (this.facts) await this.learn();
  }

  // An address without a name means the only taskdoc, or the list if there are several or none.
  async #seek() {
    const address = this.#address;
    const { items, has_more: more } = await this.#app.call("taskdoc_list", { limit: 200 });
    if (this.#ending.signal.aborted || address !== this.#address) return;
    const only = items.length === 1 && !more ? items[0].name : null;
    if (only !== this.name && this.editor?.isDirty) {
      this.#askAtLast();
      return;
    }
    this.items = items;
    this.problem = null;
    this.#seeks = only === null;
    if (only !== this.name) this.#turn(only);
    if (only === null) this.#drawIfNew(JSON.stringify(items));
  }

  // Most reads find nothing new: then nothing is drawn.
  /** @param {string} found */
  #drawIfNew(found) {
    if (found === this.#seen) return;
    this.#seen = found;
    this.draw();
  }

  // Text that was being typed before a reload is back in its editor.
  #resume() {
    if (this.editor) return;
    const found = SECTIONS.find((selector) => this.draft(selector).get()?.open);
    if (found) this.#begin(found);
  }

  /** @param {Selector} selector */
  draft(selector) {
    return new Draft("draft", this.#app.workspace, this.name ?? "", selector);
  }

  /** @param {Selector} selector */
  aside(selector) {
    return new Draft("aside", this.#app.workspace, this.name ?? "", selector);
  }

  /**
   * Edit a section; one at a time.
   * @param {Selector} selector
   * @param {(editor: Editor) => void} then
   */
  edit(selector, then = () => {}) {
    const go = () => {
      if (this.editor?.selector !== selector) {
        this.editor?.rest();
        this.#begin(selector);
      }
      if (this.editor) then(this.editor);
      this.draw();
      this.#place.querySelector("textarea")?.focus();
    };
    if (this.editor?.isDirty && this.editor.selector !== selector)
      this.#askFirst(go, `Edit ${TITLES[selector]} and keep this as a draft`);
    else go();
  }

  /**
   * Continue with a text that was set aside; a text in the editor takes its place there.
   * @param {Selector} selector
   */
  bringBack(selector) {
    const { text } = this.aside(selector).get();
    this.edit(selector, (editor) => {
      if (editor.isDirty) this.aside(selector).put({ text: editor.text, at: new Date().toISOString() });
      else this.aside(selector).drop();
      editor.take(text);
    });
  }

  /** @param {Selector} selector */
  #begin(selector) {
    const closed = () => {
      this.editor = null;
      this.draw();
      // After a closing dialog has returned the focus to an element that is gone.
      setTimeout(() =>
        /** @type {HTMLElement | null} */ (this.#place.querySelector(`[data-edit="${selector}"]`))?.focus(),
      );
      this.#glance();
    };
    const read = async () => {
      await this.#refresh();
      return this.opened.doc.sections[selector];
    };
    const { name, doc } = this.opened;
    this.editor = new Editor(this.#app, name, selector, doc.sections[selector], { read, closed });
  }

  /**
   * Whether another address has to wait because there is unsaved text. One without a name need not: it may mean this
   * taskdoc, and if it does not, the question comes once that is known.
   * @param {HashChangeEvent} event
   */
  stays(event) {
    if (!this.editor?.isDirty) return false;
    const [workspace, view, name = this.name] = parts();
    if (workspace === this.#app.workspace && view === "taskdoc" && name === this.name) return false;
    this.#hold(new URL(event.oldURL).hash);
    return true;
  }

  // While another dialog is open this one waits for the next read.
  #askAtLast() {
    if (document.querySelector("dialog[open]")) return;
    this.#seeks = false;
    this.#hold(this.link());
  }

  // Stay at `here`, and continue to the wanted address when the reader has decided about the text.
  /** @param {string} here */
  #hold(here) {
    const wanted = location.hash;
    history.replaceState(null, "", here);
    this.#askFirst(() => {
      this.editor?.rest();
      this.editor = null;
      location.hash = wanted;
    }, "Leave and keep the draft");
  }

  /** @param {() => void} go @param {string} words */
  #askFirst(go, words) {
    const { editor } = this;
    if (!editor) return;
    const dialog = ask({
      title: `Unsaved text for ${editor.title}`,
      submit: words,
      fields: [
        h("p", {}, `It stays as a draft in this tab. You find it at ${editor.title} of ${this.name}.`),
        h(
          "p",
          {},
          button(
            "Discard the text instead",
            () => {
              dialog.close();
              editor.discard();
              go();
            },
            { class: "danger" },
          ),
        ),
      ],
      send: async () => {
        setTimeout(go);
      },
    });
  }

  /** Read what meta.json says about each section, when the reader opens it. */
  async learn() {
    /** @param {Selector} selector */
    const last = (selector) => this.#app.change("taskdoc_history", { taskdoc: this.opened.name, selector, limit: 1 });
    const found = await Promise.all(SECTIONS.map(last));
    if (found.includes(null)) return;
    this.facts = by((_, at) => found[at]?.items[0] ?? null);
    this.draw();
  }

  acts = {
    adopt: (/** @type {Selector} */ selector) => adoptSection(this, selector),
    bind: () => bindTaskdoc(this),
    clear: (/** @type {Selector} */ selector) => clearSection(this, selector),
    make: (/** @type {string} */ name) => createTaskdoc(this.#app, name),
    unarchive: async () => {
      await this.#app.change("taskdoc_archive", { taskdoc: this.opened.name, archived: false });
      this.#app.renew();
    },
    restore: (/** @type {Selector} */ selector) => restoreSection(this, selector),
    restorePackage: (/** @type {Finding[]} */ findings) => restorePackage(this, findings),
    take: async (/** @type {string} */ name) => {
      await adoptPackage(this.#app, name);
      this.#app.renew();
    },
  };
}

/**
 * Something for each section.
 * @template T
 * @param {(selector: Selector, at: number) => T} make
 * @returns {Record<Selector, T>}
 */
const by = (make) => ({ goals: make("goals", 0), constraints: make("constraints", 1), progress: make("progress", 2) });

/**
 * When a revision was first seen: only a change while the page is open is news.
 * @param {Section | undefined} before
 * @param {Section} now
 */
function noticed(before, now) {
  if (!before) return -Infinity;
  return before.revision === now.revision ? (before.noticed ?? -Infinity) : performance.now();
}

/**
 * @param {string | undefined} name
 * @returns {name is Selector}
 */
const isSection = (name) => SECTIONS.some((selector) => selector === name);

/**
 * A section as the server sent it. One that was never written has no stamp.
 * @param {Reply<"recall_mind">} reply
 * @returns {Section}
 */
const sectionOf = ({ content, edited, revision = 0, actor = "", updated_at = "" }) => ({
  content,
  edited,
  revision,
  actor,
  updated_at,
});

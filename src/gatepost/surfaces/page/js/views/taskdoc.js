// A taskdoc: what agents work for and by. Goals, constraints, progress; read by everyone, changed by one explicit act.

import { Refusal, Unreachable } from "../api.js";
import { h, show } from "../dom.js";
import { ask } from "../components/dialog.js";
import { Draft } from "../components/drafts.js";
import { Editor, SECTIONS, TITLES } from "../components/editor.js";
import { button } from "../components/elements.js";
import { Revisions } from "../components/revisions.js";
import { adopting, binding, clearing, making, restoring, restoringPackage, taking } from "../components/taskdoc_dialogs.js";
import { listed, missing, none } from "../components/taskdoc_list.js";
import { outside, pack } from "../components/taskdoc_package.js";
import { combined, head, panes, tabs } from "../components/taskdoc_panes.js";

const WATCH = 4_000; // edits from outside are no events: the server looks at the files when it is asked
const LAYOUT = "gatepost.taskdoc.layout";
const NARROW = "(max-width: 60rem)";

export class TaskdocView {
  #app;
  #place;
  #screen = matchMedia(NARROW);
  #ending = new AbortController();
  #watch = null;
  #reading = null;
  #again = false;
  #seen = null;
  #seeks = false; // the address has no name: it is looked for whether there is one taskdoc only
  #address = 0;   // which address is the newest: what was found for one before it turns nothing
  #history = null; // the section whose history the address asks for

  items = null;      // the list of taskdocs, where that is shown
  name = null;
  section = "goals"; // the tab, or "combined"
  doc = null;        // {sections: {goals: {content, revision, updated_at, actor, edited?}, …}, effective, plan}
  problem = null;
  editor = null;
  versions = null;
  isSource = false;
  facts = null;      // what meta.json says, once asked for

  constructor(app, place) {
    this.#app = app;
    this.#place = place;
  }

  async open(...rest) {
    const { signal } = this.#ending;
    window.addEventListener("beforeunload", (event) => { if (this.editor?.isDirty) event.preventDefault(); }, { signal });
    document.addEventListener("visibilitychange", () => this.#glance(), { signal });
    this.#screen.addEventListener("change", () => this.draw(), { signal });
    this.#watch = setInterval(() => this.#glance(), WATCH);
    await this.go(...rest);
  }

  async go(name, section, what) {
    this.#address += 1;
    this.#seeks = name === undefined; // what is shown stays until it is known: it may be the only one
    if (!this.#seeks && name !== this.name) this.#turn(name);
    if (SECTIONS.includes(section) || section === "combined") this.section = section;
    else if (this.section === "combined") this.section = "goals";
    this.draw(); // what is known already need not wait
    this.#history = what === "history" && SECTIONS.includes(section) ? section : null;
    await this.#renew();
  }

  changed(events, everything) {
    const names = [this.name, this.called]; // an address stays good when the taskdoc is renamed
    const isOurs = ({ taskdoc, before }) => (this.name === null ? taskdoc !== undefined : names.includes(taskdoc) || names.includes(before));
    const touches = (event) => isOurs(event) || /^operation_/.test(event.type); // what was undone or redone may be ours
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

  get app() { return this.#app; }
  get called() { return this.doc?.name ?? this.name; }
  get isNarrow() { return this.#screen.matches; }

  get layout() {
    if (this.section === "combined") return "combined";
    return this.isNarrow ? "tabs" : localStorage.getItem(LAYOUT) ?? "panes";
  }

  /** Show it as panes, as tabs, or combined. */
  show(layout) {
    if (layout !== "combined") localStorage.setItem(LAYOUT, layout);
    if (layout === "combined" || this.section === "combined") location.hash = this.link(layout === "combined" ? layout : "goals");
    else this.draw();
  }

  link(...rest) {
    return this.#app.link("taskdoc", this.name, ...rest);
  }

  draw() {
    if (this.#ending.signal.aborted) return;
    show(this.#place, ...this.#content());
  }

  #content() {
    if (this.problem) return missing(this, this.problem);
    if (this.name === null) return this.items?.length ? listed(this) : none(this);
    if (!this.doc) return [h("p", { class: "waiting" }, "Opening…")];
    const frame = [head(this), outside(this)];
    if (this.versions) return [...frame, this.versions.element(this.doc.sections[this.versions.selector])];
    const body = { panes, tabs, combined }[this.layout];
    return [...frame, body(this), pack(this)];
  }

  #turn(name) {
    this.editor?.rest();
    Object.assign(this, { name, doc: null, editor: null, versions: null, problem: null, facts: null });
    this.draw(); // nothing of the one before can be pressed any more
  }

  async #renew() {
    await this.#refresh();
    await this.#look();
    this.draw();
  }

  async #look() {
    const selector = this.#history;
    if (selector !== (this.versions?.selector ?? null)) {
      this.versions = selector && this.doc ? new Revisions(this.#app, this.name, selector, () => this.draw()) : null;
      this.draw();
    }
    if (this.versions?.isOwed) await this.versions.read();
  }

  // Look whether something is new. Nobody waits for it, so a refusal is for the next to hear who asks.
  #glance() {
    if (document.hidden || !this.doc) return;
    this.#refresh().catch((error) => { if (!(error instanceof Refusal || error instanceof Unreachable)) throw error; });
  }

  // One reading at a time; whoever asks meanwhile gets one more after it.
  #refresh() {
    if (this.#reading) { this.#again = true; return this.#reading; }
    this.#reading = (async () => {
      try {
        do { this.#again = false; await this.#read(); } while (this.#again);
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
    if (this.#ending.signal.aborted) return; // the workspace may be another one by now
    const known = this.doc?.sections ?? {};
    const isKnown = (before, now) => before?.revision === now.revision && !before.edited && !now.edited;
    const read = await Promise.all(SECTIONS.map((selector) => (isKnown(known[selector], whole.sections[selector])
      ? known[selector] : this.#app.call("recall_mind", { taskdoc: name, selector }))));
    if (this.name !== name) { this.#again = true; return; }
    const sections = by((selector, at) => ({ ...read[at], noticed: noticed(known[selector], read[at]) }));
    this.doc = {
      name: whole.taskdoc, sections, effective: whole.content, plan: whole.plan ?? null, revision: whole.revision,
      findings: whole.findings ?? [], archived: whole.archived ?? false,
    };
    this.problem = null;
    this.#resume();
    this.editor?.renew(sections[this.editor.selector]);
    this.#drawIfNew(JSON.stringify([name, whole, read.map((one) => one.edited ?? null)]));
    if (this.versions && SECTIONS.some((selector) => sections[selector].revision !== known[selector]?.revision)) await this.versions.read();
    if (this.facts) await this.learn();
  }

  // An address without a name means the only taskdoc; where there are more or none, the list.
  async #seek() {
    const address = this.#address;
    const { items, has_more: more } = await this.#app.call("taskdoc_list", { limit: 200 });
    if (this.#ending.signal.aborted || address !== this.#address) return;
    const only = items.length === 1 && !more ? items[0].name : null;
    if (only !== this.name && this.editor?.isDirty) { this.#askAtLast(); return; }
    this.items = items;
    this.problem = null;
    this.#seeks = only === null;
    if (only !== this.name) this.#turn(only);
    if (only === null) this.#drawIfNew(JSON.stringify(items));
  }

  // Most readings find nothing new: then nothing is rendered.
  #drawIfNew(found) {
    if (found === this.#seen) return;
    this.#seen = found;
    this.draw();
  }

  // What was being typed when the page was loaded again is in its editor again.
  #resume() {
    if (this.editor) return;
    const found = SECTIONS.find((selector) => this.draft(selector).get()?.open);
    if (found) this.#begin(found);
  }

  draft(selector) {
    return new Draft("draft", this.#app.workspace, this.name, selector);
  }

  aside(selector) {
    return new Draft("aside", this.#app.workspace, this.name, selector);
  }

  /** Edit a section; one at a time. */
  edit(selector, then = () => {}) {
    const go = () => {
      if (this.editor?.selector !== selector) { this.editor?.rest(); this.#begin(selector); }
      then(this.editor);
      this.draw();
      this.#place.querySelector("gp-editor textarea")?.focus();
    };
    if (this.editor?.isDirty && this.editor.selector !== selector) this.#askFirst(go, `Edit ${TITLES[selector]}, keep this as a draft`);
    else go();
  }

  /** Go on with a text that was set aside; one that is in the editor takes its place there. */
  bringBack(selector) {
    const { text } = this.aside(selector).get();
    this.edit(selector, (editor) => {
      if (editor.isDirty) this.aside(selector).put({ text: editor.text, at: new Date().toISOString() });
      else this.aside(selector).drop();
      editor.take(text);
    });
  }

  #begin(selector) {
    const closed = () => {
      this.editor = null;
      this.draw();
      // After a dialog that closes now, which gives the focus back to what is no longer there.
      setTimeout(() => this.#place.querySelector(`[data-edit="${selector}"]`)?.focus());
      this.#glance();
    };
    const read = async () => { await this.#refresh(); return this.doc.sections[selector]; };
    this.editor = new Editor(this.#app, this.name, selector, this.doc.sections[selector], { read, closed });
  }

  /**
   * Whether an address outside this taskdoc has to wait: while there is unsaved text, first ask, then go. One without a name
   * need not: it may mean this taskdoc, and if it does not, that is asked once it is known.
   */
  stays(event) {
    if (!this.editor?.isDirty) return false;
    const [workspace, view, name = this.name] = location.hash.slice(2).split("/").filter(Boolean).map(decodeURIComponent);
    if (workspace === this.#app.workspace && view === "taskdoc" && name === this.name) return false;
    this.#hold(new URL(event.oldURL).hash);
    return true;
  }

  // While another question is open this one waits: the next reading seeks again.
  #askAtLast() {
    if (document.querySelector("dialog[open]")) return;
    this.#seeks = false;
    this.#hold(this.link());
  }

  // Stay at `here`, and go on to the address that was wanted when the reader has said what becomes of the text.
  #hold(here) {
    const wanted = location.hash;
    history.replaceState(null, "", here);
    this.#askFirst(() => { this.editor?.rest(); this.editor = null; location.hash = wanted; }, "Leave, keep the draft");
  }

  #askFirst(go, words) {
    const { editor } = this;
    const dialog = ask({
      title: `Your text for ${editor.title} is not saved`, submit: words,
      fields: [
        h("p", {}, `A draft stays in this tab until you close it, and is offered again beside ${editor.title} of ${this.name}.`),
        h("p", {}, button("Discard the text instead", () => { dialog.close(); editor.discard(); go(); }, { class: "danger" })),
      ],
      send: async () => { setTimeout(go); },
    });
  }

  /** What meta.json says of each section, asked for when the reader wants to see it. */
  async learn() {
    const last = (selector) => this.#app.change("taskdoc_history", { taskdoc: this.name, selector, limit: 1 });
    const found = await Promise.all(SECTIONS.map(last));
    if (found.includes(null)) return;
    this.facts = by((selector, at) => found[at].items[0] ?? null);
    this.draw();
  }

  acts = {
    adopt: (selector) => adopting(this, selector),
    bind: () => binding(this),
    clear: (selector) => clearing(this, selector),
    make: (name) => making(this.#app, name),
    unarchive: async () => { await this.#app.change("taskdoc_archive", { taskdoc: this.name, archived: false }); this.#app.renew(); },
    restore: (selector) => restoring(this, selector),
    restorePackage: (findings) => restoringPackage(this, findings),
    take: async (name) => { await taking(this.#app, name); this.#app.renew(); },
  };
}

/** Something for each section. */
const by = (make) => Object.fromEntries(SECTIONS.map((selector, at) => [selector, make(selector, at)]));

/** When a change was seen: only what changes under the reader's eyes is news. */
function noticed(before, now) {
  if (!before) return -Infinity;
  return before.revision === now.revision ? before.noticed : performance.now();
}

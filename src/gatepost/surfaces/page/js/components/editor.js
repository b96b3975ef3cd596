// The editor of one section of a taskdoc. It replaces the whole section, says so, shows the difference first, and loses nobody's text.

import { Refusal } from "../api.js";
import { h, show } from "../dom.js";
import { many } from "../labels.js";
import { ask } from "./dialog.js";
import { Draft } from "./drafts.js";
import { difference, lines, merged, tally } from "./diff.js";
import { rich } from "./markdown.js";
import { notice } from "./notices.js";
import { actor, button, time, toggle } from "./elements.js";

export const SECTIONS = ["goals", "constraints", "progress"];
export const TITLES = { goals: "Goals", constraints: "Constraints", progress: "Progress" };
export const GUIDANCE = {
  goals: "Outcomes: what is true when the work is done. Keep them stable.",
  constraints: "Every rule the work must obey, each as a testable MUST, SHOULD or MUST NOT.",
  progress: "Where the work stands: state, decisions, what remains. Rewrite it as often as it helps.",
};

const MOST_BYTES = 65_536;
const PREVIEW_PAUSE = 350;
const SHORT = 60; // lines that are shown whole where two versions stand side by side
const bytes = (text) => new TextEncoder().encode(text).length;
// A text area knows line feeds only. A section whose lines end otherwise is given back as it was.
const soft = (text) => text.replaceAll("\r\n", "\n");
const isHard = (text) => text.includes("\r\n") && !/(^|[^\r])\n/.test(text);

/**
 * One section being edited. `section` is what the log has now: {content, revision, actor, updated_at, edited?}.
 *   read()     reads the section again, and gives it
 *   closed()   the editor is done with
 */
export class Editor {
  #timer = null;

  constructor(app, name, selector, section, { read, closed }) {
    Object.assign(this, { app, name, selector, read, closed, section });
    this.kept = new Draft("draft", app.workspace, name, selector);
    this.aside = new Draft("aside", app.workspace, name, selector);
    const draft = this.kept.get();
    this.base = draft?.base ?? { text: section.content, revision: section.revision };
    this.text = draft?.text ?? soft(this.base.text);
    this.generation = 0;
    this.isLooking = false;
    this.problem = null;
    this.preview = null;
    this.element = null;
    if (draft) this.#keep();
  }

  get title() { return TITLES[this.selector]; }
  get isDirty() { return this.text !== soft(this.base.text); }
  get isStale() { return this.section.revision !== this.base.revision; }
  get content() { return isHard(this.base.text) ? this.text.replaceAll("\n", "\r\n") : this.text; }

  /** The section as the log has it now. */
  renew(section) {
    this.section = section;
    // Nothing typed, nothing to lose: the editor simply goes on from the newer text.
    if (this.isStale && !this.isDirty) this.#begin(section, soft(section.content));
    if (!this.isStale) this.isLooking = false;
  }

  typed(text) {
    this.text = text;
    this.#keep();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#previewed(), PREVIEW_PAUSE);
  }

  draw() {
    this.element?.draw();
  }

  togglePreview() {
    this.preview = this.preview === null ? this.text : null;
    this.draw();
  }

  // Not at every key: the server renders it.
  #previewed() {
    if (this.preview === null) return;
    this.preview = this.text;
    this.draw();
  }

  /** Close, and keep what was typed for another time. */
  rest() {
    clearTimeout(this.#timer);
    if (this.isDirty) this.kept.put({ ...this.#draft(), open: false });
    else this.kept.drop();
  }

  /** Close, and throw away what was typed. */
  discard() {
    clearTimeout(this.#timer);
    this.kept.drop();
    this.closed();
  }

  /** Show what would change; only the button there sends it. Against what is no longer there nothing is shown: first look at theirs. */
  review() {
    if (this.isStale) { this.isLooking = true; this.draw(); return; }
    const { fresh, gone } = tally(this.base.text, this.content);
    const sum = `${many(fresh, "line")} new, ${many(gone, "line")} gone`;
    const dialog = ask({
      title: `Replace ${this.title} of ${this.name}?`,
      submit: `Replace ${this.title}`,
      fields: [
        h("p", {}, `The whole section is replaced: ${sum}, against revision ${this.base.revision}.`),
        difference(this.base.text, this.content, { label: `What would change in ${this.title}` }),
      ],
      send: () => this.#send(),
    });
    dialog.classList.add("wide");
  }

  async #send() {
    try {
      const reply = await this.app.call("change_mind", {
        taskdoc: this.name, selector: this.selector, content: this.content, expected_revision: this.base.revision,
      });
      this.kept.drop();
      notice(reply.changed ? `${this.title} of ${this.name} is at revision ${reply.revision} now.` : "That is the text it has already.");
      for (const warning of reply.warnings ?? []) notice(warning, { kind: "bad" });
      this.closed();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "REVISION_MISMATCH") throw error;
      this.problem = error;
      this.renew(await this.read());
      this.isLooking = this.isStale;
      this.draw();
    }
  }

  /** Mine shall stand: shown against theirs, then sent for theirs' revision. */
  useMine() {
    this.#begin(this.section, this.text);
    this.review();
  }

  /** Theirs stands; mine is set aside, not lost. */
  useTheirs() {
    this.aside.put({ text: this.text, at: new Date().toISOString() });
    this.discard();
  }

  /** Go on writing, knowing theirs: the next difference is shown against it. */
  editOn() {
    this.#begin(this.section, this.text);
    this.element?.querySelector("textarea")?.focus();
  }

  /** Both sides' changes in one text, to be looked at before it is saved. */
  combine(text) {
    this.aside.put({ text: this.text, at: new Date().toISOString() });
    this.#begin(this.section, text);
    notice("Both changes are in the editor now. Your own text is set aside until you discard it.");
  }

  /** Go on with another text. */
  take(text) {
    this.#begin(this.section, text);
  }

  #begin(section, text) {
    this.base = { text: section.content, revision: section.revision };
    if (text !== this.text) this.generation++; // what is typed stays in its element, so another text needs another
    this.text = text;
    this.isLooking = false;
    this.problem = null;
    this.#keep();
    this.#previewed();
    this.draw();
  }

  #keep() {
    if (this.isDirty) this.kept.put(this.#draft());
    else this.kept.drop();
  }

  #draft() {
    return { base: this.base, text: this.text, at: new Date().toISOString(), open: true };
  }

}

class EditorElement extends HTMLElement {
  #editor = null;

  renew(editor) {
    this.#editor = editor;
    if (!this.isConnected && editor.element?.isConnected) return; // only a pattern, by which the shown one is renewed
    editor.element = this;
    this.draw();
  }

  connectedCallback() {
    if (!this.#editor) return;
    this.#editor.element = this;
    this.draw();
  }

  draw() {
    show(this, ...inside(this.#editor));
  }
}

customElements.define("gp-editor", EditorElement);

/** The editor, to be shown. */
export const editing = (editor) => h("gp-editor", { key: `editor-${editor.selector}`, keep: true, state: editor });

function inside(editor) {
  const { selector, section, text, title } = editor;
  const size = bytes(editor.content);
  const isReady = editor.isDirty && !section.edited && size <= MOST_BYTES;
  return [
    h("p", { class: "replacing", id: `replacing-${selector}`, key: "replacing" },
      "Replacing ", h("strong", {}, title), " of ", h("strong", {}, editor.name), `, revision ${editor.base.revision}`),
    section.edited ? tampered(title) : null,
    editor.isStale ? overtaken(editor) : null,
    editor.isStale && editor.isLooking ? threeWays(editor) : null,
    h("label", { class: "sr", for: `text-${selector}`, key: "label" }, `New text of ${title}`),
    area(editor, isReady),
    h("p", { class: "guidance", id: `guidance-${selector}`, key: "guidance" }, GUIDANCE[selector], measure(size)),
    editor.preview === null ? null
      : h("div", { class: "preview", key: "preview" }, h("p", { class: "label" }, "Preview"), rich(editor.preview)),
    h("div", { class: "actions", key: "actions" },
      button("Review and save…", () => editor.review(), { class: "primary save", disabled: !isReady }),
      toggle("Preview", editor.preview !== null, () => editor.togglePreview()),
      button(editor.isDirty ? "Discard…" : "Close", () => cancel(editor), { class: "quiet" })),
  ];
}

function area(editor, isReady) {
  const { generation, selector, text } = editor;
  const keyed = (event) => {
    if (!(event.ctrlKey || event.metaKey) || !["Enter", "s"].includes(event.key)) return;
    event.preventDefault();
    if (isReady) editor.review();
  };
  return h("textarea", {
    key: `text-${generation}`, id: `text-${selector}`, value: text, rows: 14, spellcheck: "true",
    "aria-describedby": `replacing-${selector} guidance-${selector}`,
    on: { input: (event) => { editor.typed(event.currentTarget.value); editor.draw(); }, keydown: keyed },
  });
}

function measure(size) {
  const isOver = size > MOST_BYTES;
  const words = isOver ? `${many(size, "byte")}; a section may have ${MOST_BYTES.toLocaleString("en")}` : many(size, "byte");
  return h("span", { class: ["size", isOver && "over"] }, words);
}

function tampered(title) {
  return h("div", { class: "refusal", role: "alert", key: "tampered" },
    h("p", { class: "message" }, `${title} cannot be changed yet: its file in the package was edited from outside.`),
    h("p", { class: "recovery" }, "Adopt or restore it above first. What you type here is kept meanwhile."));
}

function overtaken(editor) {
  const { section, problem, title } = editor;
  const look = () => { editor.isLooking = true; editor.draw(); };
  return h("div", { class: ["overtaken", problem ? "refusal" : "banner"], role: problem ? "alert" : "status", key: "overtaken" },
    h("p", {}, h("strong", {}, problem ? `Not saved: ${problem.message} ` : `${title} was changed while you were editing: `),
      actor(section.actor), ` wrote revision ${section.revision} `, time(section.updated_at), ". Your text is safe."),
    editor.isLooking ? null : button("Compare the two", look));
}

/** Where both began, what they made of it, what I made of it; and what can be done. */
function threeWays(editor) {
  const { base, section, text, title } = editor;
  const [began, theirs] = [soft(base.text), soft(section.content)];
  const both = merged(began, theirs, text);
  const by = [`revision ${section.revision} by `, actor(section.actor), ", ", time(section.updated_at)];
  const column = (heading, about, to, label) => h("section", { class: "way" }, h("h3", {}, heading), h("p", { class: "muted" }, about),
    difference(began, to, { label, whole: lines(to).length < SHORT }));
  return h("div", { class: "three", key: "three" },
    h("div", { class: "ways" },
      column("Theirs", by, theirs, `Their changes to ${title}`),
      column("Mine", "not saved", text, `My changes to ${title}`)),
    h("details", { class: "base" }, h("summary", {}, `The text both began with, revision ${base.revision}`),
      h("pre", { class: "block", tabindex: 0 }, base.text || "(empty)")),
    h("div", { class: "actions" },
      button(`Use mine, over revision ${section.revision}…`, () => editor.useMine()),
      button("Use theirs, set mine aside", () => editor.useTheirs()),
      both === null || both === text || both === theirs ? null : button("Combine both in the editor", () => editor.combine(both)),
      button("Edit on", () => editor.editOn(), { class: "quiet" })));
}

function cancel(editor) {
  if (!editor.isDirty) { editor.discard(); return; }
  ask({
    title: `Discard your text for ${editor.title}?`, submit: "Discard it",
    fields: [h("p", {}, `${editor.title} of ${editor.name} stays as it is, at revision ${editor.section.revision}.`)],
    send: async () => editor.discard(),
  });
}

// The editor for one section of a taskdoc. It replaces the whole section, shows the difference first, and never loses text.

import { Refusal } from "../api.js";
import { h, show } from "../dom.js";
import { many } from "../labels.js";
import { ask } from "./dialog.js";
import { Draft } from "./drafts.js";
import { difference, lines, merged, tally } from "./diff.js";
import { rich } from "./markdown.js";
import { notice } from "./notices.js";
import { actor, button, time, toggle } from "./elements.js";

/** @import { Child, Section, Selector } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

/** @type {Selector[]} */
export const SECTIONS = ["goals", "constraints", "progress"];
/** @type {Record<Selector, string>} */
export const TITLES = { goals: "Goals", constraints: "Constraints", progress: "Progress" };
/** @type {Record<Selector, string>} */
export const GUIDANCE = {
  goals: "Outcomes: what is true when the work is done. Keep them stable.",
  constraints: "Rules for the work, each as a testable MUST, SHOULD or MUST NOT.",
  progress: "The current state, decisions and remaining work. Rewrite it as often as you like.",
};

const MOST_BYTES = 65_536;
const PREVIEW_PAUSE = 350;
const SHORT = 60; // a text with fewer lines is shown whole in a comparison
/** @param {string} text */
const bytes = (text) => new TextEncoder().encode(text).length;
// A text area only knows line feeds. A section with other line endings keeps them.
/** @param {string} text */
const soft = (text) => text.replaceAll("\r\n", "\n");
/** @param {string} text */
const isHard = (text) => text.includes("\r\n") && !/(^|[^\r])\n/.test(text);

/**
 * One section being edited. `section` is the current state; `read()` reads it again; `closed()` is called at the end.
 */
export class Editor {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {App} app
   * @param {string} name
   * @param {Selector} selector
   * @param {Section} section
   * @param {{read: () => Promise<Section>, closed: () => void}} how
   */
  constructor(app, name, selector, section, { read, closed }) {
    this.app = app;
    this.name = name;
    this.selector = selector;
    this.section = section;
    this.read = read;
    this.closed = closed;
    this.kept = new Draft("draft", app.workspace, name, selector);
    this.aside = new Draft("aside", app.workspace, name, selector);
    const draft = this.kept.get();
    /** @type {{text: string, revision: number}} */
    this.base = draft?.base ?? { text: section.content, revision: section.revision };
    /** @type {string} */
    this.text = draft?.text ?? soft(this.base.text);
    this.generation = 0;
    this.isLooking = false;
    /** @type {Refusal | null} */
    this.problem = null;
    /** @type {string | null} */
    this.preview = null;
    /** @type {EditorElement | null} */
    this.element = null;
    if (draft) this.#keep();
  }

  get title() {
    return TITLES[this.selector];
  }
  get isDirty() {
    return this.text !== soft(this.base.text);
  }
  get isStale() {
    return this.section.revision !== this.base.revision;
  }
  get content() {
    return isHard(this.base.text) ? this.text.replaceAll("\n", "\r\n") : this.text;
  }

  /**
   * Take the section as it is now.
   * @param {Section} section
   */
  renew(section) {
    this.section = section;
    // Nothing was typed: continue from the newer text.
    if (this.isStale && !this.isDirty) this.#begin(section, soft(section.content));
    if (!this.isStale) this.isLooking = false;
  }

  /** @param {string} text */
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

  // Not at every keystroke: the server renders it.
  #previewed() {
    if (this.preview === null) return;
    this.preview = this.text;
    this.draw();
  }

  /** Close and keep the text as a draft. */
  rest() {
    clearTimeout(this.#timer);
    if (this.isDirty) this.kept.put({ ...this.#draft(), open: false });
    else this.kept.drop();
  }

  /** Close and discard the text. */
  discard() {
    clearTimeout(this.#timer);
    this.kept.drop();
    this.closed();
  }

  /** Show what would change, with the button that sends it. If the section changed meanwhile, show that first. */
  review() {
    if (this.isStale) {
      this.isLooking = true;
      this.draw();
      return;
    }
    const { fresh, gone } = tally(this.base.text, this.content);
    const sum = `${many(fresh, "line")} added, ${many(gone, "line")} removed`;
    const dialog = ask({
      title: `Replace ${this.title} of ${this.name}?`,
      submit: `Replace ${this.title}`,
      fields: [
        h("p", {}, `This replaces the whole section: ${sum}, compared with revision ${this.base.revision}.`),
        difference(this.base.text, this.content, { label: `What would change in ${this.title}` }),
      ],
      send: () => this.#send(),
    });
    dialog.classList.add("wide");
  }

  async #send() {
    try {
      const reply = await this.app.call("change_mind", {
        taskdoc: this.name,
        selector: this.selector,
        content: this.content,
        expected_revision: this.base.revision,
      });
      this.kept.drop();
      notice(
        reply.changed !== false
          ? `${this.title} of ${this.name} is now at revision ${reply.revision}.`
          : "No change: the text is the same.",
      );
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

  /** Keep mine: show it against theirs, then send it for their revision. */
  useMine() {
    this.#begin(this.section, this.text);
    this.review();
  }

  /** Keep theirs; mine is set aside, not lost. */
  useTheirs() {
    this.aside.put({ text: this.text, at: new Date().toISOString() });
    this.discard();
  }

  /** Continue editing; the next comparison is against theirs. */
  editOn() {
    this.#begin(this.section, this.text);
    this.element?.querySelector("textarea")?.focus();
  }

  /**
   * Put both sides' changes into the editor, to be checked before saving.
   * @param {string} text
   */
  combine(text) {
    this.aside.put({ text: this.text, at: new Date().toISOString() });
    this.#begin(this.section, text);
    notice("Both changes are now in the editor. Your own text is set aside until you discard it.");
  }

  /**
   * Continue with another text.
   * @param {string} text
   */
  take(text) {
    this.#begin(this.section, text);
  }

  /** @param {Section} section @param {string} text */
  #begin(section, text) {
    this.base = { text: section.content, revision: section.revision };
    if (text !== this.text) this.generation++; // typed text stays in its element, so another text needs another element
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
  /** @type {Editor | null} */
  #editor = null;

  /** @param {Editor} editor */
  renew(editor) {
    this.#editor = editor;
    if (!this.isConnected && editor.element?.isConnected) return; // created only to update the one that is shown
    editor.element = this;
    this.draw();
  }

  connectedCallback() {
    if (!this.#editor) return;
    this.#editor.element = this;
    this.draw();
  }

  draw() {
    if (this.#editor) show(this, ...inside(this.#editor));
  }
}

customElements.define("gp-editor", EditorElement);

/**
 * The element for an editor.
 * @param {Editor} editor
 */
export const editing = (editor) => h("gp-editor", { key: `editor-${editor.selector}`, keep: true, state: editor });

/** @param {Editor} editor */
function inside(editor) {
  const { selector, section, title } = editor;
  const size = bytes(editor.content);
  const isReady = editor.isDirty && !section.edited && size <= MOST_BYTES;
  return [
    h(
      "p",
      { class: "replacing", id: `replacing-${selector}`, key: "replacing" },
      "Replacing ",
      h("strong", {}, title),
      " of ",
      h("strong", {}, editor.name),
      `, revision ${editor.base.revision}`,
    ),
    section.edited ? tampered(title) : null,
    editor.isStale ? overtaken(editor) : null,
    editor.isStale && editor.isLooking ? threeWays(editor) : null,
    h("label", { class: "sr", for: `text-${selector}`, key: "label" }, `New text for ${title}`),
    area(editor, isReady),
    h("p", { class: "guidance", id: `guidance-${selector}`, key: "guidance" }, GUIDANCE[selector], measure(size)),
    editor.preview === null
      ? null
      : h("div", { class: "preview", key: "preview" }, h("p", { class: "label" }, "Preview"), rich(editor.preview)),
    h(
      "div",
      { class: "actions", key: "actions" },
      button("Review and save…", () => editor.review(), { class: "primary save", disabled: !isReady }),
      toggle("Preview", editor.preview !== null, () => editor.togglePreview()),
      button(editor.isDirty ? "Discard…" : "Close", () => cancel(editor), { class: "quiet" }),
    ),
  ];
}

/** @param {Editor} editor @param {boolean} isReady */
function area(editor, isReady) {
  const { generation, selector, text } = editor;
  /** @param {KeyboardEvent} event */
  const keyed = (event) => {
    if (!(event.ctrlKey || event.metaKey) || !["Enter", "s"].includes(event.key)) return;
    event.preventDefault();
    if (isReady) editor.review();
  };
  return h("textarea", {
    key: `text-${generation}`,
    id: `text-${selector}`,
    value: text,
    rows: 14,
    spellcheck: "true",
    "aria-describedby": `replacing-${selector} guidance-${selector}`,
    on: {
      input: (event) => {
        editor.typed(event.currentTarget.value);
        editor.draw();
      },
      keydown: keyed,
    },
  });
}

/** @param {number} size */
function measure(size) {
  const isOver = size > MOST_BYTES;
  const words = isOver ? `${many(size, "byte")} of at most ${MOST_BYTES.toLocaleString("en")}` : many(size, "byte");
  return h("span", { class: ["size", isOver && "over"] }, words);
}

/** @param {string} title */
function tampered(title) {
  return h(
    "div",
    { class: "refusal", role: "alert", key: "tampered" },
    h("p", { class: "message" }, `${title} cannot be changed yet: its file was edited outside Gatepost.`),
    h("p", { class: "recovery" }, "Adopt or restore it above first. Your text is kept."),
  );
}

/** @param {Editor} editor */
function overtaken(editor) {
  const { section, problem, title } = editor;
  const look = () => {
    editor.isLooking = true;
    editor.draw();
  };
  return h(
    "div",
    { class: ["overtaken", problem ? "refusal" : "banner"], role: problem ? "alert" : "status", key: "overtaken" },
    h(
      "p",
      {},
      h("strong", {}, problem ? `Not saved: ${problem.message} ` : `${title} was changed while you were editing: `),
      actor(section.actor),
      ` wrote revision ${section.revision} `,
      time(section.updated_at),
      ". Your text is safe.",
    ),
    editor.isLooking ? null : button("Compare", look),
  );
}

/**
 * Both versions against the text both began with, and the choices.
 * @param {Editor} editor
 */
function threeWays(editor) {
  const { base, section, text, title } = editor;
  const [began, theirs] = [soft(base.text), soft(section.content)];
  const both = merged(began, theirs, text);
  const by = [`revision ${section.revision} by `, actor(section.actor), ", ", time(section.updated_at)];
  /** @param {string} heading @param {Child} about @param {string} to @param {string} label */
  const column = (heading, about, to, label) =>
    h(
      "section",
      { class: "way" },
      h("h3", {}, heading),
      h("p", { class: "muted" }, about),
      difference(began, to, { label, whole: lines(to).length < SHORT }),
    );
  return h(
    "div",
    { class: "three", key: "three" },
    h(
      "div",
      { class: "ways" },
      column("Theirs", by, theirs, `Their changes to ${title}`),
      column("Mine", "not saved", text, `My changes to ${title}`),
    ),
    h(
      "details",
      { class: "base" },
      h("summary", {}, `The original text, revision ${base.revision}`),
      h("pre", { class: "block", tabindex: 0 }, base.text || "(empty)"),
    ),
    h(
      "div",
      { class: "actions" },
      button(`Replace revision ${section.revision} with mine…`, () => editor.useMine()),
      button("Use theirs and set mine aside", () => editor.useTheirs()),
      both === null || both === text || both === theirs
        ? null
        : button("Merge both in the editor", () => editor.combine(both)),
      button("Continue editing", () => editor.editOn(), { class: "quiet" }),
    ),
  );
}

/** @param {Editor} editor */
function cancel(editor) {
  if (!editor.isDirty) {
    editor.discard();
    return;
  }
  ask({
    title: `Discard your text for ${editor.title}?`,
    submit: "Discard",
    fields: [h("p", {}, `${editor.title} of ${editor.name} stays at revision ${editor.section.revision}.`)],
    send: async () => editor.discard(),
  });
}

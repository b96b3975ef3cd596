// A taskdoc as panes, as tabs, or combined into one text.

import { h } from "../dom.js";
import { GUIDANCE, SECTIONS, TITLES, editing } from "./editor.js";
import { rich } from "./markdown.js";
import { actor, button, time, toggle } from "./elements.js";

/** @import { Section, Selector } from "../../types/page.d.ts" */
/** @import { TaskdocView } from "../views/taskdoc.js" */
/** @import { Draft } from "./drafts.js" */

const NEWS = 2_000;

/**
 * The name, the plan and the layout switch.
 * @param {TaskdocView} view
 */
export function head(view) {
  const { app, called: name, versions } = view;
  /** @param {Selector} selector */
  const back = (selector) => h("a", { class: "button", href: view.link(selector) }, `← Back to ${TITLES[selector]}`);
  return h(
    "div",
    { class: "doc-head", key: "head" },
    h(
      "div",
      {},
      h("p", { class: "label" }, h("a", { href: app.link("taskdoc") }, "Taskdoc")),
      h("h1", {}, name),
      bound(view),
    ),
    h(
      "div",
      { class: "doc-tools" },
      versions ? back(versions.selector) : layouts(view),
      versions
        ? null
        : toggle("Source", view.isSource, () => {
            view.isSource = !view.isSource;
            view.draw();
          }),
      button("New taskdoc", () => view.acts.make(""), { class: "quiet" }),
    ),
    versions ? h("h2", { class: "of" }, `History of ${TITLES[versions.selector]}`) : null,
  );
}

/** @param {TaskdocView} view */
function bound(view) {
  const { app, doc } = view.opened;
  if (doc.archived)
    return h(
      "p",
      { class: "muted" },
      "Archived: read-only. ",
      button("Unarchive", () => view.acts.unarchive(), { class: "quiet inline" }),
    );
  const change = button(doc.plan ? "Change…" : "Bind to a plan…", () => view.acts.bind(), { class: "quiet inline" });
  if (!doc.plan) return h("p", { class: "muted" }, "Not bound to a plan. ", change);
  const plan = app.overview?.plans.find((one) => one.id === doc.plan);
  return h(
    "p",
    { class: "muted" },
    "Bound to ",
    h("a", { href: app.link("task", doc.plan) }, h("span", { class: "id" }, doc.plan), plan ? ` ${plan.title}` : ""),
    ". ",
    change,
  );
}

/** @param {TaskdocView} view */
function layouts(view) {
  /** @param {"panes" | "tabs" | "combined"} name @param {string} words */
  const one = (name, words) => toggle(words, view.layout === name, () => view.show(name), { key: name });
  return h(
    "div",
    { class: "segments", role: "group", "aria-label": "Show as" },
    view.isNarrow ? one("tabs", "Sections") : [one("panes", "Panes"), one("tabs", "Tabs")],
    one("combined", "Combined"),
  );
}

/**
 * All three side by side; the one being edited has the full width.
 * @param {TaskdocView} view
 */
export function panes(view) {
  const edited = view.editor?.selector;
  const order = edited ? [edited, ...SECTIONS.filter((selector) => selector !== edited)] : SECTIONS;
  return h(
    "div",
    { class: ["panes", edited && "has-editor"], key: "panes" },
    order.map((selector) =>
      h(
        "section",
        {
          class: ["card pane", selector === edited && "editing"],
          key: selector,
          "aria-labelledby": `title-${selector}`,
          data: { section: selector },
        },
        pane(view, selector),
      ),
    ),
  );
}

/**
 * One section at a time.
 * @param {TaskdocView} view
 */
export function tabs(view) {
  const chosen = view.section === "combined" ? "goals" : view.section;
  return h(
    "div",
    { class: "tabbed", key: "tabs" },
    h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "Sections" },
      SECTIONS.map((selector, at) => tab(view, selector, at)),
    ),
    h(
      "section",
      {
        class: ["card pane", view.editor?.selector === chosen && "editing"],
        role: "tabpanel",
        id: "tabpanel",
        key: chosen,
        "aria-labelledby": `tab-${chosen}`,
        data: { section: chosen },
      },
      pane(view, chosen),
    ),
  );
}

/** @param {TaskdocView} view @param {Selector} selector @param {number} at */
function tab(view, selector, at) {
  const isChosen = selector === view.section;
  /** @param {Selector} to */
  const go = (to) => {
    location.hash = view.link(to);
  };
  /** @param {KeyboardEvent} event */
  const turn = (event) => {
    const next = new Map([
      ["ArrowRight", at + 1],
      ["ArrowLeft", at - 1],
      ["Home", 0],
      ["End", SECTIONS.length - 1],
    ]).get(event.key);
    if (next === undefined) return;
    event.preventDefault();
    const to = SECTIONS[(next + SECTIONS.length) % SECTIONS.length];
    document.getElementById(`tab-${to}`)?.focus();
    go(to);
  };
  return h(
    "button",
    {
      type: "button",
      role: "tab",
      id: `tab-${selector}`,
      key: selector,
      "aria-selected": String(isChosen),
      "aria-controls": "tabpanel",
      tabindex: isChosen ? 0 : -1,
      on: { click: () => go(selector), keydown: turn },
    },
    TITLES[selector],
    marks(view, selector),
  );
}

/** @param {TaskdocView} view @param {Selector} selector */
function marks(view, selector) {
  /** @param {string} sign @param {string} words */
  const mark = (sign, words) =>
    h("span", { class: "mark", title: words }, ` ${sign}`, h("span", { class: "sr" }, words));
  if (view.opened.doc.sections[selector].edited) return mark("⚠", "edited outside Gatepost");
  if (view.editor?.selector === selector || view.draft(selector).get()) return mark("✎", "has unsaved text");
  return null;
}

/** @param {TaskdocView} view @param {Selector} selector */
function pane(view, selector) {
  const section = view.opened.doc.sections[selector];
  const isEdited = view.editor?.selector === selector;
  return [
    h(
      "div",
      { class: "pane-head", key: "head" },
      h("h2", { id: `title-${selector}` }, TITLES[selector]),
      isEdited ? null : tools(view, selector, section),
    ),
    stamp(section, selector),
    isEdited ? null : kept(view, selector),
    view.editor && isEdited ? editing(view.editor) : text(view, section, selector),
  ];
}

/** @param {TaskdocView} view @param {Selector} selector @param {Section} section */
function tools(view, selector, section) {
  const title = TITLES[selector];
  return h(
    "div",
    { class: "pane-tools" },
    button("Edit", () => view.edit(selector), { data: { edit: selector }, "aria-label": `Edit ${title}` }),
    h(
      "a",
      { class: "button quiet", href: view.link(selector, "history"), "aria-label": `History of ${title}` },
      "History",
    ),
    section.content
      ? button("Clear…", () => view.acts.clear(selector), { class: "quiet", "aria-label": `Clear ${title}…` })
      : null,
  );
}

/**
 * When it was updated, and by whom.
 * @param {Section} section
 * @param {Selector} selector
 */
function stamp(section, selector) {
  const isNews = performance.now() - (section.noticed ?? -Infinity) < NEWS;
  return h(
    "p",
    { class: ["stamp", isNews && "news"], key: `stamp-${section.revision}`, data: { updated: selector } },
    section.revision ? "Updated " : "Empty since ",
    time(section.updated_at),
    " by ",
    actor(section.actor),
    h("span", { class: "id" }, ` · revision ${section.revision}`),
  );
}

/** @param {TaskdocView} view @param {Section} section @param {Selector} selector */
function text(view, section, selector) {
  if (!section.content) return h("p", { class: "nothing", key: "nothing" }, GUIDANCE[selector]);
  return view.isSource ? source(section.content, TITLES[selector]) : rich(section.content, { key: "text" });
}

/** @param {string} content @param {string} of */
const source = (content, of) =>
  h("pre", { class: "block source", key: "source", tabindex: 0, "aria-label": `Source of ${of}` }, content);

/**
 * The reader's own text that is not in the editor.
 * @param {TaskdocView} view
 * @param {Selector} selector
 */
function kept(view, selector) {
  const draft = view.draft(selector);
  const aside = view.aside(selector);
  /** @param {Draft} one @param {string} words @param {string} label @param {() => void} go */
  const line = (one, words, label, go) =>
    h(
      "div",
      { class: "kept", key: words },
      h("span", {}, words, time(one.get().at)),
      h(
        "span",
        { class: "acts" },
        button(label, go),
        button(
          "Discard",
          () => {
            one.drop();
            view.draw();
          },
          { class: "quiet" },
        ),
      ),
    );
  return h(
    "div",
    { class: "keeps", key: "keeps" },
    draft.get() ? line(draft, "Unsaved draft from ", "Continue editing", () => view.edit(selector)) : null,
    aside.get() ? line(aside, "Your text was set aside ", "Restore it", () => view.bringBack(selector)) : null,
  );
}

/**
 * The taskdoc as agents receive it.
 * @param {TaskdocView} view
 */
export function combined(view) {
  const { doc } = view.opened;
  return h(
    "section",
    { class: "card combined", key: "combined", "aria-label": "Complete text" },
    h("p", { class: "muted" }, "The complete text that every agent receives."),
    h(
      "ul",
      { class: "stamps" },
      SECTIONS.map((selector) => {
        const section = doc.sections[selector];
        return h(
          "li",
          { key: selector, data: { updated: selector } },
          h("strong", {}, TITLES[selector]),
          " ",
          section.revision ? "updated " : "empty since ",
          time(section.updated_at),
          " by ",
          actor(section.actor),
        );
      }),
    ),
    view.isSource ? source(doc.effective, "the complete text") : rich(doc.effective, { key: "text" }),
  );
}

// How a taskdoc is shown: its head, three panes or tabs, and the combined view.

import { h } from "../dom.js";
import { GUIDANCE, SECTIONS, TITLES, editing } from "./editor.js";
import { rich } from "./markdown.js";
import { actor, button, time, toggle } from "./elements.js";

const NEWS = 2_000;

/** Name, plan, and the ways of looking at it. */
export function head(view) {
  const { app, called: name, versions } = view;
  const back = (selector) => h("a", { class: "button", href: view.link(selector) }, `← Back to ${TITLES[selector]}`);
  return h("div", { class: "doc-head", key: "head" },
    h("div", {}, h("p", { class: "label" }, h("a", { href: app.link("taskdoc") }, "Taskdoc")), h("h1", {}, name), bound(view)),
    h("div", { class: "doc-tools" },
      versions ? back(versions.selector) : layouts(view),
      versions ? null : toggle("Source", view.isSource, () => { view.isSource = !view.isSource; view.draw(); }),
      button("New taskdoc", () => view.acts.make(""), { class: "quiet" })),
    versions ? h("h2", { class: "of" }, `History of ${TITLES[versions.selector]}`) : null);
}

function bound(view) {
  const { app, doc } = view;
  if (doc.archived) return h("p", { class: "muted" }, "Archived: it can be read, not changed. ", button("Bring it back", () => view.acts.unarchive(), { class: "quiet inline" }));
  const change = button(doc.plan ? "Change…" : "Bind to a plan…", () => view.acts.bind(), { class: "quiet inline" });
  if (!doc.plan) return h("p", { class: "muted" }, "Bound to no plan. ", change);
  const plan = app.overview?.plans.find((one) => one.id === doc.plan);
  return h("p", { class: "muted" }, "What the tasks of ",
    h("a", { href: app.link("task", doc.plan) }, h("span", { class: "id" }, doc.plan), plan ? ` ${plan.title}` : ""), " work by. ", change);
}

function layouts(view) {
  const one = (name, words) => toggle(words, view.layout === name, () => view.show(name), { key: name });
  return h("div", { class: "segments", role: "group", "aria-label": "Show as" },
    view.isNarrow ? one("tabs", "Sections") : [one("panes", "Panes"), one("tabs", "Tabs")], one("combined", "Combined"));
}

/** All three beside each other; the one that is edited has the width for it. */
export function panes(view) {
  const edited = view.editor?.selector;
  const order = edited ? [edited, ...SECTIONS.filter((selector) => selector !== edited)] : SECTIONS;
  return h("div", { class: ["panes", edited && "has-editor"], key: "panes" }, order.map((selector) => h("section", {
    class: ["card pane", selector === edited && "editing"], key: selector, "aria-labelledby": `title-${selector}`,
    data: { section: selector },
  }, pane(view, selector))));
}

/** One at a time. */
export function tabs(view) {
  const chosen = view.section;
  return h("div", { class: "tabbed", key: "tabs" },
    h("div", { class: "tabs", role: "tablist", "aria-label": "Sections" }, SECTIONS.map((selector, at) => tab(view, selector, at))),
    h("section", {
      class: ["card pane", view.editor?.selector === chosen && "editing"], role: "tabpanel", id: "tabpanel", key: chosen,
      "aria-labelledby": `tab-${chosen}`, data: { section: chosen },
    }, pane(view, chosen)));
}

function tab(view, selector, at) {
  const isChosen = selector === view.section;
  const go = (to) => { location.hash = view.link(to); };
  const turn = (event) => {
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: SECTIONS.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = SECTIONS[(next + SECTIONS.length) % SECTIONS.length];
    document.getElementById(`tab-${to}`).focus();
    go(to);
  };
  return h("button", {
    type: "button", role: "tab", id: `tab-${selector}`, key: selector, "aria-selected": String(isChosen), "aria-controls": "tabpanel",
    tabindex: isChosen ? 0 : -1, on: { click: () => go(selector), keydown: turn },
  }, TITLES[selector], marks(view, selector));
}

function marks(view, selector) {
  const mark = (sign, words) => h("span", { class: "mark", title: words }, ` ${sign}`, h("span", { class: "sr" }, words));
  if (view.doc.sections[selector].edited) return mark("⚠", "edited from outside");
  if (view.editor?.selector === selector || view.draft(selector).get()) return mark("✎", "has unsaved text");
  return null;
}

function pane(view, selector) {
  const section = view.doc.sections[selector];
  const isEdited = view.editor?.selector === selector;
  return [
    h("div", { class: "pane-head", key: "head" },
      h("h2", { id: `title-${selector}` }, TITLES[selector]), isEdited ? null : tools(view, selector, section)),
    stamp(section, selector),
    isEdited ? null : kept(view, selector),
    isEdited ? editing(view.editor) : text(view, section, selector),
  ];
}

function tools(view, selector, section) {
  const title = TITLES[selector];
  return h("div", { class: "pane-tools" },
    button("Edit", () => view.edit(selector), { data: { edit: selector }, "aria-label": `Edit ${title}` }),
    h("a", { class: "button quiet", href: view.link(selector, "history"), "aria-label": `History of ${title}` }, "History"),
    section.content ? button("Clear…", () => view.acts.clear(selector), { class: "quiet", "aria-label": `Clear ${title}…` }) : null);
}

/** Since when it is so, and by whom. */
function stamp(section, selector) {
  const isNews = performance.now() - section.noticed < NEWS;
  return h("p", { class: ["stamp", isNews && "news"], key: `stamp-${section.revision}`, data: { updated: selector } },
    section.revision ? "Updated " : "Empty since it was made ", time(section.updated_at), " by ", actor(section.actor),
    h("span", { class: "id" }, ` · revision ${section.revision}`));
}

function text(view, section, selector) {
  if (!section.content) return h("p", { class: "nothing", key: "nothing" }, GUIDANCE[selector]);
  return view.isSource ? source(section.content, TITLES[selector]) : rich(section.content, { key: "text" });
}

const source = (content, of) => h("pre", { class: "block source", key: "source", tabindex: 0, "aria-label": `Source of ${of}` }, content);

/** Text of the reader's own that is in no editor now. */
function kept(view, selector) {
  const draft = view.draft(selector);
  const aside = view.aside(selector);
  const line = (one, words, label, go) => h("div", { class: "kept", key: words }, h("span", {}, words, time(one.get().at)),
    h("span", { class: "acts" }, button(label, go), button("Discard", () => { one.drop(); view.draw(); }, { class: "quiet" })));
  return h("div", { class: "keeps", key: "keeps" },
    draft.get() ? line(draft, "You have an unsaved draft from ", "Continue editing", () => view.edit(selector)) : null,
    aside.get() ? line(aside, "Your own text was set aside ", "Bring it back", () => view.bringBack(selector)) : null);
}

/** The taskdoc as agents are told it. */
export function combined(view) {
  const { doc } = view;
  return h("section", { class: "card combined", key: "combined", "aria-label": "The effective taskdoc" },
    h("p", { class: "muted" }, "The effective taskdoc: one text, the same for every agent, prompt and display."),
    h("ul", { class: "stamps" }, SECTIONS.map((selector) => {
      const section = doc.sections[selector];
      return h("li", { key: selector, data: { updated: selector } }, h("strong", {}, TITLES[selector]), " ",
        section.revision ? "updated " : "empty since ", time(section.updated_at), " by ", actor(section.actor));
    })),
    view.isSource ? source(doc.effective, "the effective taskdoc") : rich(doc.effective, { key: "text" }));
}

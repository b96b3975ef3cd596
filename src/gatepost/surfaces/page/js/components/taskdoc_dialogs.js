// Dialogs for a taskdoc: create, bind, clear, adopt and restore.

import { Refusal, call } from "../api.js";
import { h } from "../dom.js";
import { many } from "../labels.js";
import { ask, closeDialogs, field, typed } from "./dialog.js";
import { difference, lines, unified } from "./diff.js";
import { TITLES } from "./editor.js";
import { notice } from "./notices.js";

/** @import { Finding, Section, Selector, Taskdoc } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @import { TaskdocView } from "../views/taskdoc.js" */

const NAME = "[a-z0-9][a-z0-9_\\-]{0,63}";

/**
 * Whether this is a valid taskdoc name.
 * @param {string} name
 */
export const isName = (name) => new RegExp(`^${NAME}$`).test(name);

/**
 * Create a taskdoc with three empty sections.
 * @param {App} app
 * @param {string} name
 */
export function createTaskdoc(app, name = "") {
  ask({
    title: "New taskdoc",
    submit: "Create taskdoc",
    fields: [
      field(
        "Name",
        h("input", {
          name: "name",
          required: true,
          pattern: NAME,
          autocomplete: "off",
          spellcheck: "false",
          value: name,
        }),
        "Lowercase letters, digits, - and _. It is stored in the folder tasks/NAME.tsk.",
      ),
      plans(app, null, "Optional. Tasks of this plan then follow the taskdoc."),
    ],
    send: async (form) => {
      const [chosen, plan] = [typed(form, "name"), typed(form, "plan")];
      const { workspace } = app; // the reader may switch workspaces meanwhile
      const reply = await createOrOffer(app, chosen);
      if (plan) await call(workspace, "taskdoc_bind", { taskdoc: chosen, plan, expected_revision: reply.revision });
      if (workspace === app.workspace) location.hash = app.link("taskdoc", chosen, "goals");
    },
  });
}

// A package that exists already, such as one from a checkout, can be adopted instead.
/** @param {App} app @param {string} name */
async function createOrOffer(app, name) {
  try {
    return await app.call("taskdoc_create", { name });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "ALREADY_EXISTS") throw error;
    const { items } = await app.call("taskdoc_list", { limit: 200 });
    if (items.some((item) => item.name === name)) throw error;
    const action = { label: "Adopt it", run: () => adoptPackage(app, name) };
    notice(error.message, { kind: "bad", more: error.recovery, action });
    throw error;
  }
}

/**
 * Turn a package on disk into a taskdoc.
 * @param {App} app
 * @param {string} name
 */
export async function adoptPackage(app, name) {
  if (await app.change("taskdoc_adopt", { taskdoc: name })) {
    closeDialogs();
    location.hash = app.link("taskdoc", name);
  }
}

/**
 * Choose the plan that a taskdoc belongs to.
 * @param {TaskdocView} view
 */
export function bindTaskdoc(view) {
  const { app, name, doc } = view.opened;
  ask({
    title: `Bind ${name} to a plan`,
    submit: "Bind",
    fields: [plans(app, doc.plan, "Tasks of this plan then follow the taskdoc. A plan has at most one.")],
    send: async (form) => {
      const plan = typed(form, "plan") || null;
      await app.call("taskdoc_bind", { taskdoc: name, plan, ...expected(doc) });
      notice(plan ? `${name} is bound to ${plan}.` : `${name} is no longer bound to a plan.`);
    },
  });
}

// Binding and adopting use the taskdoc's own revision, not a section's; older servers do not send it.
/** @param {Taskdoc} doc */
const expected = (doc) => (doc.revision === undefined ? {} : { expected_revision: doc.revision });

/** @param {App} app @param {string | null} chosen @param {string} hint */
function plans(app, chosen, hint) {
  const found = app.overview?.plans ?? [];
  /** @type {Array<{id: string, title: string}>} */
  const known = found.filter((plan) => plan.status !== "DONE" || plan.id === chosen);
  if (chosen && !known.some((plan) => plan.id === chosen)) known.push({ id: chosen, title: "" });
  /** @param {{id: string, title: string}} plan */
  const words = (plan) => (plan.title ? `${plan.id} · ${plan.title}` : plan.id);
  const options = known.map((plan) => h("option", { value: plan.id, selected: plan.id === chosen }, words(plan)));
  return field("Plan", h("select", { name: "plan" }, h("option", { value: "" }, "None"), options), hint);
}

/**
 * Clear a section. An empty text in the editor does not, so that nobody clears one by mistake.
 * @param {TaskdocView} view
 * @param {Selector} selector
 */
export function clearSection(view, selector) {
  const { app, name, doc } = view.opened;
  const section = doc.sections[selector];
  const dialog = ask({
    title: `Clear ${TITLES[selector]} of ${name}?`,
    submit: `Clear ${TITLES[selector]}`,
    fields: [
      h(
        "p",
        {},
        `This removes ${many(lines(section.content).length, "line")}. Revision ${section.revision} stays in the history.`,
      ),
      difference(section.content, "", { label: "What would be removed" }),
    ],
    send: async () => {
      const reply = await app.call("change_mind", {
        taskdoc: name,
        selector,
        clear: true,
        expected_revision: section.revision,
      });
      notice(`Cleared ${TITLES[selector]} of ${name} (revision ${reply.revision}).`);
    },
  });
  dialog.classList.add("wide");
}

export const ADOPT = "Make the text on disk the next revision, in your name.";
const RESTORE_MISSING = "Write the file again from Gatepost's text.";
const RESTORE = "Overwrite the file with Gatepost's text. The other text stays in the history.";
export const RESTORE_PACKAGE =
  "Write every file of the package again from Gatepost's texts. Other files stay. Texts edited outside Gatepost stay in the history.";

/** @param {Section} section */
export const isMissing = ({ edited }) => edited?.kind === "missing_section";
/** @param {Section} section */
export const restoreWords = (section) => (isMissing(section) ? RESTORE_MISSING : RESTORE);

/**
 * Make the text on disk the section's text.
 * @param {TaskdocView} view
 * @param {Selector} selector
 */
export function adoptSection(view, selector) {
  settle(view, selector, `Adopt ${TITLES[selector]} from disk?`, `Adopt ${TITLES[selector]}`, ADOPT, () =>
    view.app.call("taskdoc_adopt", { taskdoc: view.opened.name, selector, ...expected(view.opened.doc) }),
  );
}

/**
 * Write Gatepost's text back to disk.
 * @param {TaskdocView} view
 * @param {Selector} selector
 */
export function restoreSection(view, selector) {
  const section = view.opened.doc.sections[selector];
  settle(
    view,
    selector,
    `Restore ${TITLES[selector]} on disk?`,
    `Restore ${TITLES[selector]}`,
    restoreWords(section),
    () =>
      view.app.call("taskdoc_restore", { taskdoc: view.opened.name, selector, expected_revision: section.revision }),
  );
}

/**
 * Write every file of the package again.
 * @param {TaskdocView} view
 * @param {Finding[]} findings
 */
export function restorePackage(view, findings) {
  ask({
    title: `Restore the package of ${view.name}?`,
    submit: "Restore package",
    fields: [
      h("p", {}, RESTORE_PACKAGE),
      h(
        "ul",
        {},
        findings.map(({ path, says }) => h("li", { key: path }, says)),
      ),
    ],
    send: async () => {
      const reply = await view.app.call("taskdoc_restore", { taskdoc: view.opened.name, ...expected(view.opened.doc) });
      for (const warning of reply.warnings ?? []) notice(warning, { kind: "bad" });
      notice(`Restored the package of ${view.name}.`);
      await view.changed([], true);
    },
  });
}

/**
 * @param {TaskdocView} view
 * @param {Selector} selector
 * @param {string} title
 * @param {string} submit
 * @param {string} words
 * @param {() => Promise<{revision: number, revisions?: Record<string, number>, warnings?: string[]}>} call
 */
function settle(view, selector, title, submit, words, call) {
  const section = view.opened.doc.sections[selector];
  const dialog = ask({
    title,
    submit,
    fields: [
      h("p", {}, words),
      section.edited?.diff ? unified(section.edited.diff, "From Gatepost's text to the text on disk") : null,
    ],
    send: async () => {
      const reply = await call();
      for (const warning of reply.warnings ?? []) notice(warning, { kind: "bad" });
      notice(
        `${TITLES[selector]} of ${view.name} is resolved (revision ${reply.revisions?.[selector] ?? reply.revision}).`,
      );
      await view.changed([], true);
    },
  });
  dialog.classList.add("wide");
}

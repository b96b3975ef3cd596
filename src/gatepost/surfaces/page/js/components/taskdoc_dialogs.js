// What can be done with a taskdoc besides editing: each asked first, and explained.

import { Refusal, call } from "../api.js";
import { h } from "../dom.js";
import { many } from "../labels.js";
import { ask, field } from "./dialog.js";
import { difference, lines, unified } from "./diff.js";
import { TITLES } from "./editor.js";
import { notice } from "./notices.js";

const NAME = "[a-z0-9][a-z0-9_\\-]{0,63}";

/** Whether a taskdoc can have this name. */
export const isName = (name) => new RegExp(`^${NAME}$`).test(name);

/** A new taskdoc; its three sections are empty at first. */
export function making(app, name = "") {
  ask({
    title: "New taskdoc", submit: "Make the taskdoc",
    fields: [
      field("Name", h("input", { name: "name", required: true, pattern: NAME, autocomplete: "off", spellcheck: "false", value: name }),
        "Small letters, digits, - and _. It becomes the package tasks/NAME.tsk."),
      plans(app, null, "Bind it to a plan, whose tasks then work by it. That can wait."),
    ],
    send: async (form) => {
      const { name: chosen, plan } = Object.fromEntries(new FormData(form));
      const { workspace } = app; // the reader may go to another one while this is under way
      const reply = await makingOf(app, chosen);
      if (plan) await call(workspace, "taskdoc_bind", { taskdoc: chosen, plan, expected_revision: reply.revision });
      if (workspace === app.workspace) location.hash = app.link("taskdoc", chosen, "goals");
    },
  });
}

// A package that is there already, from a checkout perhaps, is not made but taken.
async function makingOf(app, name) {
  try {
    return await app.call("taskdoc_create", { name });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "ALREADY_EXISTS") throw error;
    const { items } = await app.call("taskdoc_list", { limit: 200 });
    if (items.some((item) => item.name === name)) throw error;
    const action = { label: "Adopt the package", run: () => taking(app, name) };
    notice(error.message, { kind: "bad", more: error.recovery, action });
    throw error;
  }
}

/** A package that no taskdoc stands for becomes one. */
export async function taking(app, name) {
  if (await app.change("taskdoc_adopt", { taskdoc: name })) {
    document.querySelector("dialog.ask[open]")?.close();
    location.hash = app.link("taskdoc", name);
  }
}

/** Which plan a taskdoc is for. */
export function binding(view) {
  const { app, name, doc } = view;
  ask({
    title: `Bind ${name} to a plan`, submit: "Bind it",
    fields: [plans(app, doc.plan, "The plan's tasks then work by this taskdoc. A plan has one at most.")],
    send: async (form) => {
      const plan = new FormData(form).get("plan") || null;
      await app.call("taskdoc_bind", { taskdoc: name, plan, ...expected(doc) });
      notice(plan ? `${name} is bound to ${plan}.` : `${name} is bound to no plan.`);
    },
  });
}

// Binding and adopting go by the taskdoc's own revision, not a section's; not every server tells it.
const expected = (doc) => (doc.revision === undefined ? {} : { expected_revision: doc.revision });

function plans(app, chosen, hint) {
  const found = app.overview?.plans ?? [];
  const known = found.filter((plan) => plan.status !== "DONE" || plan.id === chosen);
  if (chosen && !known.some((plan) => plan.id === chosen)) known.push({ id: chosen, title: "" });
  const words = (plan) => (plan.title ? `${plan.id} · ${plan.title}` : plan.id);
  const options = known.map((plan) => h("option", { value: plan.id, selected: plan.id === chosen }, words(plan)));
  return field("Plan", h("select", { name: "plan" }, h("option", { value: "" }, "None"), options), hint);
}

/** Empty a section: never by mistake, so never by an empty text. */
export function clearing(view, selector) {
  const { app, name } = view;
  const section = view.doc.sections[selector];
  const dialog = ask({
    title: `Empty ${TITLES[selector]} of ${name}?`, submit: `Empty ${TITLES[selector]}`,
    fields: [
      h("p", {}, `${many(lines(section.content).length, "line")} of revision ${section.revision} go. The history keeps them.`),
      difference(section.content, "", { label: "What would go" }),
    ],
    send: async () => {
      const reply = await app.call("change_mind", { taskdoc: name, selector, clear: true, expected_revision: section.revision });
      notice(`${TITLES[selector]} of ${name} is empty now, at revision ${reply.revision}.`);
    },
  });
  dialog.classList.add("wide");
}

export const ADOPT = "Adopt takes the text on disk as the section's next revision, in your name.";
const RESTORE_MISSING = "Restore writes the file again with the log's text.";
const RESTORE = "Restore writes the log's text back into the file; the text from outside stays in the history.";
export const RESTORE_PACKAGE = "Restore writes every file of the package again from the log. Files of others stay; texts from outside stay in the history.";

export const isMissing = ({ edited }) => edited?.kind === "missing_section";
export const restoreWords = (section) => isMissing(section) ? RESTORE_MISSING : RESTORE;

/** What somebody wrote into the package shall be the section's text. */
export function adopting(view, selector) {
  settle(view, selector, `Adopt ${TITLES[selector]} from disk?`, `Adopt ${TITLES[selector]}`, ADOPT,
    () => view.app.call("taskdoc_adopt", { taskdoc: view.name, selector, ...expected(view.doc) }));
}

/** The log's text shall stand in the package again. */
export function restoring(view, selector) {
  const section = view.doc.sections[selector];
  settle(view, selector, `Restore ${TITLES[selector]} on disk?`, `Restore ${TITLES[selector]}`, restoreWords(section),
    () => view.app.call("taskdoc_restore", { taskdoc: view.name, selector, expected_revision: section.revision }));
}

/** Every file of the package shall be the log's again. */
export function restoringPackage(view, findings) {
  ask({
    title: `Restore the package of ${view.name}?`, submit: "Restore the package",
    fields: [h("p", {}, RESTORE_PACKAGE), h("ul", {}, findings.map(({ path, says }) => h("li", { key: path }, says)))],
    send: async () => {
      const reply = await view.app.call("taskdoc_restore", { taskdoc: view.name, ...expected(view.doc) });
      for (const warning of reply.warnings ?? []) notice(warning, { kind: "bad" });
      notice(`The package of ${view.name} is restored.`);
      await view.changed([], true);
    },
  });
}

function settle(view, selector, title, submit, words, call) {
  const section = view.doc.sections[selector];
  const dialog = ask({
    title, submit,
    fields: [h("p", {}, words), section.edited?.diff ? unified(section.edited.diff, "From the log's text to the one on disk") : null],
    send: async () => {
      const reply = await call();
      for (const warning of reply.warnings ?? []) notice(warning, { kind: "bad" });
      notice(`${TITLES[selector]} of ${view.name} is settled, at revision ${reply.revisions?.[selector] ?? reply.revision}.`);
      await view.changed([], true);
    },
  });
  dialog.classList.add("wide");
}

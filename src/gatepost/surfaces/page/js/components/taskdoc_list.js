// The list of taskdocs, and what is shown where there is none.

import { h } from "../dom.js";
import { SECTIONS, TITLES } from "./editor.js";
import { actor, button, command, empty, refusal, time } from "./elements.js";
import { isName } from "./taskdoc_dialogs.js";

/** @import { Selector, TaskdocRow } from "../../types/page.d.ts" */
/** @import { Refusal } from "../api.js" */
/** @import { App } from "../app.js" */
/** @import { TaskdocView } from "../views/taskdoc.js" */

/**
 * All taskdocs of the workspace.
 * @param {TaskdocView} view
 */
export function listed(view) {
  return [
    h(
      "div",
      { class: "doc-head", key: "head" },
      h(
        "div",
        {},
        h("h1", {}, "Taskdocs"),
        h("p", { class: "muted" }, "Goals, constraints and progress that agents follow."),
      ),
      h(
        "div",
        { class: "doc-tools" },
        button("New taskdoc", () => view.acts.make(""), { class: "primary" }),
      ),
    ),
    h(
      "ul",
      { class: "docs", key: "docs" },
      (view.items ?? []).map((item) => entry(view.app, item)),
    ),
  ];
}

/** @param {App} app @param {TaskdocRow} item */
function entry(app, item) {
  /** @param {Selector} selector */
  const line = (selector) => {
    const { actor: by, bytes, updated_at: at } = item.sections[selector] ?? { actor: "", bytes: 0, updated_at: "" };
    return h(
      "li",
      { key: selector },
      h("a", { href: app.link("taskdoc", item.name, selector) }, TITLES[selector]),
      " ",
      h("span", { class: "muted" }, !bytes ? "empty" : at ? ["updated ", time(at), " by ", actor(by)] : "on disk"),
    );
  };
  const findings = item.findings ?? [];
  return h(
    "li",
    { class: "card", key: item.name },
    h("h2", {}, h("a", { href: app.link("taskdoc", item.name) }, item.name)),
    item.plan ? h("p", { class: "muted" }, "for ", h("a", { href: app.link("task", item.plan) }, item.plan)) : null,
    item.adopted === false
      ? h("p", { class: "banner" }, "Only on disk so far. The first change adds it to Gatepost.")
      : null,
    findings.length ? h("p", { class: "banner" }, `⚠ ${findings.map(({ says }) => says).join(" ")}`) : null,
    h("ul", { class: "stamps" }, SECTIONS.map(line)),
  );
}

/**
 * Shown when there are no taskdocs.
 * @param {TaskdocView} view
 */
export function none(view) {
  if (view.items === null) return [h("p", { class: "waiting" }, "Loading…")];
  return [
    h("h1", { key: "title" }, "Taskdocs"),
    h(
      "div",
      { key: "none", class: "none" },
      empty(
        "No taskdocs yet",
        "A taskdoc gives every agent the goals, the constraints and the current progress of the work.",
        button("New taskdoc", () => view.acts.make(""), { class: "primary" }),
        h("p", {}, "Or on the command line:"),
        command("gatepost taskdoc create main"),
      ),
    ),
  ];
}

/**
 * Shown when the named taskdoc does not exist. A package of that name on disk can be adopted.
 * @param {TaskdocView} view
 * @param {Refusal} problem
 */
export function missing(view, problem) {
  const name = view.name ?? "";
  const isPackage = /taskdoc_adopt/.test(problem.recovery);
  const said = isPackage
    ? "A package with this name exists on disk. This workspace has not adopted it yet."
    : "It may have another name, or it was not created yet.";
  const act = isPackage
    ? button("Adopt package", () => view.acts.take(name), { class: "primary" })
    : button("New taskdoc", () => view.acts.make(isName(name) ? name : ""), { class: "primary" });
  return [
    h("h1", { key: "title" }, "Taskdocs"),
    h(
      "div",
      { key: "missing", class: "none" },
      problem.code === "UNKNOWN_ID" ? empty(`No taskdoc named ${name}`, said, act) : refusal(problem),
      h("p", {}, h("a", { href: view.app.link("taskdoc") }, "All taskdocs")),
    ),
  ];
}

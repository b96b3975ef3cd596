// The list of taskdocs, and what is shown where there is none.

import { h } from "../dom.js";
import { SECTIONS, TITLES } from "./editor.js";
import { actor, button, command, empty, refusal, time } from "./elements.js";
import { isName } from "./taskdoc_dialogs.js";

/** Every taskdoc of the workspace. */
export function listed(view) {
  return [
    h("div", { class: "doc-head", key: "head" },
      h("div", {}, h("h1", {}, "Taskdocs"), h("p", { class: "muted" }, "What the agents work for and by.")),
      h("div", { class: "doc-tools" }, button("New taskdoc", () => view.acts.make(""), { class: "primary" }))),
    h("ul", { class: "docs", key: "docs" }, view.items.map((item) => entry(view.app, item))),
  ];
}

function entry(app, item) {
  const line = (selector) => {
    const { actor: by, bytes, updated_at: at } = item.sections[selector];
    return h("li", { key: selector }, h("a", { href: app.link("taskdoc", item.name, selector) }, TITLES[selector]), " ",
      h("span", { class: "muted" }, !bytes ? "empty" : at ? ["updated ", time(at), " by ", actor(by)] : "on disk"));
  };
  const findings = item.findings ?? [];
  return h("li", { class: "card", key: item.name },
    h("h2", {}, h("a", { href: app.link("taskdoc", item.name) }, item.name)),
    item.plan ? h("p", { class: "muted" }, "for ", h("a", { href: app.link("task", item.plan) }, item.plan)) : null,
    item.adopted === false ? h("p", { class: "banner" }, "On disk only: the first change takes it into the store.") : null,
    findings.length ? h("p", { class: "banner" }, `⚠ ${findings.map(({ says }) => says).join(" ")}`) : null,
    h("ul", { class: "stamps" }, SECTIONS.map(line)));
}

/** Where there is none yet. */
export function none(view) {
  if (view.items === null) return [h("p", { class: "waiting" }, "Opening…")];
  return [h("h1", { key: "title" }, "Taskdocs"), h("div", { key: "none", class: "none" }, empty("No taskdoc yet",
    "A taskdoc tells every agent what to work for (goals), what to obey (constraints) and where the work stands (progress).",
    button("New taskdoc", () => view.acts.make(""), { class: "primary" }),
    h("p", {}, "Agents make one with taskdoc_create; on the command line:"), command("gatepost taskdoc create main")))];
}

/** Where the address names none that is there. A package of that name may be: then it can be taken. */
export function missing(view, problem) {
  const name = view.name ?? "";
  const isPackage = /taskdoc_adopt/.test(problem.recovery);
  const said = isPackage ? "There is a package of that name on disk, which this workspace has not taken yet."
    : "It may have another name, or nobody has made it yet.";
  const act = isPackage ? button("Adopt the package", () => view.acts.take(name), { class: "primary" })
    : button("New taskdoc", () => view.acts.make(isName(name) ? name : ""), { class: "primary" });
  return [
    h("h1", { key: "title" }, "Taskdocs"),
    h("div", { key: "missing", class: "none" },
      problem.code === "UNKNOWN_ID" ? empty(`There is no taskdoc ${name}`, said, act) : refusal(problem),
      h("p", {}, h("a", { href: view.app.link("taskdoc") }, "All taskdocs"))),
  ];
}

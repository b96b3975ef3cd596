// What stands around a taskdoc: edits from outside, its package, the list of all, and what is said where there is none.

import { h } from "../dom.js";
import { many } from "../words.js";
import { unified } from "./diff.js";
import { SECTIONS, TITLES } from "./editor.js";
import { press } from "./press.js";
import { actor, command, empty, refusal, time } from "./small.js";
import { ADOPT, RESTORE_PACKAGE, isMissing, isName, restoreWords } from "./taskdoc_acts.js";

/** What stands in the package although nobody told Gatepost; each with the two ways to settle it. */
export function outside(view) {
  const findings = view.doc.findings ?? [];
  const isWhole = findings.some(({ path }) => path.endsWith(".tsk"));
  const found = isWhole ? [] : SECTIONS.filter((selector) => view.doc.sections[selector].edited);
  const rest = findings.filter(({ selector }) => !found.includes(selector));
  return h("div", { class: "outsides", key: "outsides" }, found.map((selector) => banner(view, selector, findings)),
    rest.length ? h("div", { class: "banner outside", role: "alert", key: "package", data: { outside: "package" } },
      rest.map(({ path, says }) => h("p", { key: path }, says)),
      h("ul", { class: "ways-out" }, way("Restore the package…", () => view.acts.restorePackage(rest), RESTORE_PACKAGE))) : null);
}

const way = (words, go, about) => h("li", {}, press(words, go), h("span", {}, about));

function banner(view, selector, findings) {
  const title = TITLES[selector];
  const section = view.doc.sections[selector];
  const { diff = "", kind } = section.edited;
  const said = findings.find((finding) => finding.selector === selector)?.says ?? `${selector}.md was edited from outside.`;
  const hasText = !isMissing(section) && kind !== "link";
  return h("div", { class: "banner outside", role: "alert", key: selector, data: { outside: selector } },
    h("p", {}, h("strong", {}, said), ` Agents still get the log's text, and ${title} cannot be changed until you settle it:`),
    h("ul", { class: "ways-out" }, hasText ? way("Adopt…", () => view.acts.adopt(selector), ADOPT) : null,
      way("Restore…", () => view.acts.restore(selector), restoreWords(section))),
    isMissing(section) ? null : h("details", {}, h("summary", {}, "What is different on disk"), unified(diff, `From the log's ${title} to the text on disk`)));
}

const HEADS = ["File", "Revision", "By", "Updated", "Size", "SHA-256"];

/** The rest of the package, for those who ask: what its meta.json says, never the file itself. */
export function pack(view) {
  const { facts, called: name } = view;
  const code = (words) => h("code", {}, words);
  const opened = (event) => { if (event.currentTarget.open && !facts) view.learn(); };
  return h("details", { class: "package", key: "package", on: { toggle: opened } },
    h("summary", {}, "Further files of the package"),
    h("p", {}, "On disk a taskdoc is the package ", code(`tasks/${name}.tsk`), ": the three sections, and ", code("meta.json"),
      ", which says what each of them should be. Nobody edits or reads these files by hand: this is what ", code("meta.json"),
      " says, as the log has it. Whatever else lies in the folder is no part of the taskdoc, and is neither read nor shown."),
    facts ? h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "meta.json" }, h("table", {},
      h("thead", {}, h("tr", {}, HEADS.map((words) => h("th", { scope: "col" }, words)))),
      h("tbody", {}, SECTIONS.map((selector) => fact(view, selector))))) : h("p", { class: "muted" }, "Looking it up…"));
}

function fact(view, selector) {
  const { revision, actor: by, updated_at: at } = view.doc.sections[selector];
  const known = view.facts[selector];
  return h("tr", { key: selector },
    h("th", { scope: "row" }, `${selector}.md`), h("td", {}, revision), h("td", {}, actor(by)), h("td", {}, time(at)),
    h("td", {}, known ? many(known.bytes, "byte") : "empty"), h("td", { class: "id" }, known?.sha256 ?? "–"));
}

/** Every taskdoc of the workspace. */
export function listed(view) {
  return [
    h("div", { class: "doc-head", key: "head" },
      h("div", {}, h("h1", {}, "Taskdocs"), h("p", { class: "muted" }, "What the agents work for and by.")),
      h("div", { class: "doc-tools" }, press("New taskdoc", () => view.acts.make(""), { class: "primary" }))),
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
    press("New taskdoc", () => view.acts.make(""), { class: "primary" }),
    h("p", {}, "Agents make one with taskdoc_create; on the command line:"), command("gatepost taskdoc create main")))];
}

/** Where the address names none that is there. A package of that name may be: then it can be taken. */
export function missing(view, problem) {
  const name = view.name ?? "";
  const isPackage = /taskdoc_adopt/.test(problem.recovery);
  const said = isPackage ? "There is a package of that name on disk, which this workspace has not taken yet."
    : "It may have another name, or nobody has made it yet.";
  const act = isPackage ? press("Adopt the package", () => view.acts.take(name), { class: "primary" })
    : press("New taskdoc", () => view.acts.make(isName(name) ? name : ""), { class: "primary" });
  return [
    h("h1", { key: "title" }, "Taskdocs"),
    h("div", { key: "missing", class: "none" },
      problem.code === "UNKNOWN_ID" ? empty(`There is no taskdoc ${name}`, said, act) : refusal(problem),
      h("p", {}, h("a", { href: view.app.link("taskdoc") }, "All taskdocs"))),
  ];
}

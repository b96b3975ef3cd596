// A taskdoc's files on disk: edits made outside Gatepost, and what meta.json says.

import { h } from "../dom.js";
import { many } from "../labels.js";
import { unified } from "./diff.js";
import { SECTIONS, TITLES } from "./editor.js";
import { actor, button, time } from "./elements.js";
import { ADOPT, RESTORE_PACKAGE, isMissing, restoreWords } from "./taskdoc_dialogs.js";

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

const way = (words, go, about) => h("li", {}, button(words, go), h("span", {}, about));

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

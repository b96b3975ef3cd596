// A taskdoc's files on disk: edits made outside Gatepost, and what meta.json says.

import { h } from "../dom.js";
import { many } from "../labels.js";
import { unified } from "./diff.js";
import { SECTIONS, TITLES } from "./editor.js";
import { actor, button, time } from "./elements.js";
import { ADOPT, RESTORE_PACKAGE, isMissing, restoreWords } from "./taskdoc_dialogs.js";

/** @import { Finding, Selector } from "../../types/page.d.ts" */
/** @import { TaskdocView } from "../views/taskdoc.js" */

/**
 * Changes on disk that were made outside Gatepost, each with the ways to resolve it.
 * @param {TaskdocView} view
 */
export function outside(view) {
  const { doc } = view.opened;
  const { findings } = doc;
  const isWhole = findings.some(({ path }) => path.endsWith(".tsk"));
  const found = isWhole ? [] : SECTIONS.filter((selector) => doc.sections[selector].edited);
  const rest = findings.filter(({ selector }) => !selector || !found.includes(selector));
  return h(
    "div",
    { class: "outsides", key: "outsides" },
    found.map((selector) => banner(view, selector, findings)),
    rest.length
      ? h(
          "div",
          { class: "banner outside", role: "alert", key: "package", data: { outside: "package" } },
          rest.map(({ path, says }) => h("p", { key: path }, says)),
          h(
            "ul",
            { class: "ways-out" },
            way("Restore package…", () => view.acts.restorePackage(rest), RESTORE_PACKAGE),
          ),
        )
      : null,
  );
}

/** @param {string} words @param {() => void} go @param {string} about */
const way = (words, go, about) => h("li", {}, button(words, go), h("span", {}, about));

/** @param {TaskdocView} view @param {Selector} selector @param {Finding[]} findings */
function banner(view, selector, findings) {
  const title = TITLES[selector];
  const section = view.opened.doc.sections[selector];
  const { diff = "", kind } = section.edited ?? {};
  const said =
    findings.find((finding) => finding.selector === selector)?.says ?? `${selector}.md was edited outside Gatepost.`;
  const hasText = !isMissing(section) && kind !== "link";
  return h(
    "div",
    { class: "banner outside", role: "alert", key: selector, data: { outside: selector } },
    h(
      "p",
      {},
      h("strong", {}, said),
      ` Agents still get Gatepost's text. ${title} cannot be changed until you choose:`,
    ),
    h(
      "ul",
      { class: "ways-out" },
      hasText ? way("Adopt…", () => view.acts.adopt(selector), ADOPT) : null,
      way("Restore…", () => view.acts.restore(selector), restoreWords(section)),
    ),
    isMissing(section)
      ? null
      : h(
          "details",
          {},
          h("summary", {}, "Differences on disk"),
          unified(diff, `From Gatepost's ${title} to the text on disk`),
        ),
  );
}

const HEADS = ["File", "Revision", "By", "Updated", "Size", "SHA-256"];

/**
 * What meta.json says about the package, from the log; the file itself is not read.
 * @param {TaskdocView} view
 */
export function pack(view) {
  const { facts, called: name } = view;
  /** @param {string} words */
  const code = (words) => h("code", {}, words);
  /** @param {Event} event */
  const opened = (event) => {
    if (event.currentTarget instanceof HTMLDetailsElement && event.currentTarget.open && !facts) view.learn();
  };
  return h(
    "details",
    { class: "package", key: "package", on: { toggle: opened } },
    h("summary", {}, "Files on disk"),
    h(
      "p",
      {},
      "On disk, a taskdoc is the folder ",
      code(`tasks/${name}.tsk`),
      " with its three sections and ",
      code("meta.json"),
      ", which lists the size and checksum of each. Gatepost writes these files; do not edit them. Other files in the folder are",
      " ignored. ",
      code("meta.json"),
      " says:",
    ),
    facts
      ? h(
          "div",
          { class: "scroll", tabindex: 0, role: "group", "aria-label": "meta.json" },
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                HEADS.map((words) => h("th", { scope: "col" }, words)),
              ),
            ),
            h(
              "tbody",
              {},
              SECTIONS.map((selector) => fact(view, selector)),
            ),
          ),
        )
      : h("p", { class: "muted" }, "Loading…"),
  );
}

/** @param {TaskdocView} view @param {Selector} selector */
function fact(view, selector) {
  const { revision, actor: by, updated_at: at } = view.opened.doc.sections[selector];
  const known = view.facts?.[selector];
  return h(
    "tr",
    { key: selector },
    h("th", { scope: "row" }, `${selector}.md`),
    h("td", {}, revision),
    h("td", {}, actor(by)),
    h("td", {}, time(at)),
    h("td", {}, known ? many(known.bytes, "byte") : "empty"),
    h("td", { class: "id" }, known?.sha256 ?? "–"),
  );
}

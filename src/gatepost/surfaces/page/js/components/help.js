// Help: the keys, and what the signs mean.

import { h } from "../dom.js";
import { GLYPHS } from "../labels.js";
import { legend } from "./proofs.js";

const KEYS = [
  ["?", "This help"],
  ["/ or Ctrl K", "Search"],
  ["↑ ↓ ← →", "Move in the tree of steps, and open or close branches"],
  ["Enter", "Open the step"],
  ["Esc", "Close a dialog"],
];
const STATES = ["open", "now", "blocked", "done"];

/** Open the help. If it is open, it stays. */
export function openHelp() {
  if (document.querySelector("dialog.help")) return;
  const close = h("button", { type: "button" }, "Close");
  const dialog = h(
    "dialog",
    { class: "ask help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title", tabindex: -1, autofocus: true }, "Help"),
    h("h3", { class: "label" }, "Checkpoints"),
    h("p", { class: "muted" }, "What a confirmation rests on. Point at a checkpoint to see who, when and on what."),
    legend(),
    h("h3", { class: "label" }, "Steps"),
    h(
      "ul",
      { class: "legend" },
      STATES.map((name) =>
        h("li", {}, h("span", { class: ["glyph", `state-${name}`], "aria-hidden": "true" }, GLYPHS[name]), name),
      ),
    ),
    h("h3", { class: "label" }, "Keys"),
    h(
      "dl",
      { class: "keys" },
      KEYS.map(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)]),
    ),
    h("div", { class: "actions" }, close),
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// Undo of any one operation. The dialog first shows what would change.

import { Refusal } from "../api.js";
import { h, show } from "../dom.js";
import { toolText } from "../labels.js";
import { ask } from "./dialog.js";
import { aside } from "./elements.js";
import { fieldChanges } from "./field_changes.js";
import { notice } from "./notices.js";
import { isRefused, refused } from "./refusals.js";

/** @import { Child } from "../../types/page.d.ts" */
/** @import { TaskView } from "../views/task.js" */

const TAKEN_BACK = "Notes and evidence stay. You can redo it until something new is written.";

/**
 * Show what undoing an operation of the open task or plan would change, then undo it. The server refuses it if something
 * that it changed was changed again since, so what was shown is what happens.
 * @param {TaskView} view
 * @param {number} operation
 * @param {Child} about Who did what, and when.
 */
export function openUndo(view, operation, about) {
  const { app, id } = view;
  const asked = { task: id, operation };
  const place = h("div", { class: "preview", "aria-live": "polite" });
  const dialog = ask({
    title: `Undo #${operation}?`,
    submit: "Undo",
    fields: [about, place],
    send: async () => {
      try {
        const reply = await app.call("tasks_undo", asked);
        notice(`Undid #${reply.operation} (${toolText(reply.tool)}).`, { more: (reply.warnings ?? []).join(" ") });
      } catch (error) {
        if (error instanceof Refusal) await preview();
        throw error;
      } finally {
        view.refresh();
      }
    },
  });
  const go = /** @type {HTMLButtonElement} */ (dialog.querySelector("[type=submit]"));
  preview();

  async function preview() {
    go.disabled = true;
    show(place, aside("Loading what would change…"));
    try {
      const { diff = [], warnings = [] } = await app.call("tasks_undo", { ...asked, apply: false });
      show(
        place,
        h("h3", { class: "label" }, "What changes"),
        diff.length ? fieldChanges(diff) : aside("Nothing: what it changed no longer exists."),
        warnings.map((text) => h("p", { class: "banner" }, text)),
        aside(TAKEN_BACK),
      );
      go.disabled = false;
    } catch (error) {
      if (isRefused(error))
        show(place, refused(app, error, { here: [id], again: preview }), aside("Nothing was changed."));
    }
  }
}

// Unsaved text, kept in this tab.

import { notice } from "./notices.js";

/** @import { Json } from "../../types/page.d.ts" */

/** Text that was typed and not saved. It survives reloads of this tab, until it is saved or discarded. */
export class Draft {
  #key;

  /** @param {string} kind @param {string} workspace @param {string} name @param {string} selector */
  constructor(kind, workspace, name, selector) {
    this.#key = `gatepost.${kind}:${JSON.stringify([workspace, name, selector])}`;
  }

  /** @returns {Json} */
  get() {
    const found = sessionStorage.getItem(this.#key);
    return found ? JSON.parse(found) : null;
  }

  /** @param {unknown} value */
  put(value) {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(value));
    } catch {
      notice("This browser cannot store more drafts. Unsaved text will be lost if you reload the page.", {
        kind: "bad",
      });
    }
  }

  drop() {
    sessionStorage.removeItem(this.#key);
  }
}

// Unsaved text, kept in this tab.

import { notice } from "./notices.js";

/** What somebody typed and did not save: kept for this tab, through reloads, until it is saved or thrown away. */
export class Draft {
  #key;

  constructor(kind, workspace, name, selector) {
    this.#key = `gatepost.${kind}:${JSON.stringify([workspace, name, selector])}`;
  }

  get() {
    const found = sessionStorage.getItem(this.#key);
    return found ? JSON.parse(found) : null;
  }

  put(value) {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(value));
    } catch {
      notice("This browser keeps no more drafts: what you type would not survive a reload.", { kind: "bad" });
    }
  }

  drop() {
    sessionStorage.removeItem(this.#key);
  }
}

// Markdown, rendered and sanitized by the server. The only place where markup becomes elements.

import { markdown } from "../api.js";
import { h } from "../dom.js";

/** @import { About } from "../../types/page.d.ts" */

/** @type {{createHTML: (html: string) => string}} */
const plain = { createHTML: (html) => html };
// `any`: TypeScript's DOM library does not know trustedTypes.
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("gatepost", plain) ?? plain;

export class Markdown extends HTMLElement {
  /** @type {string | null} */
  #text = null;

  #wanted = "";

  /** @param {string} text */
  renew(text) {
    this.#wanted = text;
    if (!this.childNodes.length) this.textContent = text; // until the server has answered, or if it cannot
    if (this.isConnected) this.connectedCallback();
  }

  // Only what is shown is rendered: most elements are created just to be compared.
  connectedCallback() {
    const text = this.#wanted;
    if (text === this.#text) return;
    this.#text = text;
    markdown(text).then(
      (html) => {
        if (this.#text === text) this.#fill(html);
      },
      () => {
        this.textContent = text;
      },
    );
  }

  /** @param {string} html */
  #fill(html) {
    this.innerHTML = policy.createHTML(html);
    for (const wide of this.querySelectorAll("pre, table")) wide.setAttribute("tabindex", "0"); // they scroll, so let the keyboard reach them
  }
}

customElements.define("gp-markdown", Markdown);

/**
 * A text in Markdown.
 * @param {string | null | undefined} text
 * @param {About} about
 */
export const rich = (text, about = {}) => h("gp-markdown", { ...about, keep: true, state: text ?? "" });

// Markdown, as the server renders and cleans it. The one place where markup from elsewhere becomes elements.

import { markdown } from "../api.js";
import { h } from "../dom.js";

const policy = globalThis.trustedTypes?.createPolicy("gatepost", { createHTML: (html) => html }) ?? { createHTML: (html) => html };

class Markdown extends HTMLElement {
  #text = null;

  #wanted = "";

  renew(text) {
    this.#wanted = text;
    if (!this.childNodes.length) this.textContent = text; // until the server has answered, and if it cannot
    if (this.isConnected) this.connectedCallback();
  }

  // Only what is shown is asked for: most patterns of elements never are.
  connectedCallback() {
    const text = this.#wanted;
    if (text === this.#text) return;
    this.#text = text;
    markdown(text).then((html) => { if (this.#text === text) this.#fill(html); }, () => { this.textContent = text; });
  }

  #fill(html) {
    this.innerHTML = policy.createHTML(html);
    for (const wide of this.querySelectorAll("pre, table")) wide.tabIndex = 0; // they scroll by themselves: also by keyboard
  }
}

customElements.define("gp-markdown", Markdown);

/** A text in markdown. */
export const rich = (text, about = {}) => h("gp-markdown", { ...about, keep: true, state: text ?? "" });

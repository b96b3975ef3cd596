// "Needs you": everything in a workspace that waits for a person.

import { h, show } from "../dom.js";
import { button, empty } from "../components/elements.js";
import { InboxItems, askNotifications } from "../components/inbox.js";
import { answerNotifications, notifying } from "../notifications.js";

/** @import { App } from "../app.js" */

export class InboxView {
  /** @type {App} */
  #app;
  #place;
  #items;

  /** @param {App} app @param {HTMLElement} place */
  constructor(app, place) {
    this.#app = app;
    this.#place = place;
    this.#items = new InboxItems(app, () => this.#draw());
  }

  async open() {
    const looking = this.#app.look();
    if (!this.#app.inbox) await looking;
    this.#draw();
  }

  overviewed() {
    this.#draw();
  }

  #draw() {
    const found = this.#app.inbox;
    if (!found || !this.#place.isConnected || this.#place.dataset.view !== "inbox") return;
    show(
      this.#place,
      h(
        "div",
        { class: "inbox-view" },
        h("h1", {}, "Needs you"),
        found.items.length
          ? this.#items.render(found.items)
          : empty("Nothing waits for you", "Agents' questions, sign-offs and plans to approve appear here."),
        found.has_more
          ? h("p", { class: "muted" }, "There are more items. They appear here as you finish these.")
          : null,
        askNotifications(() => this.#draw()) ?? this.#notifications(),
      ),
    );
  }

  #notifications() {
    const state = notifying();
    if (state === "impossible") return null;
    const isOn = state === "on";
    const flip = async () => {
      await answerNotifications(!isOn);
      this.#draw();
    };
    return h(
      "p",
      { key: "notifications", class: "muted" },
      `Browser notifications are ${isOn ? "on" : "off"}. `,
      button(isOn ? "Turn off" : "Turn on", flip, { class: "quiet" }),
    );
  }
}

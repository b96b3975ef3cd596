// The activity feed, live: newest first, without moving what somebody reads.

import { h, show } from "../dom.js";
import { who } from "../labels.js";
import { actor, time } from "./elements.js";
import { KINDS, done, firstLine, mark, subject } from "./event_text.js";

/** @import { LogEvent } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

const KEPT = 300;
const FIRST = matchMedia("(max-width: 60rem)").matches ? 12 : 30; // rows; on narrow screens the feed has no scroll bar of its own
const STEP = 50;
const ROUNDS = 4; // a page of the log may end early because its texts are long; then the rest is requested
const GLOW = 2_500;

/** The feed of a workspace's log. `renew` gets the activity of the overview. */
export class Activity extends HTMLElement {
  /** @type {App | null} */
  #app = null;
  /** @type {Map<number, LogEvent>} */
  #known = new Map();
  #newest = 0;
  #upto = 0;
  /** @type {Map<number, number>} */
  #fresh = new Map();
  #limit = KEPT;
  #rows = FIRST;
  #by = "";
  #kind = "";
  #asking = false;
  #touching = false;

  constructor() {
    super();
    this.addEventListener("pointerenter", () => {
      this.#touching = true;
    });
    this.addEventListener("pointerleave", () => {
      this.#touching = false;
      this.#settle();
    });
    this.addEventListener("focusout", () => queueMicrotask(() => this.#settle()));
    this.addEventListener("scroll", () => this.#settle(), { capture: true, passive: true });
  }

  connectedCallback() {
    if (this.#app) this.#draw();
  }

  /** @param {{app: App, activity: LogEvent[]}} state */
  renew({ app, activity }) {
    this.#app = app;
    for (const event of activity) this.#known.set(event.seq, event);
    this.#newest = Math.max(this.#newest, activity[0]?.seq ?? 0);
    this.#forget();
    if (!this.#upto) this.#upto = this.#newest;
    if (!this.isConnected) return; // created only to be compared, or not in the page yet
    if (!this.#isRead()) this.#reveal();
    this.#draw();
  }

  /**
   * Add events of the log. They are shown with the next overview, which has their titles.
   * @param {LogEvent[]} events
   */
  add(events) {
    for (const event of events) if (!this.#known.has(event.seq)) this.#known.set(event.seq, event);
  }

  /** Forget everything: the log is another one now. */
  clear() {
    this.#known.clear();
    this.#fresh.clear();
    this.#upto = this.#newest = 0;
  }

  #forget() {
    const seqs = [...this.#known.keys()].sort((one, other) => other - one);
    for (const seq of seqs.slice(this.#limit)) this.#known.delete(seq);
    for (const [seq, until] of this.#fresh) if (until < Date.now()) this.#fresh.delete(seq);
  }

  /** Whether somebody is reading here, so that nothing may move. */
  #isRead() {
    const list = this.querySelector(".scroll");
    if (!list) return false;
    const header = document.getElementById("header")?.offsetHeight ?? 0;
    const isPassed = list.getBoundingClientRect().top < header - 1;
    return this.#touching || list.contains(document.activeElement) || list.scrollTop > 4 || isPassed;
  }

  #settle() {
    if (this.#upto === this.#newest || this.#isRead()) return;
    this.#reveal();
    this.#draw();
  }

  #reveal() {
    const until = Date.now() + GLOW;
    for (const seq of this.#known.keys()) if (seq > this.#upto && seq <= this.#newest) this.#fresh.set(seq, until);
    this.#upto = this.#newest;
  }

  #draw() {
    const passing = [...this.#known.values()]
      .filter((event) => this.#passes(event))
      .sort((one, other) => other.seq - one.seq);
    const shown = passing.filter((event) => event.seq <= this.#upto);
    const grouped = runs(shown);
    const nothing = this.#known.size ? "No matching activity." : "No activity yet.";
    const coming = passing.filter((event) => event.seq > this.#upto && event.seq <= this.#newest);
    show(
      this,
      this.#heading(),
      this.#news(coming.length),
      h(
        "div",
        { key: "list", class: "scroll", tabindex: 0, role: "region", "aria-label": "Events" },
        shown.length
          ? h(
              "ol",
              {},
              grouped.slice(0, this.#rows).map((run) => this.#run(run)),
            )
          : h("p", { class: "muted nothing" }, nothing),
        this.#earlier(grouped.length > this.#rows),
      ),
    );
  }

  /** @param {LogEvent} event */
  #passes(event) {
    return (!this.#by || event.actor === this.#by) && (!this.#kind || KINDS[this.#kind].has.test(event.type));
  }

  #heading() {
    const actors = [...new Set([...this.#known.values()].map((event) => event.actor))].sort();
    const people = [["", "Everyone"], ...actors.map((name) => [name, who(name).name])];
    const kinds = [["", "Everything"], ...Object.entries(KINDS).map(([name, { label }]) => [name, label])];
    /**
     * @param {string} label
     * @param {string} chosen
     * @param {string[][]} options
     * @param {(value: string) => void} set
     */
    const choose = (label, chosen, options, set) =>
      h(
        "label",
        {},
        h("span", { class: "sr" }, label),
        h(
          "select",
          {
            on: {
              change: (event) => {
                set(event.currentTarget.value);
                this.#draw();
              },
            },
          },
          options.map(([value, words]) => h("option", { key: value, value, selected: value === chosen }, words)),
        ),
      );
    return h(
      "div",
      { key: "heading", class: "heading" },
      h("h2", { id: "activity" }, "Activity"),
      h(
        "div",
        { class: "filters" },
        choose("Actor", this.#by, people, (value) => {
          this.#by = value;
        }),
        choose("Kind", this.#kind, kinds, (value) => {
          this.#kind = value;
        }),
      ),
    );
  }

  /** @param {number} count */
  #news(count) {
    const come = () => {
      this.#reveal();
      this.#draw();
      const list = /** @type {HTMLElement | null} */ (this.querySelector(".scroll"));
      list?.scroll({ top: 0 });
      list?.focus({ preventScroll: true });
      if (this.getBoundingClientRect().top < 0) this.scrollIntoView({ block: "start" });
    };
    return h(
      "div",
      { key: "news", class: "news" },
      count ? h("button", { type: "button", on: { click: come } }, `↑ ${count} new`) : null,
    );
  }

  /** @param {LogEvent[]} run */
  #run(run) {
    const [first, ...more] = run;
    const isFresh = run.some((event) => (this.#fresh.get(event.seq) ?? 0) > Date.now());
    return h(
      "li",
      { key: run[run.length - 1].seq, class: [isFresh && "fresh"] },
      this.#one(first),
      more.length
        ? h(
            "details",
            { class: "more" },
            h("summary", {}, `and ${more.length} more`),
            h(
              "ol",
              {},
              more.map((event) => h("li", { key: event.seq }, this.#one(event))),
            ),
          )
        : null,
    );
  }

  /** @param {LogEvent} event */
  #one(event) {
    const { name, id, href } = this.#app ? subject(this.#app, event) : { href: "" };
    const line = firstLine(event);
    return h(
      "div",
      { class: ["event", `type-${event.type}`] },
      h("span", { class: "glyph", "aria-hidden": "true" }, mark(event)),
      h(
        "p",
        { class: "words" },
        actor(event.actor),
        ` ${done(event)}`,
        name ? [" · ", href ? h("a", { href }, name) : name] : null,
      ),
      line ? h("p", { class: "line" }, line) : null,
      h(
        "p",
        { class: "when" },
        id ? [h(name || !href ? "span" : "a", { class: "id", href: name ? null : href || null }, id), " · "] : null,
        time(event.at),
      ),
    );
  }

  /** @param {boolean} hasRows */
  #earlier(hasRows) {
    const oldest = Math.min(...this.#known.keys());
    if (!hasRows && (!this.#known.size || oldest <= 1)) return null;
    const more = () => {
      this.#rows += FIRST;
      if (hasRows) this.#draw();
      else this.#ask(oldest);
    };
    const about = { key: "earlier", type: "button", class: "quiet", disabled: this.#asking, on: { click: more } };
    return h("button", about, "Show earlier");
  }

  /** @param {number} oldest */
  async #ask(oldest) {
    this.#asking = true;
    this.#draw();
    let since = Math.max(0, oldest - 1 - STEP);
    try {
      for (let round = 0; round < ROUNDS && since < oldest - 1; round++) {
        const page = await this.#app?.change("tasks_delta", { since, limit: STEP });
        if (!page) break;
        this.#limit += page.events.length;
        this.add(page.events);
        if (!page.has_more) break;
        since = page.next;
      }
    } finally {
      this.#asking = false;
      this.#draw();
    }
  }
}

customElements.define("gp-activity", Activity);

/**
 * Groups of the same action by the same actor in one place.
 * @param {LogEvent[]} events
 */
function runs(events) {
  /** @type {LogEvent[][]} */
  const found = [];
  for (const event of events) {
    const last = found.at(-1);
    if (last && isAlike(last[0], event)) last.push(event);
    else found.push([event]);
  }
  return found;
}

/** @type {Array<keyof LogEvent>} */
const PLACES = ["actor", "type", "task", "plan", "taskdoc"];
/** @param {LogEvent} one @param {LogEvent} other */
const isAlike = (one, other) => PLACES.every((name) => one[name] === other[name]);

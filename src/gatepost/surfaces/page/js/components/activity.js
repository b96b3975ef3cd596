// What happened, as it happens: newest first, without moving what somebody reads.

import { h, show } from "../dom.js";
import { who } from "../labels.js";
import { actor, time } from "./elements.js";
import { KINDS, done, firstLine, mark, subject } from "./event_text.js";

const KEPT = 300;
const FIRST = matchMedia("(max-width: 60rem)").matches ? 12 : 30; // rows; there, the feed has no scroll bar of its own
const STEP = 50;
const ROUNDS = 4; // a page of the log may end early because its texts are long; then the rest of it is asked for
const GLOW = 2_500;

/** The feed of a workspace's log. `renew({app, activity})` with what the overview has of it. */
class Activity extends HTMLElement {
  #app = null;
  #known = new Map();
  #newest = 0;
  #upto = 0;
  #fresh = new Map();
  #limit = KEPT;
  #rows = FIRST;
  #by = "";
  #kind = "";
  #asking = false;
  #touching = false;

  constructor() {
    super();
    this.addEventListener("pointerenter", () => { this.#touching = true; });
    this.addEventListener("pointerleave", () => { this.#touching = false; this.#settle(); });
    this.addEventListener("focusout", () => queueMicrotask(() => this.#settle()));
    this.addEventListener("scroll", () => this.#settle(), { capture: true, passive: true });
  }

  connectedCallback() {
    if (this.#app) this.#draw();
  }

  renew({ app, activity }) {
    this.#app = app;
    for (const event of activity) this.#known.set(event.seq, event);
    this.#newest = Math.max(this.#newest, activity[0]?.seq ?? 0);
    this.#forget();
    if (!this.#upto) this.#upto = this.#newest;
    if (!this.isConnected) return; // made only to be compared, or not in its place yet
    if (!this.#isRead()) this.#reveal();
    this.#draw();
  }

  /** Events as the log has them. They are shown with the overview that follows, which knows what they are about. */
  add(events) {
    for (const event of events) if (!this.#known.has(event.seq)) this.#known.set(event.seq, event);
  }

  /** The log is another one now. */
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

  /** Whether somebody is reading here, so that nothing must move. */
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
    const passing = [...this.#known.values()].filter((event) => this.#passes(event)).sort((one, other) => other.seq - one.seq);
    const shown = passing.filter((event) => event.seq <= this.#upto);
    const told = runs(shown);
    const nothing = this.#known.size ? "Nothing of that kind lately." : "Nothing has happened yet.";
    const coming = passing.filter((event) => event.seq > this.#upto && event.seq <= this.#newest);
    show(this, this.#heading(), this.#news(coming.length),
      h("div", { key: "list", class: "scroll", tabindex: 0, role: "region", "aria-label": "What happened" },
        shown.length ? h("ol", {}, told.slice(0, this.#rows).map((run) => this.#run(run))) : h("p", { class: "muted nothing" }, nothing),
        this.#earlier(told.length > this.#rows)));
  }

  #passes(event) {
    return (!this.#by || event.actor === this.#by) && (!this.#kind || KINDS[this.#kind].has.test(event.type));
  }

  #heading() {
    const actors = [...new Set([...this.#known.values()].map((event) => event.actor))].sort();
    const people = [["", "Everyone"], ...actors.map((name) => [name, who(name).name])];
    const kinds = [["", "Everything"], ...Object.entries(KINDS).map(([name, { label }]) => [name, label])];
    const choose = (label, chosen, options, set) => h("label", {}, h("span", { class: "sr" }, label),
      h("select", { on: { change: (event) => { set(event.currentTarget.value); this.#draw(); } } },
        options.map(([value, words]) => h("option", { key: value, value, selected: value === chosen }, words))));
    return h("div", { key: "heading", class: "heading" }, h("h2", { id: "activity" }, "Activity"), h("div", { class: "filters" },
      choose("Whose", this.#by, people, (value) => { this.#by = value; }),
      choose("What kind", this.#kind, kinds, (value) => { this.#kind = value; })));
  }

  #news(count) {
    const come = () => {
      this.#reveal();
      this.#draw();
      this.querySelector(".scroll").scrollTop = 0;
      this.querySelector(".scroll").focus({ preventScroll: true });
      if (this.getBoundingClientRect().top < 0) this.scrollIntoView({ block: "start" });
    };
    return h("div", { key: "news", class: "news" },
      count ? h("button", { type: "button", on: { click: come } }, `↑ ${count} new`) : null);
  }

  #run(run) {
    const [first, ...more] = run;
    const isFresh = run.some((event) => (this.#fresh.get(event.seq) ?? 0) > Date.now());
    return h("li", { key: run.at(-1).seq, class: [isFresh && "fresh"] }, this.#one(first),
      more.length ? h("details", { class: "more" }, h("summary", {}, `and ${more.length} more`),
        h("ol", {}, more.map((event) => h("li", { key: event.seq }, this.#one(event))))) : null);
  }

  #one(event) {
    const { name, id, href } = subject(this.#app, event);
    const line = firstLine(event);
    return h("div", { class: ["event", `type-${event.type}`] },
      h("span", { class: "glyph", "aria-hidden": "true" }, mark(event)),
      h("p", { class: "told" }, actor(event.actor), ` ${done(event)}`, name ? [" · ", href ? h("a", { href }, name) : name] : null),
      line ? h("p", { class: "line" }, line) : null,
      h("p", { class: "when" },
        id ? [h(name || !href ? "span" : "a", { class: "id", href: name ? null : href || null }, id), " · "] : null, time(event.at)));
  }

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

  async #ask(oldest) {
    this.#asking = true;
    this.#draw();
    let since = Math.max(0, oldest - 1 - STEP);
    try {
      for (let round = 0; round < ROUNDS && since < oldest - 1; round++) {
        const page = await this.#app.change("tasks_delta", { since, limit: STEP });
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

/** What somebody did several times in a row in one place, together. */
function runs(events) {
  const found = [];
  for (const event of events) {
    const last = found.at(-1);
    if (last && isAlike(last[0], event)) last.push(event);
    else found.push([event]);
  }
  return found;
}

const PLACES = ["actor", "type", "task", "plan", "taskdoc"];
const isAlike = (one, other) => PLACES.every((name) => one[name] === other[name]);

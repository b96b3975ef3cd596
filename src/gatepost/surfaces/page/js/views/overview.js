// The overview of a workspace: radar, plans and tasks, taskdocs, todo lists, actors and activity.

import "../components/activity.js";
import { h, show } from "../dom.js";
import { Away } from "../components/away.js";
import { openCreate } from "../components/create_dialog.js";
import { actorsCard, listsCard, taskdocsCard } from "../components/overview_cards.js";
import { InboxItems, askNotifications, waitingCount } from "../components/inbox.js";
import { planList } from "../components/plan_list.js";
import { radar } from "../components/radar.js";
import { command, empty, time } from "../components/elements.js";
import { many } from "../labels.js";

/** @import { LogEvent, Overview, TaskdocRow } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @import { Activity } from "../components/activity.js" */

const WAITING = 3; // items of the inbox that are shown here
const AGAIN = 20_000; // who is active changes even when nothing happens

export class OverviewView {
  /** @type {App} */
  #app;
  /** @type {HTMLElement} */
  #place;
  /** @type {ReturnType<typeof setInterval> | null} */
  #again = null;
  #items;
  #away;

  /** @param {App} app @param {HTMLElement} place */
  constructor(app, place) {
    this.#app = app;
    this.#place = place;
    this.#items = new InboxItems(app, () => this.#draw());
    this.#away = new Away(app, () => this.#draw());
  }

  async open() {
    this.#again = setInterval(() => {
      this.#draw();
      this.#app.look();
    }, AGAIN);
    const looking = this.#app.look(); // the known overview may be old: an edit outside Gatepost is no event
    if (!this.#app.overview) await looking;
    this.#draw();
  }

  go() {
    this.#draw();
  }

  /** @param {LogEvent[]} events @param {boolean} everything */
  changed(events, everything) {
    const feed = /** @type {Activity | null} */ (this.#place.querySelector("gp-activity"));
    if (everything) {
      feed?.clear();
      this.#draw();
    } else feed?.add(events);
  }

  overviewed() {
    this.#draw();
  }

  leave() {
    clearInterval(this.#again ?? undefined);
    this.#again = null;
    this.#away.end();
  }

  #draw() {
    const seen = this.#app.overview;
    if (!seen || !this.#again) return; // not known yet, or the view was left
    const isNew = !seen.plans.length && !seen.tasks.length;
    const app = this.#app;
    const feed = h("gp-activity", { keep: true, state: { app, activity: seen.activity } });
    show(
      this.#place,
      heading(app, seen),
      tampered(app, seen.taskdocs),
      this.#away.render(),
      this.#needsYou(),
      isNew ? begin(app) : top(app, seen),
      h(
        "div",
        { key: "columns", class: "overview-columns" },
        h(
          "div",
          { class: "wide" },
          isNew ? null : planList(app, seen),
          taskdocsCard(app, seen.taskdocs),
          listsCard(app, seen.sessions),
        ),
        h(
          "div",
          { class: "side" },
          actorsCard(app, seen.actors),
          h("section", { class: "card", "aria-labelledby": "activity" }, feed),
        ),
      ),
    );
  }

  #needsYou() {
    const { inbox } = this.#app;
    const items = inbox?.items ?? [];
    if (!inbox || !items.length) return null;
    return h(
      "section",
      { key: "needs-you", class: "needs-you", "aria-labelledby": "needs-you" },
      h(
        "div",
        { class: "section-head" },
        h("h2", { id: "needs-you" }, "Needs you"),
        items.length > WAITING ? h("a", { href: this.#app.link("inbox") }, `Show all ${waitingCount(inbox)}`) : null,
      ),
      this.#items.render(items.slice(0, WAITING)),
      askNotifications(() => this.#draw()),
    );
  }
}

/** @param {App} app @param {Overview} overview */
function heading(app, { open, activity }) {
  const last = activity[0];
  const more = open.at_least ? "at least " : "";
  return h(
    "div",
    { key: "heading", class: "overview-head" },
    h(
      "div",
      {},
      h("h1", {}, app.workspace),
      h(
        "p",
        { class: "sum" },
        open.tasks ? `${more}${many(open.tasks, "open task")}` : "no open tasks",
        " · ",
        open.blocked
          ? h("strong", { class: "stuck" }, `${more}${many(open.blocked, "blocked step")}`)
          : "nothing blocked",
        last ? [" · last activity ", time(last.at)] : null,
      ),
    ),
    h(
      "div",
      { class: "acts" },
      h("button", { type: "button", on: { click: () => openCreate(app, "task") } }, "New task"),
      h("button", { type: "button", on: { click: () => openCreate(app, "plan") } }, "New plan"),
    ),
  );
}

/** @param {App} app @param {TaskdocRow[]} docs */
function tampered(app, docs) {
  const amiss = docs.filter((doc) => doc.findings?.length);
  if (!amiss.length) return null;
  return h(
    "div",
    { key: "tampered", class: "banner" },
    amiss.map(({ name, edited, findings }) =>
      h(
        "p",
        { key: name },
        h("span", { "aria-hidden": "true" }, "⚠ "),
        `${(findings ?? []).map(({ says }) => says).join(" ")} `,
        h("a", { href: app.link("taskdoc", name, ...edited.slice(0, 1)) }, name),
        edited.length ? " cannot be changed until you resolve this." : " still works.",
      ),
    ),
  );
}

/** @param {App} app */
function begin(app) {
  return h(
    "div",
    { key: "begin", class: "overview-begin" },
    h("h2", { class: "sr" }, "Getting started"),
    empty(
      "No plans or tasks yet",
      "Connect an agent and its work appears here live:",
      command(`claude mcp add --transport http gatepost ${location.origin}/mcp`),
      h("p", {}, "Or start yourself."),
      h("button", { type: "button", class: "primary", on: { click: () => openCreate(app, "task") } }, "Create a task"),
    ),
  );
}

/** @param {App} app @param {Overview} seen */
function top(app, seen) {
  const target = seen.radar?.target?.id;
  const elsewhere = seen.tasks
    .filter(({ id, plan, counts }) => counts.blocked && id !== target && plan !== target)
    .slice(0, 4);
  if (seen.radar) return h("div", { key: "radar" }, radar(app, seen.radar, elsewhere));
  return h(
    "div",
    { key: "radar", class: "overview-begin" },
    h("h2", { class: "sr" }, "Radar"),
    empty(
      "Everything is done",
      "Plan what comes next, or let an agent do it.",
      h("button", { type: "button", class: "primary", on: { click: () => openCreate(app, "task") } }, "New task"),
    ),
  );
}

// A workspace at a glance: what is done now, what is stuck, what is proven, and what everyone was told to obey.

import "../components/activity.js";
import { h, show } from "../dom.js";
import { openCreate } from "../components/create_dialog.js";
import { list } from "../components/next_action.js";
import { openPalette } from "../components/palette.js";
import { radar } from "../components/radar.js";
import { actor, command, empty, progress, state, time } from "../components/elements.js";
import { done, subject } from "../components/event_text.js";
import { many } from "../labels.js";

const AGAIN = 20_000; // who is active and who is quiet changes although nothing happens
const ACTIVE = 120_000;
const SEEN = 6;

export class OverviewView {
  #app;
  #place;
  #again = null;

  constructor(app, place) {
    this.#app = app;
    this.#place = place;
  }

  async open() {
    this.#again = setInterval(() => { this.#draw(); this.#app.look(); }, AGAIN);
    const looking = this.#app.look(); // what is known may be old: an edit from outside is no event
    if (!this.#app.overview) await looking;
    this.#draw();
  }

  go() {
    this.#draw();
  }

  changed(events, everything) {
    const feed = this.#place.querySelector("gp-activity");
    if (everything) {
      feed?.clear();
      this.#draw();
    } else feed?.add(events);
  }

  overviewed() {
    this.#draw();
  }

  leave() {
    clearInterval(this.#again);
    this.#again = null;
  }

  #draw() {
    const seen = this.#app.overview;
    if (!seen || !this.#again) return; // not known yet, or left meanwhile
    const isNew = !seen.plans.length && !seen.tasks.length;
    const app = this.#app;
    const feed = h("gp-activity", { keep: true, state: { app, activity: seen.activity } });
    show(this.#place, heading(app, seen), tampered(app, seen.taskdocs), isNew ? begin(app) : top(app, seen),
      h("div", { key: "columns", class: "overview-columns" },
        h("div", { class: "wide" }, isNew ? null : work(app, seen), taskdocs(app, seen.taskdocs), lists(app, seen.sessions)),
        h("div", { class: "side" }, crew(app, seen.actors), h("section", { class: "card", "aria-labelledby": "activity" }, feed))));
  }
}

function heading(app, { open, activity }) {
  const last = activity[0];
  const more = open.at_least ? "at least " : "";
  return h("div", { key: "heading", class: "overview-head" },
    h("div", {}, h("h1", {}, app.workspace),
      h("p", { class: "sum" }, open.tasks ? `${more}${many(open.tasks, "open task")}` : "no open task", " · ",
        open.blocked ? h("strong", { class: "stuck" }, `${more}${many(open.blocked, "blocked step")}`) : "nothing blocked",
        last ? [" · last sign of life ", time(last.at)] : null)),
    h("div", { class: "acts" },
      h("button", { type: "button", on: { click: () => openCreate(app, "task") } }, "New task"),
      h("button", { type: "button", on: { click: () => openCreate(app, "plan") } }, "New plan")));
}

function tampered(app, docs) {
  const amiss = docs.filter((doc) => doc.findings?.length);
  if (!amiss.length) return null;
  return h("div", { key: "tampered", class: "banner" }, amiss.map(({ name, edited, findings }) =>
    h("p", { key: name }, h("span", { "aria-hidden": "true" }, "⚠ "), `${findings.map(({ says }) => says).join(" ")} `,
      h("a", { href: app.link("taskdoc", name, ...edited.slice(0, 1)) }, name),
      edited.length ? " has to be settled before it can be changed here." : " still works.")));
}

function begin(app) {
  return h("div", { key: "begin", class: "overview-begin" }, h("h2", { class: "sr" }, "How to begin"), empty("Nothing is planned here yet",
    "Connect an agent, and what it plans and does appears here as it happens:",
    command(`claude mcp add --transport http gatepost ${location.origin}/mcp`),
    h("p", {}, "Or begin yourself."),
    h("button", { type: "button", class: "primary", on: { click: () => openCreate(app, "task") } }, "Make the first task")));
}

function top(app, seen) {
  const target = seen.radar?.target?.id;
  const elsewhere = seen.tasks.filter(({ id, plan, counts }) => counts.blocked && id !== target && plan !== target).slice(0, 4);
  if (seen.radar) return h("div", { key: "radar" }, radar(app, seen.radar, elsewhere));
  return h("div", { key: "radar", class: "overview-begin" }, h("h2", { class: "sr" }, "Radar"), empty("Everything here is done",
    "What comes next can be planned by an agent, or by you.",
    h("button", { type: "button", class: "primary", on: { click: () => openCreate(app, "task") } }, "New task")));
}

// Plans and tasks

function work(app, seen) {
  const { groups, loose, past } = grouped(seen);
  const now = seen.radar?.now?.task;
  return h("section", { class: "card work", "aria-labelledby": "work" }, h("h2", { id: "work" }, "Plans and tasks"),
    groups.map((group) => planned(app, group, now)),
    loose.length ? h("section", { key: "loose", class: "plan", "aria-label": "Without a plan" },
      groups.length ? h("h3", { class: "muted" }, "Without a plan") : null, rows(app, loose, now)) : null,
    past.length ? h("details", { key: "past", class: "past" }, h("summary", {}, many(past.length, "finished plan")),
      past.map((group) => planned(app, group, now))) : null,
    seen.more.plans || seen.more.tasks ? h("p", { key: "more", class: "muted more" }, "There are more than are shown here. ",
      h("button", { type: "button", on: { click: () => openPalette(app) } }, "Search")) : null);
}

function grouped({ plans, tasks }) {
  const groups = new Map(plans.map((plan) => [plan.id, { plan, tasks: [] }]));
  const loose = [];
  for (const task of tasks) {
    if (!task.plan) { loose.push(task); continue; }
    if (!groups.has(task.plan)) groups.set(task.plan, { plan: { id: task.plan, title: task.plan, status: "ACTIVE" }, tasks: [] });
    groups.get(task.plan).tasks.push(task);
  }
  const isPast = ({ plan, tasks: mine }) => plan.status === "DONE" && mine.every((task) => task.status === "DONE");
  const all = [...groups.values()];
  return { groups: all.filter((group) => !isPast(group)), loose, past: all.filter(isPast) };
}

function planned(app, { plan, tasks }, now) {
  const { id, title, counts } = plan;
  return h("section", { key: id, class: "plan", "aria-label": `${id} ${title}` },
    h("div", { class: "row head" },
      h("div", { class: "what" }, h("h3", {}, h("a", { href: app.link("task", id) }, title)),
        h("p", { class: "about" }, title === id ? null : h("span", { class: "id" }, id), chips(plan))),
      h("div", { class: "far" },
        counts?.tasks?.total ? progress(counts, `Progress of ${id}`) : h("p", { class: "muted" }, counts ? "no tasks yet" : ""),
        last(plan))),
    tasks.length ? rows(app, tasks, now) : null);
}

function rows(app, tasks, now) {
  const open = tasks.filter((task) => task.status !== "DONE");
  const past = tasks.filter((task) => task.status === "DONE");
  return [
    open.length ? h("ul", { class: "tasks" }, open.map((task) => row(app, task, now))) : null,
    past.length ? h("details", { key: "done", class: "past" }, h("summary", {}, many(past.length, "done task")),
      h("ul", { class: "tasks" }, past.map((task) => row(app, task, now)))) : null,
  ];
}

function row(app, task, now) {
  return h("li", { key: task.id, class: ["row", task.id === now && "now"] },
    h("div", { class: "what" }, h("p", { class: "title" }, h("a", { href: app.link("task", task.id) }, task.title)),
      h("p", { class: "about" }, standing(task), h("span", { class: "id" }, task.id), chips(task))),
    h("div", { class: "far" }, progress(task.counts, `Progress of ${task.id}`), last(task)));
}

function standing({ status, waiting_for: waits, counts }) {
  if (status === "DONE") return state("done");
  if (waits) return state("waits", `waits for ${many(waits, "other")}`);
  if (counts?.blocked && counts.blocked === counts.open) return state("blocked");
  return status === "ACTIVE" ? state("in_progress", "active") : state("todo", "to do");
}

function chips({ priority }) {
  const word = (priority ?? "MEDIUM").toLowerCase();
  return word === "medium" ? null : h("span", { class: ["chip", `priority-${word}`] }, word);
}

const last = ({ actor: name, updated_at: at }) => h("p", { class: "last muted" }, name ? [actor(name), " · ", time(at)] : null);

// Who, what they obey, and what they are about to do

function crew(app, actors) {
  return h("section", { class: "card crew", "aria-labelledby": "crew" }, h("h2", { id: "crew" }, "Who works on what"),
    actors.length ? h("ul", {}, actors.slice(0, SEEN).map((one) => member(app, one))) : h("p", { class: "muted" }, "Nobody yet."),
    actors.length > SEEN ? h("details", {}, h("summary", {}, `and ${actors.length - SEEN} more`),
      h("ul", {}, actors.slice(SEEN).map((one) => member(app, one)))) : null);
}

function member(app, one) {
  const { name, id, href } = subject(app, one);
  const isActive = Date.now() - Date.parse(one.at) < ACTIVE;
  return h("li", { key: one.actor, class: isActive ? "active" : "quiet" },
    h("p", {}, h("span", { class: "dot", "aria-hidden": "true" }), actor(one.actor),
      h("span", { class: "muted" }, isActive ? " active · " : " quiet · ", time(one.at))),
    h("p", { class: "act" }, done(one), name || id ? " · " : null, href ? h("a", { href }, name || id) : name || id,
      name && id ? [" ", h("span", { class: "id" }, id)] : null));
}

function taskdocs(app, docs) {
  return h("section", { class: "card overview-docs", "aria-labelledby": "docs" },
    h("h2", { id: "docs" }, "Taskdocs", h("span", { class: "muted" }, " what everyone was told to obey")),
    docs.length ? h("ul", {}, docs.map((doc) => taskdoc(app, doc)))
      : h("p", { class: "muted" }, "None yet. ", h("a", { href: app.link("taskdoc") }, "Make one"),
        " to give agents goals and constraints that outlive a session."));
}

function taskdoc(app, { name, plan, sections, edited }) {
  const written = Object.entries(sections).filter(([, section]) => section.bytes > 0);
  const [newest] = written.map(([, section]) => section).sort((one, other) => other.updated_at.localeCompare(one.updated_at));
  return h("li", { key: name },
    h("p", {}, h("a", { href: app.link("taskdoc", name) }, name), plan ? h("a", { class: "id", href: app.link("task", plan) }, plan) : null,
      edited?.length ? h("span", { class: "chip warn" }, "⚠ to be settled") : null,
      h("span", { class: "last muted" }, newest?.updated_at ? [actor(newest.actor), " · ", time(newest.updated_at)] : newest ? "on disk" : "empty so far")),
    h("p", { class: "sections" }, written.map(([selector, section]) =>
      h("a", { key: selector, class: "chip", href: app.link("taskdoc", name, selector) }, `${selector} `, section.updated_at ? time(section.updated_at) : null))));
}

function lists(app, sessions) {
  return h("section", { class: "card overview-lists", "aria-labelledby": "lists" }, h("h2", { id: "lists" }, "Todo lists"),
    sessions.length ? h("ul", {}, sessions.map(({ session, items }) => h("li", { key: session },
      h("a", { href: app.link("todos", session) }, session), h("span", { class: "muted" }, many(items, "item")))))
      : h("p", { class: "muted" }, "No session keeps a list just now."));
}

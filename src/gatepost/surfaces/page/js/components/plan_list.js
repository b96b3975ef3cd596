// The plans and tasks of a workspace, grouped by plan.

import { h } from "../dom.js";
import { many } from "../labels.js";
import { claimChip } from "./claims.js";
import { actor, progress, state, time } from "./elements.js";
import { openPalette } from "./palette.js";

/** @import { Held, Overview, Row } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @typedef {Map<string, Held>} HeldTasks */
/** @typedef {{plan: Partial<Row> & {id: string, title: string}, tasks: Row[]}} Group */

/** @param {App} app @param {Overview} seen */
export function planList(app, seen) {
  const { groups, loose, past } = grouped(seen);
  const now = seen.radar?.now?.task;
  const held = new Map((seen.radar?.held ?? []).map((one) => [one.task, one]));
  return h(
    "section",
    { class: "card work", "aria-labelledby": "work" },
    h("h2", { id: "work" }, "Plans and tasks"),
    groups.map((group) => planned(app, group, now, held)),
    loose.length
      ? h(
          "section",
          { key: "loose", class: "plan", "aria-label": "Without a plan" },
          groups.length ? h("h3", { class: "muted" }, "Without a plan") : null,
          rows(app, loose, now, held),
        )
      : null,
    past.length
      ? h(
          "details",
          { key: "past", class: "past" },
          h("summary", {}, many(past.length, "finished plan")),
          past.map((group) => planned(app, group, now, held)),
        )
      : null,
    seen.more.plans || seen.more.tasks
      ? h(
          "p",
          { key: "more", class: "muted more" },
          "Not all are shown. ",
          h("button", { type: "button", on: { click: () => openPalette(app) } }, "Search"),
        )
      : null,
  );
}

/** @param {Overview} overview */
function grouped({ plans, tasks }) {
  /** @type {Map<string, Group>} */
  const groups = new Map(plans.map((plan) => [plan.id, { plan, tasks: [] }]));
  /** @type {Row[]} */
  const loose = [];
  for (const task of tasks) {
    if (!task.plan) {
      loose.push(task);
      continue;
    }
    if (!groups.has(task.plan))
      groups.set(task.plan, { plan: { id: task.plan, title: task.plan, status: "ACTIVE" }, tasks: [] });
    groups.get(task.plan)?.tasks.push(task);
  }
  /** @param {Group} group */
  const isPast = ({ plan, tasks: mine }) => plan.status === "DONE" && mine.every((task) => task.status === "DONE");
  const all = [...groups.values()];
  return { groups: all.filter((group) => !isPast(group)), loose, past: all.filter(isPast) };
}

/** @param {App} app @param {Group} group @param {string | undefined} now @param {HeldTasks} held */
function planned(app, { plan, tasks }, now, held) {
  const { id, title, counts } = plan;
  return h(
    "section",
    { key: id, class: "plan", "aria-label": `${id} ${title}` },
    h(
      "div",
      { class: "row head" },
      h(
        "div",
        { class: "what" },
        h("h3", {}, h("a", { href: app.link("task", id) }, title)),
        h("p", { class: "about" }, title === id ? null : h("span", { class: "id" }, id), chips(plan)),
      ),
      h(
        "div",
        { class: "far" },
        counts?.tasks?.total
          ? progress(counts, `Progress of ${id}`)
          : h("p", { class: "muted" }, counts ? "no tasks yet" : ""),
        last(plan),
      ),
    ),
    tasks.length ? rows(app, tasks, now, held) : null,
  );
}

/** @param {App} app @param {Row[]} tasks @param {string | undefined} now @param {HeldTasks} held */
function rows(app, tasks, now, held) {
  const open = tasks.filter((task) => task.status !== "DONE");
  const past = tasks.filter((task) => task.status === "DONE");
  return [
    open.length
      ? h(
          "ul",
          { class: "tasks" },
          open.map((task) => row(app, task, now, held)),
        )
      : null,
    past.length
      ? h(
          "details",
          { key: "done", class: "past" },
          h("summary", {}, many(past.length, "done task")),
          h(
            "ul",
            { class: "tasks" },
            past.map((task) => row(app, task, now, held)),
          ),
        )
      : null,
  ];
}

/** @param {App} app @param {Row} task @param {string | undefined} now @param {HeldTasks} held */
function row(app, task, now, held) {
  const claim = held.get(task.id);
  return h(
    "li",
    { key: task.id, class: ["row", task.id === now && "now"] },
    h(
      "div",
      { class: "what" },
      h("p", { class: "title" }, h("a", { href: app.link("task", task.id) }, task.title)),
      h(
        "p",
        { class: "about" },
        standing(task),
        h("span", { class: "id" }, task.id),
        claim ? claimChip(claim) : null,
        chips(task),
      ),
    ),
    h("div", { class: "far" }, progress(task.counts, `Progress of ${task.id}`), last(task)),
  );
}

/** @param {Row} row */
function standing({ status, waiting_for: waits, counts }) {
  if (status === "DONE") return state("done");
  if (waits) return state("waits", `waits for ${many(waits, "task")}`);
  if (counts?.blocked && counts.blocked === counts.open) return state("blocked");
  return status === "ACTIVE" ? state("in_progress", "active") : state("todo", "to do");
}

/** @param {Partial<Row>} row */
function chips({ priority }) {
  const word = (priority ?? "MEDIUM").toLowerCase();
  return word === "medium" ? null : h("span", { class: ["chip", `priority-${word}`] }, word);
}

/** @param {Partial<Row>} row */
const last = ({ actor: name, updated_at: at }) =>
  h("p", { class: "last muted" }, name ? [actor(name), " · ", time(at)] : null);

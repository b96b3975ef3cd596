// The body of a plan: its tasks, checklist and contract.

import { Refusal, Unreachable } from "../api.js";
import { h, phrase } from "../dom.js";
import { GLYPHS, many } from "../labels.js";
import { isRefused, refused } from "../components/refusals.js";
import { rich } from "../components/markdown.js";
import { aside, button, chip, code, empty, progress, section, state } from "../components/elements.js";

/** @import { Row, Target } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @import { TaskView } from "./task.js" */

/** @type {Record<string, string>} */
const STATES = { DONE: "done", ACTIVE: "in_progress", TODO: "open" };
/** @type {Record<string, string>} */
const WORDS = { DONE: "done", ACTIVE: "active", TODO: "to do" };

export class PlanBody {
  /** @type {TaskView} */
  #view;
  /** @type {Refusal | Unreachable | null} */
  #no = null;

  /** @param {TaskView} view */
  constructor(view) {
    this.#view = view;
  }

  /**
   * The sections of a plan.
   * @param {{target: Target, tasks?: Row[], has_more: boolean}} found
   */
  render({ target, tasks = [], has_more: more }) {
    return [
      this.#tasks(target, tasks, more),
      target.checklist || target.doc ? this.#checklist(target) : null,
      this.#contract(target),
    ];
  }

  /** @param {Target} target @param {Row[]} tasks @param {boolean} more */
  #tasks(target, tasks, more) {
    const { app } = this.#view;
    return section(
      "tasks",
      `Tasks (${target.counts.tasks?.total ?? 0})`,
      "card plan-tasks",
      tasks.length
        ? h(
            "ul",
            { class: "task-rows" },
            tasks.map((task) => row(app, task, target.waiting_for ? 1 : 0)),
          )
        : empty("No tasks yet", "Create one from the overview, or let an agent do it."),
      more ? button("Show more tasks", () => this.#view.moreTasks()) : null,
    );
  }

  /** @param {Target} target */
  #checklist(target) {
    const { steps, current } = target.checklist ?? { steps: [], current: 0 };
    const next = steps[current];
    return section(
      "checklist",
      steps.length ? `Checklist (${current} of ${steps.length})` : "Checklist",
      "card checklist",
      h(
        "ol",
        {},
        steps.map((text, at) => point(text, at < current ? "done" : at === current ? "now" : "open")),
      ),
      target.doc ? rich(target.doc) : null,
      next
        ? h(
            "div",
            { class: "actions" },
            button(phrase`Check off “${clip(next)}”`, () => this.#advance(target)),
          )
        : null,
      this.#no ? refused(this.#view.app, this.#no, { again: () => this.#advance(target) }) : null,
    );
  }

  /** @param {Target} target */
  #contract(target) {
    const data = target.contract_data && JSON.stringify(target.contract_data, null, 2);
    return section(
      "contract",
      "Contract",
      "card contract",
      target.contract
        ? rich(target.contract)
        : aside("No contract. A contract sets the rules for all tasks of a plan."),
      data
        ? h("details", {}, h("summary", {}, "Contract data"), h("pre", { class: "block", tabindex: 0 }, data))
        : null,
    );
  }

  /** @param {Target} target */
  async #advance(target) {
    this.#no = null;
    try {
      await this.#view.app.call("tasks_plan", { plan: target.id, advance: true, expected_revision: target.revision });
    } catch (error) {
      if (isRefused(error)) this.#no = error;
    }
    this.#view.refresh();
    this.#view.show();
  }
}

// A task counts its plan among what it waits for, while that waits: `plans` is how often. The plan itself says so.
/** @param {App} app @param {Row} task @param {number} plans */
function row(app, task, plans) {
  const waits = (task.waiting_for ?? 0) - plans;
  return h(
    "li",
    { key: task.id },
    h(
      "div",
      { class: "task-row" },
      h("a", { href: app.link("task", task.id) }, task.title),
      h(
        "span",
        { class: "meta" },
        state(STATES[task.status], WORDS[task.status]),
        code(task.id),
        task.priority && task.priority !== "MEDIUM" ? chip(task.priority.toLowerCase()) : null,
        waits > 0 ? chip(`waits for ${many(waits, "task")}`) : null,
      ),
    ),
    progress(task.counts, `Progress of ${task.id}`),
  );
}

/** @param {string} text @param {string} kind */
function point(text, kind) {
  return h(
    "li",
    { class: kind },
    h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[kind]),
    h("span", {}, text),
    kind === "open" ? null : h("span", { class: "sr" }, kind === "done" ? " (done)" : " (current)"),
  );
}

/** @param {string} text */
const clip = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

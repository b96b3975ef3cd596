// What a plan has where a task has its steps: the contract, the checklist and its tasks.

import { h, phrase } from "../dom.js";
import { GLYPHS, many } from "../labels.js";
import { isRefused, refused } from "../components/refusals.js";
import { rich } from "../components/markdown.js";
import { aside, button, chip, code, empty, progress, section, state } from "../components/elements.js";

const STATES = { DONE: "done", ACTIVE: "in_progress", TODO: "open" };

export class PlanBody {
  #view;
  #no = null;

  constructor(view) {
    this.#view = view;
  }

  /** `target`, `tasks` and `has_more` as tasks_resume has them. */
  render({ target, tasks = [], has_more: more }) {
    return [
      this.#tasks(target, tasks, more),
      target.checklist || target.doc ? this.#checklist(target) : null,
      this.#contract(target),
    ];
  }

  #tasks(target, tasks, more) {
    const { app } = this.#view;
    return section("tasks", `Tasks (${target.counts.tasks.total})`, "card plan-tasks",
      tasks.length ? h("ul", { class: "task-rows" }, tasks.map((task) => row(app, task)))
        : empty("No tasks yet", "An agent adds them with tasks_create and this plan's id; so can you, from the overview."),
      more ? button("Show more tasks", () => this.#view.moreTasks()) : null);
  }

  #checklist(target) {
    const { steps, current } = target.checklist ?? { steps: [], current: 0 };
    const next = steps[current];
    return section("checklist", steps.length ? `Checklist (${current} of ${steps.length})` : "Checklist", "card checklist",
      h("ol", {}, steps.map((text, at) => point(text, at < current ? "done" : at === current ? "now" : "open"))),
      target.doc ? rich(target.doc) : null,
      next ? h("div", { class: "actions" }, button(phrase`Tick off “${clip(next)}”`, () => this.#advance(target))) : null,
      this.#no ? refused(this.#view.app, this.#no, { again: () => this.#advance(target) }) : null);
  }

  #contract(target) {
    const data = target.contract_data && JSON.stringify(target.contract_data, null, 2);
    return section("contract", "Contract", "card contract",
      target.contract ? rich(target.contract) : aside("None was agreed on. tasks_contract says what holds for all tasks here."),
      data ? h("details", {}, h("summary", {}, "As data"), h("pre", { class: "block", tabindex: 0 }, data)) : null);
  }

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

function row(app, task) {
  return h("li", { key: task.id },
    h("div", { class: "task-row" }, h("a", { href: app.link("task", task.id) }, task.title),
      h("span", { class: "meta" }, state(STATES[task.status], task.status.toLowerCase()), code(task.id),
        task.priority !== "MEDIUM" ? chip(task.priority.toLowerCase()) : null,
        task.waiting_for ? chip(`waits for ${many(task.waiting_for, "other")}`) : null)),
    progress(task.counts, `Progress of ${task.id}`));
}

function point(text, kind) {
  return h("li", { class: kind }, h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[kind]), h("span", {}, text),
    kind === "open" ? null : h("span", { class: "sr" }, kind === "done" ? " (done)" : " (current)"));
}

const clip = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

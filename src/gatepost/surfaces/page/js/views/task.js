// A task with its step tree and one step in full, or a plan with its tasks. What happens to it is shown as it happens.

import { h, show } from "../dom.js";
import { TreeModel } from "../components/tree_model.js";
import { Dependencies } from "../components/dependencies.js";
import { sheet } from "../components/handoff.js";
import { History } from "../components/task_history.js";
import { StepEvents } from "../components/step_events.js";
import { rich } from "../components/markdown.js";
import { button, chip, code, empty, progress, section, state } from "../components/elements.js";
import { radar } from "../components/radar.js";
import { Query } from "../components/query.js";
import { isRefused, refused } from "../components/refusals.js";
import { StepPane } from "../components/step_pane.js";
import "../components/tree.js";
import { PlanBody } from "./plan.js";

const NARROW = "(max-width: 60rem)";
const STATES = { DONE: ["done", "done"], ACTIVE: ["in_progress", "active"], TODO: ["open", "not begun"] };
const LONG = 600;
const TASKS = 100;
const LATEST = 200;
const MOST = 400_000;

export class TaskView {
  id = null;
  #parts = null;
  #at = null;
  #pane = null;
  #coming = null;
  #turning = false;
  #sheet = null;

  constructor(app, place) {
    this.app = app;
    this.place = place;
  }

  open(id, at) {
    return this.go(id, at);
  }

  async go(id = this.app.overview?.radar?.target?.id, at = null) {
    if (!id) return show(this.place, nothing());
    if (id !== this.id) this.#begin(id);
    if (at === "handoff") return this.#openSheet();
    this.#sheet?.end();
    this.#sheet = null;
    await this.#choose(at);
  }

  changed(events, everything) {
    if (!this.#parts) return;
    const { journal, head } = this.#parts;
    journal.add(events);
    const plan = head.value?.target.plan;
    const touched = events.filter((event) => this.#touches(event));
    if (everything || touched.length) this.refresh();
    else if (plan && events.some((event) => event.plan === plan)) this.#parts.radar.read();
  }

  overviewed() {
    const target = this.#parts?.head.value?.target;
    if (target) this.#parts.dependencies.read(target);
  }

  leave() {
    this.#end();
  }

  /** The newest revision that was seen. */
  get revision() {
    return this.#parts?.revision ?? null;
  }

  /** Settles when `revision` is as new as what was asked for last. */
  async settled() {
    await this.#parts?.head.settled();
  }

  get now() {
    return this.#parts?.radar.value?.now ?? null;
  }

  get journal() {
    return this.#parts.journal;
  }

  seen(target) {
    if (target && this.#parts && target.id === this.id) this.#parts.revision = Math.max(this.#parts.revision, target.revision);
  }

  /** Read everything that is shown again: what was shown stays until then. */
  refresh() {
    if (!this.#parts) return;
    const { head, radar: seen, tree, history } = this.#parts;
    head.read();
    seen.read();
    history.read();
    tree?.stale();
    this.#pane?.read();
    this.#sheet?.read();
  }

  moreTasks() {
    this.#parts.tasks += TASKS;
    this.#parts.head.read();
  }

  #touches(event) {
    if (event.task === this.id || event.plan === this.id) return true;
    const { head } = this.#parts;
    return isPlan(this.id) && (/^operation_/.test(event.type) || Boolean(head.value?.tasks?.some((task) => task.id === event.task)));
  }

  #begin(id) {
    this.#end();
    this.id = id;
    this.#at = null;
    const { app } = this;
    this.#parts = {
      revision: 0,
      tasks: TASKS,
      head: new Query(() => this.#askHead(id), () => this.#headRead()),
      radar: new Query(() => app.call("tasks_radar", { task: id }), () => this.show()),
      tree: isPlan(id) ? null : new TreeModel((asked) => app.call("tasks_tree", { task: id, ...asked })),
      journal: new StepEvents(app, id, () => this.show()),
      dependencies: new Dependencies(app, id, () => this.show()),
      history: new History(this),
      plan: new PlanBody(this),
    };
    const { head, radar: seen, history, journal } = this.#parts;
    for (const part of [head, seen, history]) part.read();
    journal.back().catch(isRefused);
  }

  #headRead() {
    const { head, dependencies } = this.#parts;
    this.seen(head.value?.target);
    dependencies.read(head.value?.target);
    this.show();
  }

  #end() {
    if (!this.#parts) return;
    const { head, radar: seen, tree, journal, dependencies, history } = this.#parts;
    for (const part of [head, seen, tree, journal, dependencies, history, this.#pane, this.#coming, this.#sheet]) part?.end();
    this.#parts = null;
    this.#pane = null;
    this.#coming = null;
    this.#sheet = null;
  }

  // A plan's tasks come in pages; a task's steps are the tree's to read.
  async #askHead(id) {
    const latest = this.#parts?.head?.value ? 0 : LATEST; // later ones come as they happen
    const asked = { task: id, limit: isPlan(id) ? TASKS : 1, max_chars: MOST };
    const first = await this.app.call("tasks_resume", { ...asked, events_limit: latest });
    this.#parts?.journal.add(first.events ?? []);
    let last = first;
    while (isPlan(id) && last.has_more && first.tasks.length < (this.#parts?.tasks ?? 0)) {
      last = await this.app.call("tasks_resume", { ...asked, cursor: last.cursor });
      first.tasks.push(...last.tasks);
    }
    return { ...first, has_more: last.has_more };
  }

  async #choose(at) {
    const before = this.#at;
    this.#at = at;
    const pane = new StepPane(this, !at ? {} : isPath(at) ? { path: at } : { step_id: at });
    this.#coming?.end();
    this.#coming = pane;
    this.#pane ??= pane;
    this.show();
    await pane.read();
    if (this.#coming !== pane) return;
    if (this.#pane !== pane) this.#pane?.end(); // what was open stays until the other is there
    this.#pane = pane;
    this.show();
    this.#turn();
    if (at) await this.#reveal(pane.step?.path);
    else if (!before) await this.#revealNow();
  }

  // The tree opens where the work is.
  async #revealNow() {
    const parts = this.#parts;
    await parts?.radar.settled();
    if (parts === this.#parts && !this.#at) await this.#reveal(parts?.radar.value?.now?.path);
  }

  async #reveal(path) {
    await this.#parts?.head.settled(); // before that, no tree is shown
    const tree = this.place.querySelector("gp-tree");
    if (path && tree) await tree.reveal(path).catch(isRefused);
  }

  #pick(path, again) {
    this.#turning = again || matchMedia(NARROW).matches;
    if (again) this.#turn();
    else location.hash = this.app.link("task", this.id, path);
  }

  // To the step that was opened: where it is not beside the tree, or when it was opened already.
  #turn() {
    if (!this.#turning) return;
    this.#turning = false;
    const pane = this.place.querySelector("#pane");
    pane?.focus({ preventScroll: true });
    pane?.scrollIntoView({ block: "start" });
  }

  get #selected() {
    if (!this.#at || isPath(this.#at)) return this.#at;
    return this.#pane?.step?.step_id === this.#at ? this.#pane.step.path : null;
  }

  async #openSheet() {
    this.#at = null;
    this.#sheet ??= new Query(() => this.app.call("tasks_handoff", { task: this.id, limit: 50, max_chars: 200_000 }), () => this.show());
    await this.#sheet.read();
  }

  show() {
    if (!this.#parts) return;
    const { head, dependencies, history } = this.#parts;
    const wanted = this.#sheet ?? head;
    if (wanted.error && !wanted.value) return show(this.place, this.#missing(wanted.error));
    if (this.#sheet) return show(this.place, this.#sheet.value ? sheet(this.app, this.id, this.#sheet.value) : waiting());
    if (!head.value) return show(this.place, waiting());
    const { target } = head.value;
    const told = isShort(target.description) && this.#parts.radar.value?.why?.from === this.id;
    show(this.place, h("div", { class: ["task-view", target.kind, told && "told"] },
      head.error ? h("div", { key: "gone" }, refused(this.app, head.error, { here: [this.id] })) : null,
      this.#head(target), this.#radar(), this.#middle(head.value),
      h("div", { class: "below" }, dependencies.render(target), history.render())));
  }

  #missing(error) {
    const { app, id } = this;
    return [h("h1", {}, id), refused(app, error, { here: [id] }), h("p", {}, h("a", { href: app.link("overview") }, "Go to the overview"))];
  }

  #head(target) {
    const { app } = this;
    const plan = target.plan && [" / ", h("a", { class: "id", href: app.link("task", target.plan) }, this.#planName(target.plan))];
    const priority = target.priority.toLowerCase();
    return h("section", { class: "card task-head", "aria-label": "About" },
      h("div", { class: "crumbs" }, h("a", { href: app.link("overview") }, "Overview"), plan, h("span", { class: "space" }),
        h("a", { class: "button", href: app.link("task", this.id, "handoff") }, "Handoff")),
      h("h1", {}, target.title),
      h("p", { class: "meta" }, code(target.id), state(...STATES[target.status]), chip(`${priority} priority`, `priority-${priority}`),
        target.domain ? chip(target.domain) : null, (target.tags ?? []).map((tag) => chip(`#${tag}`)),
        target.waiting_for ? chip(`⧗ waits for ${target.waiting_for}`, "warn") : null,
        h("span", { class: "muted" }, `revision ${target.revision}`)),
      progress(target.counts, `Progress of ${target.id}`),
      description(target.description));
  }

  #planName(id) {
    const plan = this.app.overview?.plans.find((one) => one.id === id);
    return plan ? `${id} ${plan.title}` : id;
  }

  #radar() {
    const seen = this.#parts.radar.value;
    return seen ? radar(this.app, seen) : null;
  }

  #middle(value) {
    const left = this.#parts.tree ? this.#steps(value.target) : h("div", { class: "plan-body" }, this.#parts.plan.render(value));
    return h("div", { class: "halves" }, left, h("section", { class: "card step-pane", "aria-labelledby": "pane" }, this.#pane?.render()));
  }

  #steps(target) {
    const { tree } = this.#parts;
    const count = target.counts.total;
    if (!count) return section("steps", "Steps", "card steps", empty("No steps yet", "An agent makes them with tasks_decompose."));
    return h("section", { class: "card steps", "aria-labelledby": "steps" },
      h("div", { class: "section-head" }, h("h2", { id: "steps", class: "label" }, `Steps (${count.toLocaleString("en")})`),
        this.now ? button("Go to now", () => this.#reveal(this.now.path), { class: "quiet" }) : null),
      h("gp-tree", { keep: true, state: { model: tree, selected: this.#selected, pick: (path, again) => this.#pick(path, again) } }));
  }
}

function description(text) {
  if (!text) return null;
  if (isShort(text)) return rich(text, { class: "description" });
  return h("details", { class: "description" }, h("summary", {}, "Description"), rich(text));
}

const nothing = () => [h("h1", {}, "Tasks"),
  empty("Nothing to look at yet", "Agents make tasks with tasks_create; you can, from the overview.")];
const isShort = (text) => Boolean(text) && text.length < LONG;
const waiting = () => h("p", { class: "waiting" }, "Reading…");
const isPath = (at) => /^[st]:/.test(at);
const isPlan = (id) => id.startsWith("PLAN");

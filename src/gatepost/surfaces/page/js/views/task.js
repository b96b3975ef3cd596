// A task with its step tree and one step in full, or a plan with its tasks. Live.

import { Refusal } from "../api.js";
import { h, show } from "../dom.js";
import { many } from "../labels.js";
import { TreeModel } from "../components/tree_model.js";
import { approval } from "../components/approval.js";
import { claimBanner } from "../components/claims.js";
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

/** @import { HandoffReply, LogEvent, RadarReply, Resumed, Target } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @import { Tree } from "../components/tree.js" */
/**
 * @typedef {object} Parts
 * @property {number} revision
 * @property {number} tasks
 * @property {Query<Resumed>} head
 * @property {Query<RadarReply>} radar
 * @property {TreeModel | null} tree
 * @property {StepEvents} journal
 * @property {Dependencies} dependencies
 * @property {History} history
 * @property {PlanBody} plan
 */

const NARROW = "(max-width: 60rem)";
/** @type {Record<string, [string, string]>} */
const STATES = { DONE: ["done", "done"], ACTIVE: ["in_progress", "active"], TODO: ["open", "to do"] };
const LONG = 600;
const TASKS = 100;
const LATEST = 200;
const MOST = 400_000;
const LAPSE = 15_000; // at least, since clocks may differ
const LONGEST = 3_600_000;

export class TaskView {
  id = "";
  /** @type {Parts | null} */
  #parts = null;
  /** @type {string | null} */
  #at = null;
  /** @type {StepPane | null} */
  #pane = null;
  /** @type {StepPane | null} */
  #coming = null;
  #turning = false;
  /** @type {Query<HandoffReply> | null} */
  #sheet = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #lapse;

  /** @param {App} app @param {HTMLElement} place */
  constructor(app, place) {
    this.app = app;
    this.place = place;
  }

  /** @param {string} id @param {string} [at] */
  open(id, at) {
    return this.go(id, at);
  }

  /** @param {string} [id] @param {string | null} [at] */
  async go(id = this.app.overview?.radar?.target?.id, at = null) {
    if (!id) {
      show(this.place, nothing());
      return;
    }
    if (id !== this.id) this.#begin(id);
    if (at === "handoff") {
      await this.#openSheet();
      return;
    }
    this.#sheet?.end();
    this.#sheet = null;
    await this.#choose(at);
  }

  /** @param {LogEvent[]} events @param {boolean} everything */
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
    if (target) this.#parts?.dependencies.read(target);
  }

  leave() {
    this.#end();
  }

  /** The newest revision that was read. */
  get revision() {
    return this.#parts?.revision ?? null;
  }

  /** Resolves when `revision` is as new as the last request. */
  async settled() {
    await this.#parts?.head.settled();
  }

  get now() {
    return this.#parts?.radar.value?.now ?? null;
  }

  /**
   * Who else holds a step; without one, the whole task.
   * @param {string} [step]
   */
  held(step) {
    const held = this.#parts?.radar.value?.held ?? [];
    return held.find((one) => one.task === this.id && one.step_id === step);
  }

  get journal() {
    return this.#open.journal;
  }

  /** @param {Target | null | undefined} target */
  seen(target) {
    if (target && this.#parts && target.id === this.id)
      this.#parts.revision = Math.max(this.#parts.revision, target.revision);
  }

  get #open() {
    if (!this.#parts) throw new Error("no task is open");
    return this.#parts;
  }

  /** Read everything that is shown again; it stays until then. */
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
    this.#open.tasks += TASKS;
    this.#open.head.read();
  }

  /** @param {LogEvent} event */
  #touches(event) {
    if (event.task === this.id || event.plan === this.id) return true;
    const { head } = this.#open;
    return (
      isPlan(this.id) &&
      (/^operation_/.test(event.type) || Boolean(head.value?.tasks?.some((task) => task.id === event.task)))
    );
  }

  /** @param {string} id */
  #begin(id) {
    this.#end();
    this.id = id;
    this.#at = null;
    const { app } = this;
    this.#parts = {
      revision: 0,
      tasks: TASKS,
      head: new Query(
        () => this.#askHead(id),
        () => this.#headRead(),
      ),
      radar: new Query(
        () => app.call("tasks_radar", { task: id }),
        () => this.#radarRead(),
      ),
      tree: isPlan(id) ? null : new TreeModel((asked) => app.call("tasks_tree", { task: id, ...asked })),
      journal: new StepEvents(app, id, () => this.show()),
      dependencies: new Dependencies(app, id, () => this.show()),
      history: new History(this),
      plan: new PlanBody(this),
    };
    const { head, radar: seen, history, journal } = this.#open;
    for (const part of [head, seen, history]) part.read();
    journal.back().catch(isRefused);
  }

  // A claim that ends by time is no event.
  #radarRead() {
    clearTimeout(this.#lapse);
    const ends = (this.#parts?.radar.value?.held ?? []).map(({ until }) => Date.parse(until));
    const left = Math.min(Math.max(Math.min(...ends) - Date.now(), LAPSE), LONGEST);
    if (ends.length) this.#lapse = setTimeout(() => this.#parts?.radar.read(), left);
    this.show();
  }

  #headRead() {
    const { head, dependencies } = this.#open;
    this.seen(head.value?.target);
    dependencies.read(head.value?.target);
    this.show();
  }

  #end() {
    clearTimeout(this.#lapse);
    if (!this.#parts) return;
    const { head, radar: seen, tree, journal, dependencies, history } = this.#parts;
    for (const part of [head, seen, tree, journal, dependencies, history, this.#pane, this.#coming, this.#sheet])
      part?.end();
    this.#parts = null;
    this.#pane = null;
    this.#coming = null;
    this.#sheet = null;
  }

  // A plan's tasks come in pages; the tree reads a task's steps.
  /** @param {string} id @returns {Promise<Resumed>} */
  async #askHead(id) {
    const latest = this.#parts?.head?.value ? 0 : LATEST; // later ones come live
    const asked = { task: id, limit: isPlan(id) ? TASKS : 1, max_chars: MOST };
    const first = await this.app.resume({ ...asked, events_limit: latest });
    this.#parts?.journal.add(first.events ?? []);
    let last = first;
    const tasks = first.tasks ?? [];
    while (isPlan(id) && last.has_more && tasks.length < (this.#parts?.tasks ?? 0)) {
      last = await this.app.resume({ ...asked, cursor: last.cursor });
      tasks.push(...(last.tasks ?? []));
    }
    return { ...first, has_more: last.has_more };
  }

  /** @param {string | null} at */
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
    if (this.#pane !== pane) this.#pane?.end(); // what was open stays until the other is read
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

  /** @param {string | null | undefined} path */
  async #reveal(path) {
    await this.#parts?.head.settled(); // before that, no tree is shown
    const tree = /** @type {Tree | null} */ (this.place.querySelector("gp-tree"));
    if (path && tree) await tree.reveal(path).catch(isRefused);
  }

  /** @param {string} path @param {boolean} again */
  #pick(path, again) {
    this.#turning = again || matchMedia(NARROW).matches;
    if (again) this.#turn();
    else location.hash = this.app.link("task", this.id, path);
  }

  // Scroll to the opened step where it is not beside the tree, or when it was open already.
  #turn() {
    if (!this.#turning) return;
    this.#turning = false;
    const pane = /** @type {HTMLElement | null} */ (this.place.querySelector("#pane"));
    pane?.focus({ preventScroll: true });
    pane?.scrollIntoView({ block: "start" });
  }

  get #selected() {
    if (!this.#at || isPath(this.#at)) return this.#at;
    const step = this.#pane?.step;
    return step?.step_id === this.#at ? step.path : null;
  }

  async #openSheet() {
    this.#at = null;
    this.#sheet ??= new Query(
      () => this.app.call("tasks_handoff", { task: this.id, limit: 50, max_chars: 200_000 }),
      () => this.show(),
    );
    await this.#sheet.read();
  }

  show() {
    if (!this.#parts) return;
    const { head } = this.#parts;
    const wanted = this.#sheet ?? head;
    if (wanted.error && !wanted.value) show(this.place, this.#missing(wanted.error));
    else if (this.#sheet) show(this.place, this.#sheet.value ? sheet(this.app, this.id, this.#sheet.value) : waiting());
    else if (!head.value) show(this.place, waiting());
    else this.#draw(head.value);
  }

  /** @param {Resumed} value */
  #draw(value) {
    const { head, dependencies, history, radar: seen } = this.#open;
    const { target } = value;
    const repeated = isShort(target.description) && seen.value?.why?.from === this.id;
    show(
      this.place,
      h(
        "div",
        { class: ["task-view", target.kind, repeated && "repeated"] },
        head.error ? h("div", { key: "gone" }, refused(this.app, head.error, { here: [this.id] })) : null,
        this.#head(target),
        approval(this.app, seen.value),
        this.#whole(),
        this.#radar(),
        this.#middle(value),
        h("div", { class: "below" }, dependencies.render(target), history.render()),
      ),
    );
  }

  #whole() {
    const held = this.held();
    return held ? claimBanner(this.app, held) : null;
  }

  /** @param {Refusal} error */
  #missing(error) {
    const { app, id } = this;
    return [
      h("h1", {}, id),
      refused(app, error, { here: [id] }),
      h("p", {}, h("a", { href: app.link("overview") }, "Go to the overview")),
    ];
  }

  /** @param {Target} target */
  #head(target) {
    const { app } = this;
    const plan = target.plan && [
      " / ",
      h("a", { class: "id", href: app.link("task", target.plan) }, this.#planName(target.plan)),
    ];
    const priority = target.priority.toLowerCase();
    return h(
      "section",
      { class: "card task-head", "aria-label": "About" },
      h(
        "div",
        { class: "crumbs" },
        h("a", { href: app.link("overview") }, "Overview"),
        plan,
        h("span", { class: "space" }),
        h("a", { class: "button", href: app.link("task", this.id, "handoff") }, "Handoff"),
      ),
      h("h1", {}, target.title),
      h(
        "p",
        { class: "meta" },
        code(target.id),
        state(...STATES[target.status]),
        chip(`${priority} priority`, `priority-${priority}`),
        target.domain ? chip(target.domain) : null,
        (target.tags ?? []).map((tag) => chip(`#${tag}`)),
        this.#waits(target),
        h("span", { class: "muted" }, `revision ${target.revision}`),
      ),
      progress(target.counts, `Progress of ${target.id}`),
      description(target.description),
    );
  }

  // A task counts its plan among what it waits for, while that waits: for approval, or for other tasks.
  /** @param {Target} target */
  #waits(target) {
    const blockers = this.#open.radar.value?.blockers ?? [];
    const isHeld = blockers.some((one) => one.approval);
    const isWithPlan = blockers.some((one) => one.depends_on && one.task === target.plan);
    const tasks = (target.waiting_for ?? 0) - (isHeld || isWithPlan ? 1 : 0);
    return [
      isHeld ? chip("waits for approval", "warn") : null,
      isWithPlan ? chip("waits with its plan", "warn") : null,
      tasks > 0 ? chip(`waits for ${many(tasks, "task")}`, "warn") : null,
    ];
  }

  /** @param {string} id */
  #planName(id) {
    const plan = this.app.overview?.plans.find((one) => one.id === id);
    return plan ? `${id} ${plan.title}` : id;
  }

  #radar() {
    const seen = this.#open.radar.value;
    return seen ? radar(this.app, seen) : null;
  }

  /** @param {Resumed} value */
  #middle(value) {
    const { tree, plan } = this.#open;
    const left = tree ? this.#steps(value.target) : h("div", { class: "plan-body" }, plan.render(value));
    return h(
      "div",
      { class: "halves" },
      left,
      h("section", { class: "card step-pane", "aria-labelledby": "pane" }, this.#pane?.render()),
    );
  }

  /** @param {Target} target */
  #steps(target) {
    const { tree } = this.#open;
    const count = target.counts.total;
    if (!count)
      return section(
        "steps",
        "Steps",
        "card steps",
        empty("No steps yet", "An agent adds them. You can add them when you create a task."),
      );
    return h(
      "section",
      { class: "card steps", "aria-labelledby": "steps" },
      h(
        "div",
        { class: "section-head" },
        h("h2", { id: "steps", class: "label" }, `Steps (${count.toLocaleString("en")})`),
        this.now ? button("Go to current step", () => this.#reveal(this.now?.path), { class: "quiet" }) : null,
      ),
      h("gp-tree", {
        keep: true,
        state: {
          model: tree,
          selected: this.#selected,
          held: (/** @type {string} */ step) => this.held(step),
          pick: (/** @type {string} */ path, /** @type {boolean} */ again) => this.#pick(path, again),
        },
      }),
    );
  }
}

/** @param {string | undefined} text */
function description(text) {
  if (!text) return null;
  if (isShort(text)) return rich(text, { class: "description" });
  return h("details", { class: "description" }, h("summary", {}, "Description"), rich(text));
}

const nothing = () => [
  h("h1", {}, "Tasks"),
  empty("No tasks yet", "Create one from the overview, or let an agent do it."),
];
/** @param {string | undefined} text */
const isShort = (text) => text !== undefined && text !== "" && text.length < LONG;
const waiting = () => h("p", { class: "waiting" }, "Loading…");
/** @param {string} at */
const isPath = (at) => /^[st]:/.test(at);
/** @param {string} id */
const isPlan = (id) => id.startsWith("PLAN");

// The events of each step: notes, evidence and blocks, read from the task's log from its end backwards.

/** @import { Evidence, LogEvent } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

/** @type {Array<LogEvent["type"]>} */
const KEPT = ["step_noted", "evidence_captured", "step_blocked", "step_unblocked", "step_reopened"];
/** @type {Set<LogEvent["type"]>} */
const SHOWN = new Set([...KEPT, "step_done", "step_verified"]); // these two come live; a step's own reply has their outcome
const REACH = 2_000;
const PATIENCE = 6; // requests at a time; a very long log is read further on request
const MOST = 100_000;
const HELD = 2_000; // events of a task
const SLACK = 200; // beyond that, so that events are not dropped one by one

export class StepEvents {
  /** Whether the whole log was read. */
  whole = false;
  busy = false;
  /** @type {App} */
  #app;
  /** @type {string} */
  #id;
  /** @type {() => void} */
  #then;
  /** @type {Map<string | null, LogEvent[]>} */
  #steps = new Map(); // by the step's id (null: the task's own), newest first
  #count = 0;
  /** @type {string | null} */
  #attended = null;
  #dropped = 0; // the newest that was dropped
  /** @type {number | null} */
  #from = null;
  #reach = REACH;
  #ended = false;

  /** @param {App} app @param {string} id @param {() => void} then */
  constructor(app, id, then) {
    this.#app = app;
    this.#id = id;
    this.#then = then;
  }

  end() {
    this.#ended = true;
  }

  /**
   * Add events as they come.
   * @param {LogEvent[]} events
   */
  add(events) {
    for (const event of events)
      if (SHOWN.has(event.type) && (event.task ?? event.plan) === this.#id) this.#insert(event);
    if (this.#count > HELD + SLACK) this.#letGo();
  }

  /**
   * The events of a step (null: of the task or plan itself), newest first.
   * @param {string | null} stepId
   * @returns {LogEvent[]}
   */
  of(stepId) {
    return this.#steps.get(stepId) ?? [];
  }

  /**
   * This step is open: the events of others are dropped before its own, and dropped ones can be read again.
   * @param {string | null} stepId
   */
  attend(stepId) {
    if (stepId === this.#attended || (this.#dropped && this.busy)) return; // called again when that was read
    this.#attended = stepId;
    if (!this.#dropped) return;
    this.#from = this.#dropped + 1;
    this.#reach = REACH;
    this.whole = false;
  }

  /** @param {LogEvent} event */
  #insert(event) {
    const step = event.step_id ?? null;
    const mine = this.#steps.get(step) ?? [];
    this.#steps.set(step, mine);
    const at = mine.findIndex((one) => one.seq <= event.seq);
    if (mine[at]?.seq === event.seq) return;
    mine.splice(at < 0 ? mine.length : at, 0, event);
    this.#count++;
  }

  #letGo() {
    const mine = this.of(this.#attended).slice(0, HELD);
    const others = [...this.#steps].filter(([step]) => step !== this.#attended).flatMap(([, events]) => events);
    others.sort((one, other) => other.seq - one.seq);
    const room = HELD - mine.length;
    this.#dropped = Math.max(this.#dropped, others[room]?.seq ?? 0, this.of(this.#attended)[HELD]?.seq ?? 0);
    this.whole ||= !room;
    this.#steps = new Map([[this.#attended, mine]]);
    this.#count = mine.length;
    for (const event of others.slice(0, room).reverse()) this.#insert(event);
  }

  /** Read further back. */
  async back() {
    if (this.busy || this.whole || this.#ended) return;
    this.busy = true;
    try {
      for (let asked = 0; asked < PATIENCE && !this.whole && !this.#ended; ) asked += await this.#stretch();
    } finally {
      this.busy = false;
      if (!this.#ended) this.#then();
    }
  }

  // One stretch of the log, from its older end to where the last one began. The first has no end: the log grows.
  async #stretch() {
    const end = this.#from ?? Infinity;
    const start = Math.max(0, (this.#from ?? this.#app.overview?.seq ?? 0) - this.#reach);
    let asked = 0;
    for (let since = start, more = true; more && since < end && !this.#ended; asked++) {
      const said = await this.#app.call("tasks_delta", {
        task: this.#id,
        since,
        types: KEPT,
        limit: 200,
        max_chars: MOST,
      });
      this.add(said.events);
      since = said.next;
      more = said.has_more;
    }
    this.#from = start;
    this.#reach *= 2;
    this.whole ||= start === 0;
    return asked;
  }
}

/**
 * The event that captured each piece of evidence, or null if the log was not read that far.
 * @param {Evidence[]} pieces
 * @param {LogEvent[]} events
 */
export function stamps(pieces, events) {
  const known = new Map(events.map((event) => [event.seq, event]));
  return pieces.map((piece) => known.get(piece.seq ?? 0) ?? null);
}

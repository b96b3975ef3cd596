// What was said of each step: notes, evidence and blockings, read from the task's log from its end backwards.

const KEPT = ["step_noted", "evidence_captured", "step_blocked", "step_unblocked", "step_reopened"];
const SHOWN = new Set([...KEPT, "step_done", "step_verified"]); // these two are told as they happen; a step's own reply has their outcome
const REACH = 2_000;
const PATIENCE = 6; // questions at a time; a very long log is read further when somebody asks for it
const MOST = 100_000;
const HELD = 2_000; // events of a task
const SLACK = 200; // beyond that: so they are not sorted out one by one

export class StepEvents {
  /** Whether there is nothing further back to read. */
  whole = false;
  busy = false;
  #app;
  #id;
  #then;
  #steps = new Map(); // by the step's id (null: the task's own), newest first
  #count = 0;
  #attended = null;
  #dropped = 0; // the newest that was let go
  #from = null;
  #reach = REACH;
  #ended = false;

  constructor(app, id, then) {
    this.#app = app;
    this.#id = id;
    this.#then = then;
  }

  end() {
    this.#ended = true;
  }

  /** Events as they come. */
  add(events) {
    for (const event of events) if (SHOWN.has(event.type) && (event.task ?? event.plan) === this.#id) this.#insert(event);
    if (this.#count > HELD + SLACK) this.#letGo();
  }

  /** What is known of a step (null: of the task or plan itself), newest first. */
  of(stepId) {
    return this.#steps.get(stepId) ?? [];
  }

  /** This step is being looked at: others are let go before it. What was let go of it can be read again. */
  attend(stepId) {
    if (stepId === this.#attended || (this.#dropped && this.busy)) return; // it is asked again when that is read
    this.#attended = stepId;
    if (!this.#dropped) return;
    this.#from = this.#dropped + 1;
    this.#reach = REACH;
    this.whole = false;
  }

  #insert(event) {
    const step = event.step_id ?? null;
    if (!this.#steps.has(step)) this.#steps.set(step, []);
    const mine = this.#steps.get(step);
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
      for (let asked = 0; asked < PATIENCE && !this.whole && !this.#ended;) asked += await this.#stretch();
    } finally {
      this.busy = false;
      if (!this.#ended) this.#then();
    }
  }

  // One stretch of the log, from its older end to where the last one began. The first has no end: the log goes on.
  async #stretch() {
    const end = this.#from ?? Infinity;
    const start = Math.max(0, (this.#from ?? this.#app.overview?.seq ?? 0) - this.#reach);
    let asked = 0;
    for (let since = start, more = true; more && since < end && !this.#ended; asked++) {
      const said = await this.#app.call("tasks_delta", { task: this.#id, since, types: KEPT, limit: 200, max_chars: MOST });
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

/** Who captured each piece of evidence, and when: pieces and captures both newest first. Where the log does not say, null. */
export function stamps(pieces, events) {
  const found = [];
  for (const event of events) {
    if (event.type !== "evidence_captured") continue;
    const count = (event.items?.length ?? 0) + (event.checks?.length ?? 0) + (event.attachments?.length ?? 0);
    for (let at = 0; at < count; at++) found.push(event);
  }
  return pieces.map((_, at) => found[at] ?? null);
}

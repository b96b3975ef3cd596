// What was said of each step: notes, evidence and blockings, read from the task's log from its end backwards.

const KEPT = ["step_noted", "evidence_captured", "step_blocked", "step_unblocked", "step_reopened"];
const REACH = 2_000;
const PATIENCE = 6; // questions at a time; a very long log is read further when somebody asks for it
const MOST = 100_000;

export class Journal {
  /** Whether the log was read back to its beginning. */
  whole = false;
  busy = false;
  #app;
  #id;
  #then;
  #events = new Map();
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
    for (const event of events) if ((event.task ?? event.plan) === this.#id) this.#events.set(event.seq, event);
  }

  /** What is known of a step (null: of the task or plan itself), newest first. */
  of(stepId) {
    const mine = [...this.#events.values()].filter((event) => (event.step_id ?? null) === stepId);
    return mine.sort((one, other) => other.seq - one.seq);
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
    this.whole = start === 0;
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

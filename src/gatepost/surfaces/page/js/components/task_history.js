// What was done, newest first, and how it is taken back and brought back.

import { h, show } from "../dom.js";
import { ask } from "./dialog.js";
import { actor, aside, button, code, time } from "./elements.js";
import { said } from "./event_text.js";
import { notice } from "./notices.js";
import { Query } from "./query.js";
import { isOvertaken, overtaken, refused } from "./refusals.js";
import { marked } from "./step_pane.js";

const PAGE = 12;
const MORE = 40;
const MOST_AT_ONCE = 100;
const NAMED = 8;
const TAKEN_BACK = "Notes and evidence stay. It can be redone until something new is written.";

export class History {
  #view;
  #reading;
  #wanted = PAGE;

  constructor(view) {
    this.#view = view;
    this.#reading = new Query(() => this.#ask(), () => view.show());
  }

  read() {
    return this.#reading.read();
  }

  end() {
    this.#reading.end();
  }

  async #ask() {
    const { app, id } = this.#view;
    const found = [];
    let page = null;
    await this.#view.settled();
    const { revision } = this.#view; // known before it is asked: so whatever led to this revision is in the answer
    do {
      const limit = Math.min(this.#wanted - found.length, MOST_AT_ONCE);
      page = await app.call("tasks_history", { task: id, limit, max_chars: 200_000, ...(page?.cursor ? { cursor: page.cursor } : {}) });
      found.push(...page.operations);
    } while (page.has_more && page.operations.length && found.length < this.#wanted);
    return { revision, operations: found, more: page.has_more, events: await this.#events(found) };
  }

  // An operation's number is that of its first event: so the events say where it was, and what it said.
  async #events(operations) {
    if (!operations.length) return new Map();
    const { app, id } = this.#view;
    const since = operations.at(-1).operation - 1;
    const { events } = await app.call("tasks_delta", { task: id, since, limit: 200, max_chars: 100_000 });
    const found = new Map();
    for (const event of events) {
      const one = operations.find(({ operation }) => operation <= event.seq);
      if (one) found.set(one.operation, [...(found.get(one.operation) ?? []), event]);
    }
    return found;
  }

  render() {
    const { value } = this.#reading;
    const operations = value?.operations ?? [];
    return h("section", { class: "card task-history", "aria-labelledby": "history" },
      h("div", { class: "section-head" }, h("h2", { id: "history", class: "label" }, "History"), value ? this.#buttons(value) : null),
      value && !operations.length ? aside("Nothing was done here yet.") : null,
      h("ol", { class: "operations" }, operations.map((one) => this.#row(one))),
      value?.more ? button("Show older ones", () => { this.#wanted += MORE; this.read(); }) : null);
  }

  #row(one) {
    const { app, id } = this.#view;
    const events = eventsOf(this.#reading.value, one);
    const step = events.find((event) => event.path);
    const quoted = events.map((event) => event.note ?? event.reason).find(Boolean);
    return h("li", { key: one.operation, class: ["operation", `kind-${one.kind}`, one.undone_by !== undefined && "undone"] },
      h("span", { class: "what" }, actor(one.actor), ` ${deed(one, events)}`,
        step ? [" · ", h("a", { class: "id", href: app.link("task", id, step.path) }, step.path)] : null,
        one.undone_by !== undefined ? h("span", { class: "chip" }, one.kind === "undo" ? "redone since" : "undone") : null),
      h("span", { class: "when" }, code(`#${one.operation}`), " ", time(one.at)),
      quoted ? h("span", { class: "quoted" }, quoted.split("\n")[0]) : null,
      one.contract_before ? earlier(one.contract_before) : null);
  }

  #buttons(value) {
    const undo = next("tasks_undo", value.operations);
    const redo = next("tasks_redo", value.operations);
    return h("div", { class: "actions" },
      button(undo ? `Undo #${undo.operation}…` : "Nothing to undo", () => this.#confirm("tasks_undo", undo, value), { disabled: !undo }),
      redo ? button(`Redo #${redo.operation}…`, () => this.#confirm("tasks_redo", redo, value)) : null);
  }

  // What is asked about is what `value` says, and is sent for the revision of `value` alone: the server undoes whatever is newest.
  #confirm(tool, one, value) {
    const { app, id } = this.#view;
    const back = tool === "tasks_undo";
    const further = h("div", {});
    let { revision } = value;
    const dialog = ask({
      title: back ? `Undo #${one.operation}?` : `Redo #${one.operation}?`,
      submit: back ? "Undo it" : "Redo it",
      fields: [about(one, value, id), aside(back ? TAKEN_BACK : "It is done again, as it was."), further],
      send: async () => {
        show(further);
        try {
          const reply = await app.call(tool, { task: id, expected_revision: revision });
          notice(`${back ? "Undid" : "Redid"} #${reply.operation} (${reply.tool}).`, { more: (reply.warnings ?? []).join(" ") });
        } catch (error) {
          if (isOvertaken(error)) revision = await this.#anew({ tool, one, value, revision, further, dialog });
          else if (error.problem?.moved) show(further, conflict(app, error, id));
          throw error;
        } finally {
          this.#view.refresh();
        }
      },
    });
  }

  // Shows what was done since. Gives the revision for which the question can be sent again: the old one, if it is another question now.
  async #anew({ tool, one, value, revision, further, dialog }) {
    this.#view.refresh();
    const now = await this.#ask();
    const since = now.operations.filter(({ operation }) => operation > (value.operations[0]?.operation ?? 0));
    const told = since.slice(0, NAMED).map((other) => [code(`#${other.operation}`), " ", ...line(other, now)]);
    if (since.length > NAMED) told.push(`and ${since.length - NAMED} more`);
    const word = tool === "tasks_undo" ? "undone" : "redone";
    const other = next(tool, now.operations);
    if (other?.operation === one.operation) {
      show(further, overtaken(told, `#${one.operation} would still be ${word}: send it again, if that is right.`));
      return now.revision;
    }
    const instead = other && button(`${tool === "tasks_undo" ? "Undo" : "Redo"} #${other.operation} instead…`, () => {
      dialog.close();
      this.#confirm(tool, other, now);
    });
    const outcome = other ? `#${other.operation} would be ${word} now, not #${one.operation}.` : `Nothing can be ${word} now.`;
    show(further, overtaken(told, outcome, instead));
    return revision;
  }
}

function about(one, value, id) {
  const others = (one.targets ?? []).filter((target) => target !== id);
  return [
    h("p", {}, one.tool ? line(one, value) : "What was undone last."),
    places(eventsOf(value, one)),
    others.length ? h("p", { class: "banner" }, `It also touched ${others.join(", ")}: what it did there goes along.`) : null,
  ];
}

const line = (one, value) => [actor(one.actor), ` ${deed(one, eventsOf(value, one))} · `, time(one.at)];

const eventsOf = (value, one) => value.events.get(one.operation) ?? [];

// What would be undone or redone now.
function next(tool, operations) {
  if (tool === "tasks_undo") return operations.find((one) => one.kind === "change" && one.undone_by === undefined);
  const redo = redoable(operations);
  return redo && (operations.find((one) => one.operation === redo.of) ?? { operation: redo.of });
}

function conflict(app, error, id) {
  return h("div", {}, refused(app, error, { here: [id] }), aside("Nothing was changed. What was done since can be undone first."));
}

function earlier(contract) {
  return h("details", {}, h("summary", {}, "The contract before"), h("pre", { class: "block", tabindex: 0 }, contract));
}

function places(events) {
  const named = [...new Set(events.filter((event) => event.path).map((event) => event.path))];
  const more = named.length - NAMED;
  return named.length ? h("p", {}, code(named.slice(0, NAMED).join(", ")), more > 0 ? ` and ${more} more` : null) : null;
}

// The server's rule: what was undone last can be redone as long as nothing new was written since.
function redoable(operations) {
  for (const one of operations) {
    if (one.undone_by !== undefined) continue;
    if (one.kind === "change") return null;
    if (one.kind === "undo") return one;
  }
  return null;
}

function deed(one, events = []) {
  if (one.kind === "undo") return `undid #${one.of}`;
  if (one.kind === "redo") return `redid #${one.of}`;
  const verified = events.filter((event) => event.type === "step_verified").map((event) => marked(event.checkpoints)).join(", ");
  return one.events.map((type) => (type === "step_verified" && verified) || said({ type })).join(", then ") || one.tool;
}

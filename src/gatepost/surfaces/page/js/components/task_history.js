// The history of a task, newest first, with undo and redo.

import { Refusal } from "../api.js";
import { h, show } from "../dom.js";
import { ask } from "./dialog.js";
import { actor, aside, button, code, time } from "./elements.js";
import { said, toolText, verified } from "./event_text.js";
import { notice } from "./notices.js";
import { Query } from "./query.js";
import { isOvertaken, overtaken, refused } from "./refusals.js";

/** @import { Child, HistoryReply, LogEvent, Operation } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */
/** @import { TaskView } from "../views/task.js" */
/** @typedef {{revision: number | null, operations: Operation[], more: boolean, events: Map<number, LogEvent[]>}} Value */
/** @typedef {Partial<Operation> & {operation: number}} Named */
/** @typedef {"tasks_undo" | "tasks_redo"} Tool */

const PAGE = 12;
const MORE = 40;
const MOST_AT_ONCE = 100;
const NAMED = 8;
const TAKEN_BACK = "Notes and evidence stay. You can redo it until something new is written.";

export class History {
  /** @type {TaskView} */
  #view;
  /** @type {Query<Value>} */
  #reading;
  #wanted = PAGE;

  /** @param {TaskView} view */
  constructor(view) {
    this.#view = view;
    this.#reading = new Query(
      () => this.#ask(),
      () => view.show(),
    );
  }

  read() {
    return this.#reading.read();
  }

  end() {
    this.#reading.end();
  }

  async #ask() {
    const { app, id } = this.#view;
    /** @type {Operation[]} */
    const found = [];
    await this.#view.settled();
    const { revision } = this.#view; // taken before the request, so the answer includes whatever led to this revision
    /** @type {HistoryReply} */
    let page;
    let cursor;
    do {
      const limit = Math.min(this.#wanted - found.length, MOST_AT_ONCE);
      page = await app.call("tasks_history", { task: id, limit, max_chars: 200_000, cursor });
      cursor = page.cursor;
      found.push(...page.operations);
    } while (page.has_more && page.operations.length && found.length < this.#wanted);
    return { revision, operations: found, more: page.has_more, events: await this.#events(found) };
  }

  // An operation has the number of its first event, so the events show where it was and what it wrote.
  /** @param {Operation[]} operations @returns {Promise<Map<number, LogEvent[]>>} */
  async #events(operations) {
    if (!operations.length) return new Map();
    const { app, id } = this.#view;
    const since = operations[operations.length - 1].operation - 1;
    const { events } = await app.call("tasks_delta", { task: id, since, limit: 200, max_chars: 100_000 });
    /** @type {Map<number, LogEvent[]>} */
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
    return h(
      "section",
      { class: "card task-history", "aria-labelledby": "history" },
      h(
        "div",
        { class: "section-head" },
        h("h2", { id: "history", class: "label" }, "History"),
        value ? this.#buttons(value) : null,
      ),
      value && !operations.length ? aside("No changes yet.") : null,
      h(
        "ol",
        { class: "operations" },
        operations.map((one) => this.#row(one, value)),
      ),
      value?.more
        ? button("Show older", () => {
            this.#wanted += MORE;
            this.read();
          })
        : null,
    );
  }

  /** @param {Operation} one @param {Value | null} value */
  #row(one, value) {
    const { app, id } = this.#view;
    const events = value ? eventsOf(value, one) : [];
    const step = events.find((event) => event.path);
    const quoted = events.map((event) => event.note ?? event.reason).find(Boolean);
    return h(
      "li",
      { key: one.operation, class: ["operation", `kind-${one.kind}`, one.undone_by !== undefined && "undone"] },
      h(
        "span",
        { class: "what" },
        actor(one.actor),
        ` ${deed(one, events)}`,
        step ? [" · ", h("a", { class: "id", href: app.link("task", id, step.path ?? "") }, step.path)] : null,
        one.undone_by !== undefined ? h("span", { class: "chip" }, one.kind === "undo" ? "redone" : "undone") : null,
      ),
      h("span", { class: "when" }, code(`#${one.operation}`), " ", time(one.at)),
      quoted ? h("span", { class: "quoted" }, quoted.split("\n")[0]) : null,
      one.contract_before ? earlier(one.contract_before) : null,
    );
  }

  /** @param {Value} value */
  #buttons(value) {
    const undo = next("tasks_undo", value.operations);
    const redo = next("tasks_redo", value.operations);
    return h(
      "div",
      { class: "actions" },
      button(
        undo ? `Undo #${undo.operation}…` : "Nothing to undo",
        () => undo && this.#confirm("tasks_undo", undo, value),
        {
          disabled: !undo,
        },
      ),
      redo ? button(`Redo #${redo.operation}…`, () => this.#confirm("tasks_redo", redo, value)) : null,
    );
  }

  // The dialog is about `value` and is sent for its revision only: the server undoes whatever is newest.
  /** @param {Tool} tool @param {Named} one @param {Value} value */
  #confirm(tool, one, value) {
    const { app, id } = this.#view;
    const back = tool === "tasks_undo";
    const further = h("div", {});
    let { revision } = value;
    const dialog = ask({
      title: back ? `Undo #${one.operation}?` : `Redo #${one.operation}?`,
      submit: back ? "Undo" : "Redo",
      fields: [about(one, value, id), aside(back ? TAKEN_BACK : "The change is applied again."), further],
      send: async () => {
        show(further);
        try {
          const reply = await app.call(tool, { task: id, expected_revision: revision ?? undefined });
          notice(`${back ? "Undid" : "Redid"} #${reply.operation} (${toolText(reply.tool)}).`, {
            more: (reply.warnings ?? []).join(" "),
          });
        } catch (error) {
          if (isOvertaken(error)) revision = await this.#look({ tool, one, value, revision, further, dialog });
          else if (error instanceof Refusal && error.problem.moved) show(further, conflict(app, error, id));
          throw error;
        } finally {
          this.#view.refresh();
        }
      },
    });
  }

  // Shows what was done since. Returns the revision to send for: the old one, if something else would be undone now.
  /** @param {{tool: Tool, one: Named, value: Value, revision: number | null, further: Element, dialog: HTMLDialogElement}} was */
  async #look({ tool, one, value, revision, further, dialog }) {
    this.#view.refresh();
    const now = await this.#ask();
    const since = now.operations.filter(({ operation }) => operation > (value.operations[0]?.operation ?? 0));
    /** @type {Child[]} */
    const later = since.slice(0, NAMED).map((other) => [code(`#${other.operation}`), " ", ...line(other, now)]);
    if (since.length > NAMED) later.push(`and ${since.length - NAMED} more`);
    const word = tool === "tasks_undo" ? "undone" : "redone";
    const other = next(tool, now.operations);
    if (other?.operation === one.operation) {
      show(further, overtaken(later, `#${one.operation} would still be ${word}. Send it again if that is right.`));
      return now.revision;
    }
    const instead =
      other &&
      button(`${tool === "tasks_undo" ? "Undo" : "Redo"} #${other.operation} instead…`, () => {
        dialog.close();
        this.#confirm(tool, other, now);
      });
    const outcome = other
      ? `Now #${other.operation} would be ${word}, not #${one.operation}.`
      : `Nothing can be ${word} now.`;
    show(further, overtaken(later, outcome, instead));
    return revision;
  }
}

/** @param {Named} one @param {Value} value @param {string} id */
function about(one, value, id) {
  const others = (one.targets ?? []).filter((target) => target !== id);
  return [
    h("p", {}, isFull(one) ? line(one, value) : "The last change that was undone."),
    places(eventsOf(value, one)),
    others.length ? h("p", { class: "banner" }, `It also changed ${others.join(", ")}; that is included.`) : null,
  ];
}

/**
 * @param {Named} one
 * @returns {one is Operation}
 */
const isFull = (one) => one.tool !== undefined;

/** @param {Operation} one @param {Value} value */
const line = (one, value) => [actor(one.actor), ` ${deed(one, eventsOf(value, one))} · `, time(one.at)];

/** @param {Value} value @param {Named} one */
const eventsOf = (value, one) => value.events.get(one.operation) ?? [];

// What would be undone or redone now.
/** @param {Tool} tool @param {Operation[]} operations @returns {Named | undefined | null} */
function next(tool, operations) {
  if (tool === "tasks_undo") return operations.find((one) => one.kind === "change" && one.undone_by === undefined);
  const redo = redoable(operations);
  if (redo?.of === undefined) return null;
  return operations.find((one) => one.operation === redo.of) ?? { operation: redo.of };
}

/** @param {App} app @param {Refusal} error @param {string} id */
function conflict(app, error, id) {
  return h("div", {}, refused(app, error, { here: [id] }), aside("Nothing was changed. Undo the later changes first."));
}

/** @param {string} contract */
function earlier(contract) {
  return h("details", {}, h("summary", {}, "Previous contract"), h("pre", { class: "block", tabindex: 0 }, contract));
}

/** @param {LogEvent[]} events */
function places(events) {
  const named = [...new Set(events.filter((event) => event.path).map((event) => event.path))];
  const more = named.length - NAMED;
  return named.length
    ? h("p", {}, code(named.slice(0, NAMED).join(", ")), more > 0 ? ` and ${more} more` : null)
    : null;
}

// The server's rule: the last undo can be redone until something new is written.
/** @param {Operation[]} operations */
function redoable(operations) {
  for (const one of operations) {
    if (one.undone_by !== undefined) continue;
    if (one.kind === "change") return null;
    if (one.kind === "undo") return one;
  }
  return null;
}

/** @param {Operation} one @param {LogEvent[]} events */
function deed(one, events = []) {
  if (one.kind === "undo") return `undid #${one.of}`;
  if (one.kind === "redo") return `redid #${one.of}`;
  const proven = events
    .filter((event) => event.type === "step_verified")
    .map(verified)
    .join(", ");
  return (
    one.events.map((type) => (type === "step_verified" && proven) || said({ type })).join(", then ") ||
    toolText(one.tool)
  );
}

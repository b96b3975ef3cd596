// The history of a task, newest first, with undo and redo.

import { h, show } from "../dom.js";
import { toolText } from "../labels.js";
import { ask } from "./dialog.js";
import { actor, aside, button, code, time } from "./elements.js";
import { done, said, verified } from "./event_text.js";
import { documentChanges } from "./field_changes.js";
import { notice } from "./notices.js";
import { Query } from "./query.js";
import { isOvertaken, overtaken, refused } from "./refusals.js";
import { openUndo } from "./undo_dialog.js";

/** @import { Child, HistoryReply, LogEvent, Operation } from "../../types/page.d.ts" */
/** @import { TaskView } from "../views/task.js" */
/** @typedef {{revision: number | null, operations: Operation[], more: boolean, events: Map<number, LogEvent[]>}} Value */
/** @typedef {Partial<Operation> & {operation: number}} Named */

const PAGE = 12;
const MORE = 40;
const MOST_AT_ONCE = 100;
const NAMED = 8;
const FIELDS = 20;

export class History {
  /** @type {TaskView} */
  #view;
  /** @type {Query<Value>} */
  #reading;
  #wanted = PAGE;
  /** @type {Map<number, Query<HistoryReply>>} */
  #fields = new Map();

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
    for (const query of this.#fields.values()) query.end();
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
    const quoted = events.map((event) => event.note ?? event.ask ?? event.answer ?? event.reason).find(Boolean);
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
      h(
        "span",
        { class: "when" },
        code(`#${one.operation}`),
        " ",
        time(one.at),
        value && isUndoable(one)
          ? button("Undo…", () => this.#undo(one, value), {
              class: "quiet",
              "aria-label": `Undo this change, number ${one.operation}`,
            })
          : null,
      ),
      quoted ? h("span", { class: "quoted" }, quoted.split("\n")[0]) : null,
      value ? this.#changed(one) : null,
    );
  }

  // What the operation changed, read when somebody asks.
  /** @param {Operation} one */
  #changed({ operation }) {
    const fields = this.#fields.get(operation);
    const toggle = (/** @type {Event} */ event) => {
      if (/** @type {HTMLDetailsElement} */ (event.currentTarget).open && !fields) this.#readFields(operation);
    };
    return h(
      "details",
      { class: "changed", on: { toggle } },
      h("summary", {}, "What changed"),
      fields?.error ? refused(this.#view.app, fields.error, { here: [this.#view.id] }) : null,
      fields?.value ? changed(fields.value) : null,
    );
  }

  /** @param {number} operation */
  #readFields(operation) {
    const asked = { operation, limit: FIELDS, max_chars: 100_000 };
    const query = new Query(
      () => this.#view.app.call("tasks_history", asked),
      () => this.#view.show(),
    );
    this.#fields.set(operation, query);
    query.read();
  }

  /** @param {Value} value */
  #buttons(value) {
    const undo = undoable(value.operations);
    const redo = redoable(value.operations);
    return h(
      "div",
      { class: "actions" },
      button(undo ? `Undo #${undo.operation}…` : "Nothing to undo", () => undo && this.#undo(undo, value), {
        disabled: !undo,
      }),
      redo ? button(`Redo #${redo.operation}…`, () => this.#redo(redo, value)) : null,
    );
  }

  /** @param {Operation} one @param {Value} value */
  #undo(one, value) {
    openUndo(this.#view, one.operation, about(one, value, this.#view.id));
  }

  // The dialog is about `value` and is sent for its revision only: the server redoes whatever was undone last.
  /** @param {Named} one @param {Value} value */
  #redo(one, value) {
    const { app, id } = this.#view;
    const further = h("div", {});
    let { revision } = value;
    ask({
      title: `Redo #${one.operation}?`,
      submit: "Redo",
      fields: [about(one, value, id), aside("The change is applied again."), further],
      send: async () => {
        show(further);
        try {
          const reply = await app.call("tasks_redo", { task: id, expected_revision: revision ?? undefined });
          notice(`Redid #${reply.operation} (${toolText(reply.tool)}).`, { more: (reply.warnings ?? []).join(" ") });
        } catch (error) {
          if (isOvertaken(error)) revision = await this.#again(one, value, revision, further);
          throw error;
        } finally {
          this.#view.refresh();
        }
      },
    });
  }

  // Shows what was done since. Returns the revision to send for: the old one, if something else would be redone now.
  /** @param {Named} one @param {Value} value @param {number | null} revision @param {Element} further */
  async #again(one, value, revision, further) {
    this.#view.refresh();
    const now = await this.#ask();
    const since = now.operations.filter(({ operation }) => operation > (value.operations[0]?.operation ?? 0));
    /** @type {Child[]} */
    const later = since.slice(0, NAMED).map((other) => [code(`#${other.operation}`), " ", ...line(other, now)]);
    if (since.length > NAMED) later.push(`and ${since.length - NAMED} more`);
    const isSame = redoable(now.operations)?.operation === one.operation;
    const outcome = isSame
      ? `#${one.operation} would still be redone. Send it again if that is right.`
      : `#${one.operation} cannot be redone now: something new was written, or it was redone already.`;
    show(further, overtaken(later, outcome));
    return isSame ? now.revision : revision;
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

/** @param {HistoryReply} reply */
function changed({ documents = [], has_more: more }) {
  if (!documents.length) return aside("Only the log changed.");
  return [documentChanges(documents), more ? aside("There are more changes than shown here.") : null];
}

/** @param {Operation} one */
const isUndoable = (one) => one.kind === "change" && one.undone_by === undefined;

/** @param {Operation[]} operations */
const undoable = (operations) => operations.find(isUndoable);

/** @param {LogEvent[]} events */
function places(events) {
  const named = [...new Set(events.filter((event) => event.path).map((event) => event.path))];
  const more = named.length - NAMED;
  return named.length
    ? h("p", {}, code(named.slice(0, NAMED).join(", ")), more > 0 ? ` and ${more} more` : null)
    : null;
}

// The server's rule: the last undo can be redone until something new is written.
/** @param {Operation[]} operations @returns {Named | undefined} */
function redoable(operations) {
  for (const one of operations) {
    if (one.undone_by !== undefined) continue;
    if (one.kind === "change") return undefined;
    if (one.kind === "undo" && one.of !== undefined)
      return operations.find(({ operation }) => operation === one.of) ?? { operation: one.of };
  }
  return undefined;
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
    one.events.map((type) => (type === "step_verified" && proven) || worded(type, events)).join(", then ") ||
    toolText(one.tool)
  );
}

/** @param {string} type @param {LogEvent[]} events */
function worded(type, events) {
  const event = events.find((one) => one.type === type);
  return event && /^step_(un)?blocked$/.test(type) ? done(event) : said({ type });
}

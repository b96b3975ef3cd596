// What waits for a person, with a form for each item.

import { Refusal, Unreachable } from "../api.js";
import { h, phrase } from "../dom.js";
import { answerNotifications, itemKey, notifying } from "../notifications.js";
import { answerForm, asked } from "./answer_form.js";
import { approve } from "./approval.js";
import { typed } from "./dialog.js";
import { button, code, command } from "./elements.js";
import { notice } from "./notices.js";
import { sentence } from "./proof_text.js";
import { shape } from "./proofs.js";
import { isOvertaken, isRefused, refused } from "./refusals.js";
import { close } from "./step_dialogs.js";

/** @import { Child, InboxItem, InboxReply, Json, OperationName } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

/** @type {Record<string, [string, string]>} */
const KINDS = {
  question: ["?", "Question"],
  signoff: ["✓", "Sign-off"],
  approval: ["▣", "Plan to approve"],
  package: ["✎", "Edited on disk"],
  trust: ["$", "Command to trust"],
};
const CHANGED = "Not sent: this was changed while you were looking. Check it, then send it again if it is still right.";

/**
 * How many things wait, as far as they were counted.
 * @param {InboxReply} inbox
 */
export function waitingCount({ counts: { at_least: more, ...counts } }) {
  const sum = Object.values(counts).reduce((all, one) => all + one, 0);
  return `${sum}${more ? "+" : ""}`;
}

/** The items with their forms. A view has its own, since it remembers what was refused. */
export class InboxItems {
  /** @type {App} */
  #app;
  #show;
  /** @type {Set<string>} */
  #busy = new Set();
  /** @type {Map<string, Refusal | Unreachable>} */
  #refused = new Map();

  /** @param {App} app @param {() => void} show */
  constructor(app, show) {
    this.#app = app;
    this.#show = show;
  }

  /** @param {readonly InboxItem[]} items */
  render(items) {
    return h(
      "ul",
      { class: "inbox" },
      items.map((one) => this.#item(one)),
    );
  }

  /** @param {InboxItem} item */
  #item(item) {
    const key = itemKey(item);
    const [glyph, word] = KINDS[item.kind] ?? ["·", item.kind];
    const no = this.#refused.get(key);
    return h(
      "li",
      { key, class: ["card", `inbox-${item.kind}`] },
      h(
        "p",
        { class: "inbox-head" },
        h("span", { class: "glyph", "aria-hidden": "true" }, glyph),
        h("span", { class: "label" }, word),
        this.#where(item),
      ),
      this.#body(item, key),
      no ? this.#no(no) : null,
    );
  }

  /** @param {Refusal | Unreachable} error */
  #no(error) {
    if (isOvertaken(error)) return h("p", { class: "refusal", role: "alert" }, CHANGED);
    return refused(this.#app, error, {});
  }

  /** @param {InboxItem} item @returns {Child} */
  #where({ task, plan, path, step_id: step, taskdoc, selector, title }) {
    const { link } = this.#app;
    const to = link.bind(this.#app);
    if (task) {
      const at = path ?? step ?? "";
      return [h("a", { href: to("task", task, ...(at ? [at] : [])) }, title || at), " ", code(`${task} ${path ?? ""}`)];
    }
    if (plan) return [h("a", { href: to("task", plan) }, title || plan), " ", code(plan)];
    if (taskdoc) return h("a", { href: to("taskdoc", taskdoc, ...(selector ? [selector] : [])) }, taskdoc);
    return title;
  }

  /** @param {InboxItem} item @param {string} key @returns {Child} */
  #body(item, key) {
    switch (item.kind) {
      case "question":
        return this.#question(item, key);
      case "signoff":
        return this.#signoff(item, key);
      case "approval":
        return this.#approval(item);
      case "package":
        return h("p", {}, item.differs, " ", item.do);
      default:
        return [
          item.run ? h("pre", { class: "block" }, `$ ${item.run}`) : null,
          h("p", { class: "muted" }, item.do),
          item.command ? command(item.command) : null,
        ];
    }
  }

  /** @param {InboxItem} item @param {string} key */
  #question(item, key) {
    const { workspace } = this.#app;
    const { task = "", step_id: step = "" } = item;
    /** @param {string} answer */
    const send = (answer) => this.#send(item, key, "tasks_block", { blocked: false, answer });
    return [
      asked({ ...item, ask: item.ask ?? "" }),
      item.reason ? h("p", { class: "muted" }, phrase`Blocked: ${item.reason}`) : null,
      answerForm(
        { ask: item.ask ?? "", options: item.options },
        { workspace, task, step, busy: this.#busy.has(key), send },
      ),
    ];
  }

  // Only what the reader ticks is confirmed in their name.
  /** @param {InboxItem} item @param {string} key */
  #signoff(item, key) {
    const wanted = item.signoff ?? [];
    /** @param {HTMLFormElement} form */
    const marks = (form) => {
      const note = typed(form, "note");
      const names = new FormData(form).getAll("mark").map(String);
      return Object.fromEntries(names.map((name) => [name, { confirmed: true, ...(note ? { note } : {}) }]));
    };
    /** @param {SubmitEvent} event */
    const submit = (event) => {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (event.currentTarget);
      const given = marks(form);
      if (!Object.keys(given).length) {
        form.querySelector("input")?.focus();
        return;
      }
      const closes = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value === "close";
      if (!closes) this.#send(item, key, "tasks_verify", { checkpoints: given });
      else close(given, (tool, rest) => this.#send(item, key, tool, rest));
    };
    return [
      h(
        "ul",
        { class: "proofs" },
        (item.confirmed ?? []).map((mark) =>
          h(
            "li",
            { key: mark.checkpoint, class: "proof lit" },
            h("p", {}, shape(mark.provenance, mark.stale), h("span", { class: "name" }, mark.checkpoint)),
            h("p", { class: "muted" }, sentence(mark, [])),
            mark.note ? h("p", { class: "said" }, mark.note) : null,
          ),
        ),
      ),
      h(
        "form",
        { class: "signoff-form", on: { submit } },
        h(
          "fieldset",
          { class: "ticks" },
          h("legend", {}, "I verified"),
          wanted.map((name) =>
            h(
              "label",
              { key: name, class: "tick" },
              h("input", { type: "checkbox", name: "mark", value: name }),
              ` ${name}`,
            ),
          ),
        ),
        h("input", {
          name: "note",
          "aria-label": "How you verified it",
          placeholder: "How? (optional)",
          autocomplete: "off",
        }),
        h(
          "div",
          { class: "actions" },
          h("button", { type: "submit", value: "close", disabled: this.#busy.has(key) }, "Sign off and close step"),
          h(
            "button",
            { type: "submit", class: "second", value: "sign", disabled: this.#busy.has(key) },
            "Sign off only",
          ),
        ),
      ),
    ];
  }

  /** @param {InboxItem} item */
  #approval({ plan = "", title = "" }) {
    return [
      h(
        "p",
        {},
        "Nothing in this plan can be confirmed or closed until you approve it. Read its contract and tasks first.",
      ),
      h(
        "div",
        { class: "actions" },
        button("Approve…", () => approve(this.#app, plan, title), { class: "primary" }),
      ),
    ];
  }

  // Sends a change of the item's step, for the revision that the reader sees. True once it is accepted.
  /** @param {InboxItem} item @param {string} key @param {OperationName} tool @param {Json} asked */
  async #send(item, key, tool, asked) {
    const step = { task: item.task, step_id: item.step_id };
    const guard = { expected_step_revision: item.revision };
    this.#busy.add(key);
    this.#refused.delete(key);
    this.#show();
    try {
      const whole = typeof asked === "function" ? asked(step, guard) : { ...step, ...asked, ...guard };
      const reply = /** @type {Json} */ (await this.#app.call(tool, whole));
      this.#told(item, reply, asked.answer);
      return true;
    } catch (error) {
      if (isRefused(error)) await this.#refuse(key, error);
      return false;
    } finally {
      this.#busy.delete(key);
      await this.#app.look();
      this.#show();
    }
  }

  // In place, unless the item is gone: somebody else was faster.
  /** @param {string} key @param {Refusal | Unreachable} error */
  async #refuse(key, error) {
    await this.#app.look();
    const isThere = this.#app.inbox?.items.some((one) => itemKey(one) === key);
    if (isThere) this.#refused.set(key, error);
    else notice(isOvertaken(error) ? CHANGED : error.message, { kind: "bad" });
  }

  /** @param {InboxItem} item @param {Json} reply @param {string | undefined} answer */
  #told(item, reply, answer) {
    const words = answer === undefined ? "Signed off." : "Answered. The agent reads it with its next call.";
    const operation = reply.events?.[0]?.seq;
    const undo = { label: "Undo", run: () => this.#app.change("tasks_undo", { task: item.task, operation }) };
    notice(words, { action: operation ? undo : null });
  }
}

/**
 * Asks once whether the browser may show notifications; nothing where that was answered or is not possible.
 * @param {() => void} then
 */
export function askNotifications(then) {
  if (notifying() !== "unasked") return null;
  /** @param {boolean} wanted */
  const answer = async (wanted) => {
    await answerNotifications(wanted);
    then();
  };
  return h(
    "div",
    { key: "notifications", class: "ask-notifications" },
    h("p", {}, "Show a browser notification when a question or a sign-off waits for you, or a plan is done?"),
    h(
      "div",
      { class: "actions" },
      button("Yes, notify me", () => answer(true)),
      button("No", () => answer(false), { class: "quiet" }),
    ),
  );
}

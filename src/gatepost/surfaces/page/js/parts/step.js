// One step (or the task itself) in full: what would prove it, who confirmed what, evidence, notes, and what a person can do.

import { h } from "../dom.js";
import { GLYPHS, many, said } from "../words.js";
import { evidence } from "./evidence.js";
import { stamps } from "./journal.js";
import { rich } from "./markdown.js";
import { aside, button, code } from "./marks.js";
import { Reading } from "./reading.js";
import { isRefused, refused } from "./refused.js";
import { actor, lamps, progress, state, time } from "./small.js";
import { askToClose, askWhy, counted } from "./step_acts.js";
import { stateOf } from "./tree.js";

const MOST = 1_000_000;
const PIECES = 40;

export class Pane {
  #view;
  #where;
  #reading;
  #form = null;
  #no = null;
  #busy = false;

  /** `where` is {path} or {step_id} of a step, or {} for the task or plan itself. */
  constructor(view, where) {
    this.#view = view;
    this.#where = where;
    const asked = { task: view.id, ...where, limit: PIECES, max_chars: MOST };
    this.#reading = new Reading(() => view.app.call("tasks_resume", asked), () => { view.seen(this.#reading.value?.target); view.show(); });
  }

  read() {
    return this.#reading.read();
  }

  end() {
    this.#reading.end();
  }

  get step() {
    return this.#reading.value?.step ?? null;
  }

  /** The pane's content. */
  render() {
    const { error, value } = this.#reading;
    if (error) return [h("h2", { id: "pane" }, "No such step"), refused(this.#view.app, error, { here: Object.values(this.#where) })];
    if (!value) return [h("h2", { id: "pane" }, "Step"), h("p", { class: "waiting" }, "Reading…")];
    const step = value.step ?? null;
    return [
      step ? this.#head(step) : h("h2", { id: "pane", tabindex: -1 }, `About this ${value.target.kind}`),
      step ? (step.status ? this.#node(step) : this.#proofs(step)) : this.#own(value.target),
      this.#refusal(),
      this.#evidence(value),
      this.#notes(step),
    ];
  }

  #head(step) {
    const { app, id } = this.#view;
    const now = this.#view.now?.step_id === step.step_id;
    return h("div", { class: "step-head" },
      h("h2", { id: "pane", tabindex: -1 }, step.title),
      h("p", { class: "meta" }, state(stateOf(step, now)), code(step.path), code(step.step_id),
        step.done_at ? h("span", { class: "muted" }, "closed ", this.#closedBy(step), time(step.done_at)) : null,
        h("a", { class: "quiet", href: app.link("task", id) }, "Back to the task")),
      step.counts ? progress(step.counts, "Progress below this step") : null,
      step.blocked ? this.#blocked(step) : null);
  }

  #closedBy(step) {
    const event = this.#events(step).find((one) => one.type === "step_done");
    return event ? ["by ", actor(event.actor), event.forced ? ` over ${event.missing.join(" and ")}: ${event.reason} · ` : " · "] : null;
  }

  #blocked(step) {
    const event = this.#events(step).find((one) => one.type === "step_blocked");
    const why = step.blocked === true ? "; no reason was given." : `: ${step.blocked}`;
    return h("div", { class: "banner held" }, h("p", {}, h("strong", {}, `${GLYPHS.blocked} Blocked`), why),
      event ? h("p", { class: "muted" }, "said by ", actor(event.actor), " · ", time(event.at)) : null);
  }

  #proofs(step) {
    const list = (title, items) => h("section", { class: "list" }, h("h3", { class: "label" }, title),
      items.length ? h("ul", {}, items.map((text) => h("li", {}, text))) : aside("None were written down."));
    return h("div", { class: "step-proofs" },
      lamps(counted(step), (name, confirm) => this.#press(step, name, confirm)),
      this.#form?.kind === "mark" ? this.#markForm(step) : null,
      h("div", { class: "step-lists" }, list("Criteria", step.criteria), list("Tests", step.tests),
        step.blockers.length ? list("To mind", step.blockers) : null),
      this.#acts(step));
  }

  #acts(step) {
    const close = () => askToClose(this.#view.app, step, (tool, asked) => this.#send(tool, asked));
    const block = () => askWhy({
      title: `Block “${step.title}”`, submit: "Block it", hint: "What stands in the way?",
      send: (reason) => this.#send("tasks_block", { blocked: true, reason }),
    });
    const reopen = () => askWhy({
      title: `Reopen “${step.title}”`, submit: "Reopen it", hint: "Why? What stands on it is reopened as well.",
      send: (reason) => this.#send("tasks_progress", { completed: false, reason }),
    });
    if (step.done) return h("div", { class: "actions" }, this.#act("Reopen…", reopen));
    return h("div", { class: "actions" }, this.#act("Close the step…", close, "primary"),
      step.blocked ? this.#act("Unblock", () => this.#try("tasks_block", { blocked: false })) : this.#act("Block…", block));
  }

  #act(label, run, kind = "") {
    return button(label, run, { key: label, class: kind, disabled: this.#busy });
  }

  #node(step) {
    const next = step.done ? "ACTIVE" : "DONE";
    return h("div", { class: "step-proofs" }, step.description ? rich(step.description) : null,
      aside(`A task of its own inside this one, ${step.status}, priority ${step.priority}.`),
      h("div", { class: "actions" },
        this.#act(step.done ? "Reopen it" : "Mark it as done", () => this.#try("tasks_task_define", { status: next }))));
  }

  #own(target) {
    const [word, next] = target.status === "DONE" ? ["Reopen", "ACTIVE"] : ["Complete", "DONE"];
    return h("div", { class: "step-proofs" },
      target.context ? h("section", {}, h("h3", { class: "label" }, "Context"), rich(target.context)) : null,
      target.kind === "task" && target.counts.total ? aside("Choose a step to see what proves it.") : null,
      h("div", { class: "actions" }, this.#act(`${word} this ${target.kind}`, () => this.#try("tasks_complete", { status: next }))));
  }

  #press(step, name, confirm) {
    const same = this.#form?.name === name;
    this.#form = same ? null : { kind: "mark", name, confirm };
    this.#no = null;
    this.#view.show();
    if (!same) this.#view.place.querySelector(".mark-form input")?.focus();
  }

  #markForm(step) {
    const { name, confirm } = this.#form;
    const send = (event) => {
      event.preventDefault();
      const note = event.currentTarget.elements.note?.value.trim();
      this.#try("tasks_verify", { checkpoints: { [name]: { confirmed: confirm, ...(note ? { note } : {}) } } });
    };
    const words = confirm ? `I have checked ${name} of this step. How?` : `Withdraw the confirmation of ${name}. Why?`;
    return h("form", { key: `mark ${step.step_id} ${name} ${confirm}`, class: "mark-form", on: { submit: send } },
      h("label", { for: "mark-note" }, `${words} (may stay empty)`),
      h("div", { class: "row-form" }, h("input", { id: "mark-note", name: "note", autocomplete: "off" }),
        h("button", { type: "submit", disabled: this.#busy }, confirm ? `Confirm ${name}` : "Withdraw it"),
        button("Cancel", () => { this.#form = null; this.#view.show(); })));
  }

  #refusal() {
    if (!this.#no) return null;
    const { error, tool, asked } = this.#no;
    return refused(this.#view.app, error, {
      again: (revision) => this.#try(tool, asked, revision), send: (other, rest) => this.#try(other, rest),
      here: this.step ? [this.step.path, this.step.step_id] : [this.#view.id],
    });
  }

  #evidence({ evidence: pieces = [], budget, step }) {
    const kept = this.#events(step);
    const count = pieces.length === PIECES ? `the newest ${PIECES}` : pieces.length;
    return part("evidence", pieces.length ? `Evidence (${count})` : "Evidence",
      budget?.truncated ? h("p", { class: "banner" }, "There is more evidence than fits here: long texts are clipped.") : null,
      pieces.length ? evidence(pieces, stamps(pieces, kept)) : aside("None was captured here yet."));
  }

  #events(step) {
    return this.#view.journal.of(step?.step_id ?? null);
  }

  #notes(step) {
    const { journal } = this.#view;
    const told = this.#events(step).filter((event) => step || event.type === "step_noted");
    const none = journal.busy ? "Reading the log…" : "Nothing was noted yet.";
    return part("notes", "Notes", this.#noteForm(step),
      told.length ? h("ol", { class: "timeline" }, told.map((event) => entry(event))) : aside(none),
      journal.whole || journal.busy ? null : button("Look further back in the log", () => journal.back().catch(isRefused)));
  }

  #noteForm(step) {
    const name = step?.step_id ?? this.#view.id;
    const { drafts } = this.#view;
    const send = async (event) => {
      event.preventDefault();
      const text = event.currentTarget.elements.note;
      const note = text.value.trim();
      if (note && await this.#try("tasks_note", { note })) { text.value = ""; drafts.delete(name); }
    };
    return h("form", { key: name, class: "note-form", on: { submit: send, input: (event) => drafts.set(name, event.target.value) } },
      h("label", { class: "sr", for: "note" }, step ? "Note on this step" : "Note"),
      h("textarea", { id: "note", name: "note", rows: 2, placeholder: "Add a note (Markdown)", value: drafts.get(name) ?? "" }),
      h("button", { type: "submit", disabled: this.#busy }, "Add the note"));
  }

  // Sends a change of this step; throws what is refused. A suggestion names its target itself.
  async #send(tool, asked, revision = this.#reading.value.target.revision) {
    const { app, id } = this.#view;
    const mine = { task: id, ...(this.step ? { step_id: this.step.step_id } : {}) };
    const guard = { expected_revision: revision };
    let whole;
    if (typeof asked === "function") whole = asked(mine, guard);
    else if (asked.task) whole = asked.task === id ? { ...asked, ...guard } : asked;
    else whole = { ...mine, ...asked, ...guard };
    try {
      const reply = await app.call(tool, clean(whole));
      this.#no = null;
      return reply;
    } finally {
      this.#view.refresh();
    }
  }

  // The same, with a refusal shown in its place. Gives whether it was done.
  async #try(tool, asked, revision) {
    this.#busy = true;
    this.#no = null;
    this.#view.show();
    try {
      await this.#send(tool, asked, revision);
      this.#form = null;
      return true;
    } catch (error) {
      if (isRefused(error)) this.#no = { error, tool, asked };
      return false;
    } finally {
      this.#busy = false;
      this.#view.show();
    }
  }
}

function part(name, title, ...inside) {
  return h("section", { class: "part", "aria-labelledby": name }, h("h3", { id: name, class: "label" }, title), inside);
}

function entry(event) {
  const text = event.note ?? event.reason ?? "";
  return h("li", { key: event.seq, class: ["entry", event.type] },
    h("p", { class: "by" }, actor(event.actor), ` ${deed(event)} · `, time(event.at)), text ? rich(text) : null);
}

function deed(event) {
  if (event.type === "step_verified") return marked(event.checkpoints);
  if (event.type === "evidence_captured") return captured(event);
  return said(event).replace("a step", "it");
}

function captured({ items = [], checks = [], attachments = [] }) {
  return `captured ${many(items.length + checks.length + attachments.length, "piece")} of evidence`;
}

/** What a verification says of each checkpoint. */
export function marked(checkpoints) {
  const names = (wanted) => Object.keys(checkpoints).filter((name) => checkpoints[name].confirmed === wanted);
  const told = [["confirmed", names(true)], ["withdrew", names(false)]].filter(([, list]) => list.length);
  return told.map(([word, list]) => `${word} ${list.join(", ")}`).join(" and ");
}

const clean = (asked) => Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined && value !== ""));

// One step (or the task itself) in full: what would prove it, who confirmed what, evidence, notes, and what a person can do.

import { h, phrase } from "../dom.js";
import { GLYPHS, many } from "../labels.js";
import { Draft } from "./drafts.js";
import { said } from "./event_text.js";
import { evidence } from "./evidence.js";
import { stamps } from "./step_events.js";
import { rich } from "./markdown.js";
import { actor, aside, button, code, lamps, progress, state, time } from "./elements.js";
import { sorry } from "./notices.js";
import { Query } from "./query.js";
import { isOvertaken, isRefused, overtaken, refused } from "./refusals.js";
import { askToClose, askWhy, changes, counted } from "./step_dialogs.js";
import { stateOf } from "./tree.js";

const MOST = 1_000_000;
const PIECES = 40;
const NOTES = 50;

export class StepPane {
  #view;
  #where;
  #reading;
  #form = null;
  #no = null;
  #busy = false;
  #ended = false;
  #told = NOTES;

  /** `where` is {path} or {step_id} of a step, or {} for the task or plan itself. */
  constructor(view, where) {
    this.#view = view;
    this.#where = where;
    const asked = { task: view.id, ...where, limit: PIECES, max_chars: MOST };
    this.#reading = new Query(() => view.app.call("tasks_resume", asked), () => { view.seen(this.#reading.value?.target); view.show(); });
  }

  read() {
    return this.#reading.read();
  }

  end() {
    this.#ended = true;
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
    this.#view.journal.attend(step?.step_id ?? null);
    return [
      step ? this.#head(step) : h("h2", { id: "pane", tabindex: -1 }, `About this ${value.target.kind}`),
      step ? (step.status ? this.#node(step) : this.#proofs(step)) : this.#own(value.target),
      this.#no ? h("div", { key: "refused" }, this.#refusal()) : null,
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
    return event ? ["by ", actor(event.actor), event.forced ? phrase` over ${event.missing.join(" and ")}: ${event.reason} · ` : " · "] : null;
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
    const read = () => this.#look(step);
    const send = (tool, asked, revision) => this.#send(tool, asked, revision);
    const close = () => askToClose(this.#view.app, this.#seen(), { send, read });
    const block = () => askWhy({
      seen: this.#seen(), read,
      title: phrase`Block “${step.title}”`, submit: "Block it", hint: "What stands in the way?",
      send: (reason, revision) => send("tasks_block", { blocked: true, reason }, revision),
    });
    const reopen = () => askWhy({
      seen: this.#seen(), read,
      title: phrase`Reopen “${step.title}”`, submit: "Reopen it", hint: "Why? What stands on it is reopened as well.",
      send: (reason, revision) => send("tasks_progress", { completed: false, reason }, revision),
    });
    if (step.done) return h("div", { class: "actions" }, this.#act("Reopen…", reopen));
    return h("div", { class: "actions" }, this.#act("Close the step…", close, "primary"),
      step.blocked ? this.#act("Unblock", () => this.#try("tasks_block", { blocked: false })) : this.#act("Block…", block));
  }

  // What is shown, all of one answer.
  #seen() {
    const { step, target } = this.#reading.value;
    return { task: this.#view.id, step, revision: target.revision };
  }

  // What there is to see now, whatever is shown.
  async #look({ step_id: id }) {
    const { step, target } = await this.#view.app.call("tasks_resume", { task: this.#view.id, step_id: id, limit: 1, max_chars: MOST });
    return { step, revision: target.revision };
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
    this.#form = same ? null : { kind: "mark", name, confirm, ...this.#seen() };
    this.#no = null;
    this.#view.show();
    if (!same) this.#view.place.querySelector(".mark-form input")?.focus();
  }

  #markForm(step) {
    const form = this.#form;
    const { name, confirm } = form;
    const send = (event) => {
      event.preventDefault();
      const note = event.currentTarget.elements.note?.value.trim();
      const checkpoints = { [name]: { confirmed: confirm, ...(note ? { note } : {}) } };
      this.#try("tasks_verify", { checkpoints }, { seen: form, done: () => { this.#form = null; } });
    };
    const words = confirm ? `I have checked ${name} of this step. How?` : `Withdraw the confirmation of ${name}. Why?`;
    return h("form", { key: `mark ${step.step_id} ${name} ${confirm}`, class: "mark-form", on: { submit: send } },
      h("label", { for: "mark-note" }, `${words} (may stay empty)`),
      h("div", { class: "row-form" }, h("input", { id: "mark-note", name: "note", autocomplete: "off" }),
        h("button", { type: "submit", disabled: this.#busy }, confirm ? `Confirm ${name}` : "Withdraw it"),
        button("Cancel", () => { this.#form = null; this.#view.show(); })));
  }

  #refusal() {
    const { error, tool, asked, how, before } = this.#no;
    if (!isOvertaken(error)) {
      return refused(this.#view.app, error, {
        again: () => this.#try(tool, asked, how), send: (other, rest) => this.#try(other, rest),
        here: this.step ? [this.step.path, this.step.step_id] : [this.#view.id],
      });
    }
    const now = this.#seen();
    if (now.revision < error.problem.current_revision) return overtaken([], "What it is now is being read.");
    const told = changes(before, now.step);
    const next = "What is shown here is how it is now. Look again, then send it, if it is still right.";
    if (tool === "tasks_verify") return overtaken(told, next); // by its own form
    return overtaken(told, next,
      button("I have looked: send it again", () => this.#try(tool, asked, { ...how, seen: now })));
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
    const older = told.length - this.#told;
    return part("notes", "Notes", this.#noteForm(step),
      told.length ? h("ol", { class: "timeline" }, told.slice(0, this.#told).map((event) => entry(event))) : aside(none),
      older > 0 ? button(`Show more (${older.toLocaleString("en")} older)`, () => this.#tellMore()) : this.#further(journal));
  }

  #tellMore() {
    this.#told += NOTES;
    this.#view.show();
  }

  #further(journal) {
    return journal.whole || journal.busy ? null : button("Look further back in the log", () => journal.back().catch(isRefused));
  }

  #noteForm(step) {
    const name = step?.step_id ?? this.#view.id;
    const kept = new Draft("note", this.#view.app.workspace, this.#view.id, name);
    const send = (event) => {
      event.preventDefault();
      const text = event.currentTarget.elements.note.value;
      const note = text.trim();
      if (note) this.#try("tasks_note", { note }, { done: () => sent(name, text, kept) });
    };
    const keep = ({ target }) => (target.value ? kept.put(target.value) : kept.drop());
    return h("form", { key: name, class: "note-form", on: { submit: send, input: keep } },
      h("label", { class: "sr", for: "note" }, step ? "Note on this step" : "Note"),
      h("textarea", {
        id: "note", name: "note", rows: 2, placeholder: "Add a note (Markdown)", data: { of: name }, value: kept.get() ?? "",
      }),
      h("button", { type: "submit", disabled: this.#busy }, "Add the note"));
  }

  // Sends a change of this step, for the revision that its reader has seen; throws what is refused. A suggestion names its target itself.
  async #send(tool, asked, revision) {
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
      if (reply.task === id && this.#form?.revision === revision) this.#form.revision = reply.revision; // the reader's own change
      return reply;
    } finally {
      this.#view.refresh();
    }
  }

  // The same, with a refusal shown in its place: for what `seen` says, else for what is shown; `done()` is called when it is done.
  async #try(tool, asked, how = {}) {
    const { seen = this.#seen(), done = () => {} } = how;
    this.#busy = true;
    this.#no = null;
    this.#view.show();
    try {
      await this.#send(tool, asked, seen.revision);
      done();
      await this.#reading.settled();
    } catch (error) {
      if (isRefused(error)) await this.#refuse({ error, tool, asked, how, before: seen.step });
    } finally {
      this.#busy = false;
      this.#view.show();
    }
  }

  async #refuse(no) {
    if (this.#ended) return sorry(no.error);
    this.#no = no;
    if (!isOvertaken(no.error)) return;
    await this.#reading.settled(); // it was asked for after the refusal
    const now = this.#seen();
    if (this.#form && this.#form === no.how.seen && now.revision >= no.error.problem.current_revision) Object.assign(this.#form, now);
  }
}

// Whoever typed on while it was sent, goes on.
function sent(name, text, kept) {
  if (kept.get() === text) kept.drop();
  const field = document.getElementById("note");
  if (field?.dataset.of === name && field.value === text) field.value = "";
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

// One step (or the task itself) in full: checkpoints, criteria, tests, evidence, notes and actions.

import { Refusal, Unreachable } from "../api.js";
import { h, phrase } from "../dom.js";
import { GLYPHS } from "../labels.js";
import { claimBanner, ownClaim } from "./claims.js";
import { typed } from "./dialog.js";
import { answerForm, asked } from "./answer_form.js";
import { Draft } from "./drafts.js";
import { evidence } from "./evidence.js";
import { stamps } from "./step_events.js";
import { rich } from "./markdown.js";
import { actor, aside, button, code, command, progress, state, time } from "./elements.js";
import { sorry } from "./notices.js";
import { hasChecks, missing, policyWords } from "./proof_text.js";
import { checks, lamps, proofs } from "./proofs.js";
import { Query } from "./query.js";
import { isOvertaken, isRefused, overtaken, refused } from "./refusals.js";
import { askToClose, askWhy, changes, counted } from "./step_dialogs.js";
import { timeline } from "./timeline.js";
import { stateOf } from "./tree.js";

/** @import { Checkpoint, Child, Json, Mark, OperationName, Resumed, Step, Target } from "../../types/page.d.ts" */
/** @import { TaskView } from "../views/task.js" */
/** @import { StepEvents } from "./step_events.js" */
/** @typedef {{task: string, step: Step | undefined, revision: number}} Seen */
/** @typedef {Seen & {kind: "mark", name: Checkpoint, confirm: boolean}} MarkForm */
/** @typedef {{seen?: Seen, done?: () => void}} How */
/** @typedef {{error: Refusal | Unreachable, tool: OperationName, asked: Json, how: How, before: Step | undefined}} No */
/** @typedef {Record<string, {confirmed?: boolean}>} Marks */

const MOST = 1_000_000;
const PIECES = 40;
const NOTES = 50;

export class StepPane {
  /** @type {TaskView} */
  #view;
  /** @type {{path?: string, step_id?: string}} */
  #where;
  /** @type {Query<Resumed>} */
  #reading;
  /** @type {MarkForm | null} */
  #form = null;
  /** @type {No | null} */
  #no = null;
  #busy = false;
  #ended = false;
  #shown = NOTES;

  /**
   * `where` is {path} or {step_id} of a step, or {} for the task or plan itself.
   * @param {TaskView} view
   * @param {{path?: string, step_id?: string}} where
   */
  constructor(view, where) {
    this.#view = view;
    this.#where = where;
    const asked = { task: view.id, ...where, limit: PIECES, max_chars: MOST };
    this.#reading = new Query(
      () => view.app.resume(asked),
      () => {
        view.seen(this.#reading.value?.target);
        view.show();
      },
    );
  }

  read() {
    return this.#reading.read();
  }

  end() {
    this.#ended = true;
    this.#reading.end();
  }

  get #value() {
    const { value } = this.#reading;
    if (!value) throw new Error("the step was not read yet");
    return value;
  }

  get step() {
    return this.#reading.value?.step ?? null;
  }

  /** The content of the pane. */
  render() {
    const { error, value } = this.#reading;
    if (error)
      return [
        h("h2", { id: "pane" }, "Step not found"),
        refused(this.#view.app, error, { here: Object.values(this.#where) }),
      ];
    if (!value) return [h("h2", { id: "pane" }, "Step"), h("p", { class: "waiting" }, "Loading…")];
    const step = value.step ?? null;
    this.#view.journal.attend(step?.step_id ?? null);
    return [
      step ? this.#head(step) : h("h2", { id: "pane", tabindex: -1 }, `About this ${value.target.kind}`),
      step ? (step.status ? this.#node(step) : this.#proofs(step, value)) : this.#own(value.target),
      policy(value.holds),
      this.#no ? h("div", { key: "refused" }, this.#refusal(this.#no)) : null,
      this.#evidence(value),
      this.#notes(step),
    ];
  }

  /** @param {Step} step */
  #head(step) {
    const { app, id } = this.#view;
    const now = this.#view.now?.step_id === step.step_id;
    const held = this.#view.held(step.step_id);
    const own = now ? this.#view.now?.claim : undefined;
    return h(
      "div",
      { class: "step-head" },
      h("h2", { id: "pane", tabindex: -1 }, step.title),
      h(
        "p",
        { class: "meta" },
        state(stateOf(step, now)),
        code(step.path),
        code(step.step_id),
        step.done_at ? h("span", { class: "muted" }, "closed ", this.#closedBy(step), time(step.done_at)) : null,
        h("a", { class: "quiet", href: app.link("task", id) }, "Back to the task"),
      ),
      step.counts ? progress(step.counts, "Progress below this step") : null,
      held && !step.done ? claimBanner(app, held) : null,
      own ? ownClaim(own, () => this.#try("tasks_release", {})) : null,
      step.blocked ? this.#blocked(step) : null,
    );
  }

  /** @param {Step} step */
  #closedBy(step) {
    const event = this.#events(step).find((one) => one.type === "step_done");
    return event
      ? [
          "by ",
          actor(event.actor),
          event.forced ? phrase` by force, without ${(event.missing ?? []).join(" and ")}: ${event.reason} · ` : " · ",
        ]
      : null;
  }

  /** @param {Step} step */
  #blocked(step) {
    const { app, id } = this.#view;
    const { question } = step;
    const form = { workspace: app.workspace, task: id, step: step.step_id, busy: this.#busy };
    return h(
      "div",
      { class: "banner held" },
      question ? this.#question(question) : this.#reason(step),
      answerForm(question, { ...form, send: (answer) => this.#lift(answer) }),
    );
  }

  /** @param {NonNullable<Step["question"]>} question */
  #question(question) {
    return [h("p", {}, h("strong", {}, `${GLYPHS.blocked} Waits for an answer`)), asked(question)];
  }

  /** @param {Step} step */
  #reason(step) {
    const event = this.#events(step).find((one) => one.type === "step_blocked");
    const why = step.blocked === true ? ". No reason given." : `: ${step.blocked}`;
    return [
      h("p", {}, h("strong", {}, `${GLYPHS.blocked} Blocked`), why),
      event ? h("p", { class: "muted" }, "by ", actor(event.actor), " · ", time(event.at)) : null,
    ];
  }

  // Whether the block was lifted.
  /** @param {string} answer */
  async #lift(answer) {
    let isLifted = false;
    const done = () => {
      isLifted = true;
    };
    await this.#try("tasks_block", { blocked: false, answer }, { done });
    return isLifted;
  }

  /** @param {Step} step @param {Resumed} value */
  #proofs(step, { evidence: pieces = [] }) {
    /** @param {string} title @param {string[]} items */
    const list = (title, items) =>
      h(
        "section",
        { class: "list" },
        h("h3", { class: "label" }, title),
        items.length
          ? h(
              "ul",
              {},
              items.map((text) => h("li", {}, text)),
            )
          : aside("None."),
      );
    return h(
      "div",
      { class: "step-proofs" },
      lamps(counted(step), pieces, (name, confirm) => this.#press(name, confirm)),
      this.#form?.kind === "mark" ? this.#markForm(step, this.#form) : null,
      needed(step),
      h(
        "div",
        { class: "step-lists" },
        list("Criteria", step.criteria ?? []),
        list("Tests", step.tests ?? []),
        step.blockers?.length ? list("Known blockers", step.blockers) : null,
        checks(step, step.done ? null : this.#run(step)),
        proofs(step, pieces),
      ),
      this.#acts(step),
    );
  }

  /** @param {Step} step */
  #acts(step) {
    const read = () => this.#look(step);
    /** @param {OperationName} tool @param {Json} asked @param {number} revision */
    const send = (tool, asked, revision) => this.#send(tool, asked, revision);
    const close = () => askToClose(this.#view.app, { ...this.#seen(), step }, { send, read });
    const block = () =>
      askWhy({
        seen: { ...this.#seen(), step },
        read,
        title: phrase`Block “${step.title}”`,
        submit: "Block step",
        hint: "What is blocking it?",
        send: (reason, revision) => send("tasks_block", { blocked: true, reason }, revision),
      });
    const reopen = () =>
      askWhy({
        seen: { ...this.#seen(), step },
        read,
        title: phrase`Reopen “${step.title}”`,
        submit: "Reopen step",
        hint: "Why? Its parents are reopened as well.",
        send: (reason, revision) => send("tasks_progress", { completed: false, reason }, revision),
      });
    if (step.done) return h("div", { class: "actions" }, this.#act("Reopen…", reopen));
    return h(
      "div",
      { class: "actions" },
      this.#act("Close step…", close, "primary"),
      step.blocked ? null : this.#act("Block…", block),
    );
  }

  // What is shown, all from one answer.
  #seen() {
    const { step, target } = this.#value;
    return { task: this.#view.id, step, revision: target.revision };
  }

  // The step as it is now, whatever is shown.
  /** @param {Step} shown */
  async #look(shown) {
    const { step = shown, target } = await this.#view.app.resume({
      task: this.#view.id,
      step_id: shown.step_id,
      limit: 1,
      max_chars: MOST,
    });
    return { step, revision: target.revision };
  }

  /** @param {string} label @param {() => unknown} run @param {string} kind */
  #act(label, run, kind = "") {
    return button(label, run, { key: label, class: kind, disabled: this.#busy });
  }

  /** @param {Step} step */
  #node(step) {
    const next = step.done ? "ACTIVE" : "DONE";
    return h(
      "div",
      { class: "step-proofs" },
      step.description ? rich(step.description) : null,
      aside(`A task within this task: ${step.status?.toLowerCase()}, ${step.priority?.toLowerCase()} priority.`),
      h(
        "div",
        { class: "actions" },
        this.#act(step.done ? "Reopen" : "Mark as done", () => this.#try("tasks_task_define", { status: next })),
      ),
    );
  }

  /** @param {Target} target */
  #own(target) {
    const [word, next] = target.status === "DONE" ? ["Reopen", "ACTIVE"] : ["Complete", "DONE"];
    return h(
      "div",
      { class: "step-proofs" },
      target.context ? h("section", {}, h("h3", { class: "label" }, "Context"), rich(target.context)) : null,
      target.kind === "task" && target.counts.total ? aside("Choose a step to see its checkpoints.") : null,
      h(
        "div",
        { class: "actions" },
        this.#act(`${word} this ${target.kind}`, () => this.#try("tasks_complete", { status: next })),
      ),
    );
  }

  /** @param {Checkpoint} name @param {boolean} confirm */
  #press(name, confirm) {
    const same = this.#form?.name === name;
    this.#form = same ? null : { kind: "mark", name, confirm, ...this.#seen() };
    this.#no = null;
    this.#view.show();
    if (!same) /** @type {HTMLElement | null} */ (this.#view.place.querySelector(".mark-form input"))?.focus();
  }

  // How to run the checks that did not pass.
  /** @param {Step} step */
  #run(step) {
    if (step.results?.every((one) => one.state === "passed")) return null;
    return h(
      "div",
      { class: "hint" },
      "Run them in the project: ",
      command(`gatepost check ${this.#view.id} ${step.path}`),
    );
  }

  // A checkpoint that is confirmed can be signed off by a person, or withdrawn.
  /** @param {Step} step @param {MarkForm} form */
  #markForm(step, form) {
    const { name, confirm } = form;
    const cancel = button("Cancel", () => {
      this.#form = null;
      this.#view.show();
    });
    if (confirm && hasChecks(step, name))
      return h(
        "div",
        { key: `checks ${step.step_id} ${name}`, class: "mark-form" },
        h("p", {}, `${name} has checks, so only running them confirms it.`),
        h("div", { class: "row-form" }, cancel),
      );
    const signs = !confirm && isSignable(step.confirmed?.find((one) => one.checkpoint === name));
    /** @param {Element} from @param {boolean} confirmed */
    const send = (from, confirmed) => {
      const note = typed(/** @type {HTMLFormElement} */ (from.closest("form")), "note");
      const checkpoints = { [name]: { confirmed, ...(note ? { note } : {}) } };
      this.#try(
        "tasks_verify",
        { checkpoints },
        {
          seen: form,
          done: () => {
            this.#form = null;
          },
        },
      );
    };
    const words = confirm
      ? `I verified ${name} of this step. How?`
      : signs
        ? `Sign off ${name}, if you verified it too, or withdraw it. How, or why?`
        : `Withdraw the confirmation of ${name}. Why?`;
    /** @param {SubmitEvent} event */
    const submit = (event) => {
      event.preventDefault();
      send(/** @type {Element} */ (event.currentTarget), confirm || signs);
    };
    return h(
      "form",
      { key: `mark ${step.step_id} ${name} ${confirm}`, class: "mark-form", on: { submit } },
      h("label", { for: "mark-note" }, `${words} (optional)`),
      h(
        "div",
        { class: "row-form" },
        h("input", { id: "mark-note", name: "note", autocomplete: "off" }),
        h(
          "button",
          { type: "submit", disabled: this.#busy },
          confirm ? `Confirm ${name}` : signs ? "Sign off" : "Withdraw",
        ),
        signs
          ? button("Withdraw", (event) => send(event.currentTarget, false), { key: "withdraw", disabled: this.#busy })
          : null,
        cancel,
      ),
    );
  }

  /** @param {No} no */
  #refusal({ error, tool, asked, how, before }) {
    if (!isOvertaken(error)) {
      return refused(this.#view.app, error, {
        again: () => this.#try(tool, asked, how),
        send: (other, rest) => this.#try(other, rest),
        here: this.step ? [this.step.path, this.step.step_id] : [this.#view.id],
      });
    }
    const now = this.#seen();
    if (now.revision < (error.problem.current_revision ?? 0)) return overtaken([], "Loading the current state…");
    const changed = changes(before, now.step);
    const next = "This shows the current state. Check again, then send it if it is still right.";
    if (tool === "tasks_verify") return overtaken(changed, next); // its own form sends it again
    return overtaken(
      changed,
      next,
      button("I checked: send it again", () => this.#try(tool, asked, { ...how, seen: now })),
    );
  }

  /** @param {Resumed} value */
  #evidence({ evidence: pieces = [], budget, step }) {
    const kept = this.#events(step);
    const count = pieces.length === PIECES ? `newest ${PIECES}` : pieces.length;
    return part(
      "evidence",
      pieces.length ? `Evidence (${count})` : "Evidence",
      budget?.truncated
        ? h("p", { class: "banner" }, "There is more evidence than fits here. Long texts are shortened.")
        : null,
      pieces.length ? evidence(pieces, stamps(pieces, kept)) : aside("No evidence yet."),
    );
  }

  /** @param {Step | null | undefined} step */
  #events(step) {
    return this.#view.journal.of(step?.step_id ?? null);
  }

  /** @param {Step | null} step */
  #notes(step) {
    const { journal } = this.#view;
    const events = this.#events(step).filter((event) => step || event.type === "step_noted");
    const none = journal.busy ? "Loading…" : "No notes yet.";
    const older = events.length - this.#shown;
    return part(
      "notes",
      "Notes",
      this.#noteForm(step),
      events.length ? timeline(events.slice(0, this.#shown)) : aside(none),
      older > 0
        ? button(`Show more (${older.toLocaleString("en")} older)`, () => this.#showMore())
        : this.#further(journal),
    );
  }

  #showMore() {
    this.#shown += NOTES;
    this.#view.show();
  }

  /** @param {StepEvents} journal */
  #further(journal) {
    return journal.whole || journal.busy ? null : button("Load older entries", () => journal.back().catch(isRefused));
  }

  /** @param {Step | null} step */
  #noteForm(step) {
    const name = step?.step_id ?? this.#view.id;
    const kept = new Draft("note", this.#view.app.workspace, this.#view.id, name);
    /** @param {SubmitEvent} event */
    const send = (event) => {
      event.preventDefault();
      const text = field().value;
      const note = text.trim();
      if (note) this.#try("tasks_note", { note }, { done: () => sent(name, text, kept) });
    };
    const field = () => /** @type {HTMLTextAreaElement} */ (this.#view.place.querySelector("#note"));
    const keep = () => (field().value ? kept.put(field().value) : kept.drop());
    return h(
      "form",
      { key: name, class: "note-form", on: { submit: send, input: keep } },
      h("label", { class: "sr", for: "note" }, step ? "Note on this step" : "Note"),
      h("textarea", {
        id: "note",
        name: "note",
        rows: 2,
        placeholder: "Add a note (Markdown)",
        data: { of: name },
        value: kept.get() ?? "",
      }),
      h("button", { type: "submit", disabled: this.#busy }, "Add note"),
    );
  }

  // Sends a change of this step for the revision that the reader has seen. Throws refusals. A suggestion names its own target.
  /**
   * @param {OperationName} tool
   * @param {Json} asked
   * @param {number} revision
   * @returns {Promise<Json>}
   */
  async #send(tool, asked, revision) {
    const { app, id } = this.#view;
    const mine = { task: id, ...(this.step ? { step_id: this.step.step_id } : {}) };
    const guard = { expected_revision: revision };
    let whole;
    if (typeof asked === "function") whole = asked(mine, guard);
    else if (asked.task) whole = asked.task === id ? { ...asked, ...guard } : asked;
    else whole = { ...mine, ...asked, ...guard };
    try {
      const reply = /** @type {Json} */ (await app.call(tool, clean(whole)));
      this.#no = null;
      if (reply.task === id && this.#form?.revision === revision) this.#form.revision = reply.revision; // the reader's own change
      return reply;
    } finally {
      this.#view.refresh();
    }
  }

  // The same, with a refusal shown in place. `how.seen` is what the reader saw; `how.done()` is called on success.
  /** @param {OperationName} tool @param {Json} asked @param {How} how */
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

  /** @param {No} no */
  async #refuse(no) {
    if (this.#ended) return sorry(no.error);
    this.#no = no;
    if (!isOvertaken(no.error)) return;
    await this.#reading.settled(); // this read was sent after the refusal
    const now = this.#seen();
    if (this.#form && this.#form === no.how.seen && now.revision >= (no.error.problem.current_revision ?? 0))
      Object.assign(this.#form, now);
  }
}

/** @param {Step} step */
function needed(step) {
  const found = missing(step);
  if (!found.length) return null;
  return h(
    "section",
    { class: "needed", "aria-labelledby": "needed" },
    h("h3", { class: "label", id: "needed" }, "To close it"),
    h(
      "ul",
      {},
      found.map((text) => h("li", { key: text }, text)),
    ),
  );
}

/** @param {Resumed["holds"]} holds */
function policy(holds) {
  const found = policyWords(holds);
  return found.length ? part("policy", "Policy", h("p", {}, found.join(" "))) : null;
}

// A person can add their name to what somebody else confirmed.
/** @param {Mark | undefined} mark */
const isSignable = (mark) =>
  Boolean(mark) && ![mark?.actor, mark?.signed?.actor].some((one) => one?.startsWith("human:"));

// Text that was typed while the note was sent stays.
/** @param {string} name @param {string} text @param {Draft} kept */
function sent(name, text, kept) {
  if (kept.get() === text) kept.drop();
  const field = document.getElementById("note");
  if (field instanceof HTMLTextAreaElement && field.dataset.of === name && field.value === text) field.value = "";
}

/** @param {string} name @param {string} title @param {Child[]} inside */
function part(name, title, ...inside) {
  return h("section", { class: "part", "aria-labelledby": name }, h("h3", { id: name, class: "label" }, title), inside);
}

/** @param {Json} asked */
const clean = (asked) =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined && value !== ""));

// "While you were away": what happened since the reader's last visit, in a few lines.

import { h, phrase } from "../dom.js";
import { many } from "../labels.js";
import { actor, button, time } from "./elements.js";
import { list } from "./next_action.js";
import { KINDS } from "./proof_text.js";
import { Query } from "./query.js";

/** @import { AwayReply, Child, Provenance } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

const SHOWN = 6;
const MOST = 20_000;

export class Away {
  /** @type {App} */
  #app;
  /** @type {Query<AwayReply>} */
  #reading;
  #since = 0;
  #show;

  /** @param {App} app @param {() => void} show */
  constructor(app, show) {
    this.#app = app;
    this.#show = show;
    this.#reading = new Query(() => app.call("tasks_away", { since: this.#since, max_chars: MOST }), show);
  }

  end() {
    this.#reading.end();
  }

  /** Nothing, unless the reader was away. It is read once: later events show up on the page as they happen. */
  render() {
    const left = this.#app.visit?.left;
    if (!left) return null;
    if (left.seq !== this.#since) {
      this.#since = left.seq;
      this.#reading.read();
    }
    const { value } = this.#reading;
    if (!value) return null;
    const lines = this.#lines(value);
    return h(
      "section",
      { key: "away", class: "card away", "aria-labelledby": "away" },
      h(
        "div",
        { class: "section-head" },
        h("h2", { id: "away" }, "While you were away"),
        h("span", { class: "muted" }, "since ", time(new Date(left.at).toISOString())),
        h("span", { class: "space" }),
        button("Got it", () => this.#told()),
      ),
      value.partial
        ? h("p", { class: "muted" }, "Too much happened to show everything: this covers only the newest part.")
        : null,
      h(
        "ul",
        { class: "away-lines" },
        lines.map((line) => h("li", {}, line)),
      ),
    );
  }

  #told() {
    this.#app.visit?.told();
    this.#show();
  }

  /** @param {AwayReply} reply @returns {Child[]} */
  #lines({ finished, completed, questions, blocked, workers, created }) {
    const begun = [created.plans && many(created.plans, "plan"), created.tasks && many(created.tasks, "task")];
    const named = begun.filter((word) => typeof word === "string");
    /** @type {Child[]} */
    const lines = [
      completed.items.length
        ? ["Done: ", joined(completed.items.slice(0, SHOWN).map((one) => this.#link(one.title || one.id, one.id)))]
        : null,
      finished.count
        ? [
            `${many(finished.count, "step")} finished (${proven(finished.proven)}): `,
            joined(finished.items.slice(0, SHOWN).map((one) => this.#link(one.title, one.task, one.path))),
            finished.count > SHOWN ? ` and ${finished.count - SHOWN} more` : null,
          ]
        : null,
      questions.count
        ? [
            `${many(questions.count, "question")} asked or answered`,
            questions.waiting ? h("strong", {}, `, ${questions.waiting} waiting`) : null,
            ": ",
            joined(questions.items.slice(0, SHOWN).map((one) => this.#question(one))),
          ]
        : null,
      named.length ? `Created: ${list(named)}.` : null,
      blocked.count
        ? [
            h(
              "span",
              { class: "stuck" },
              `${many(blocked.count, "step")}${blocked.at_least ? " or more" : ""} blocked now: `,
            ),
            joined(blocked.items.slice(0, SHOWN).map((one) => this.#link(one.title, one.task, one.path))),
          ]
        : null,
      workers.length ? joined(workers.slice(0, SHOWN).map(worked)) : "Nobody changed anything.",
    ];
    return lines.filter((line) => line !== null);
  }

  /** @param {AwayReply["questions"]["items"][number]} one @returns {Child} */
  #question({ ask, title, task, path, answer, answered_at: at }) {
    const found = this.#link(ask?.split("\n")[0] || title, task, path);
    return at ? [found, answer ? phrase` (${answer.split("\n")[0]})` : null] : found;
  }

  /** @param {string} words @param {string} task @param {string} [path] */
  #link(words, task, path) {
    return h("a", { href: this.#app.link("task", task, ...(path ? [path] : [])) }, words || path || task);
  }
}

/** @param {AwayReply["workers"][number]} one @returns {Child} */
const worked = ({ actor: name, operations, closed }) => [
  actor(name),
  h("span", { class: "muted" }, ` ${many(operations, "change")}${closed ? `, closed ${many(closed, "step")}` : ""}`),
];

/** @param {AwayReply["finished"]["proven"]} counts */
function proven(counts) {
  const words = Object.entries(counts).map(
    ([kind, count]) => `${count} ${KINDS[/** @type {Provenance} */ (kind)]?.word ?? "unproven"}`,
  );
  return list(words);
}

/** @param {Child[]} parts @returns {Child[]} */
const joined = (parts) => parts.map((part, at) => [at ? " · " : "", part]);

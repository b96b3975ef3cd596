// Cards of the overview: actors, taskdocs and todo lists.

import { h } from "../dom.js";
import { many } from "../labels.js";
import { actor, time } from "./elements.js";
import { done, subject } from "./event_text.js";

/** @import { LogEvent, Overview, TaskdocRow } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

const ACTIVE = 120_000;
const SEEN = 6;

/** @param {App} app @param {LogEvent[]} actors */
export function actorsCard(app, actors) {
  return h(
    "section",
    { class: "card crew", "aria-labelledby": "crew" },
    h("h2", { id: "crew" }, "Who is working on what"),
    actors.length
      ? h(
          "ul",
          {},
          actors.slice(0, SEEN).map((one) => member(app, one)),
        )
      : h("p", { class: "muted" }, "Nobody yet."),
    actors.length > SEEN
      ? h(
          "details",
          {},
          h("summary", {}, `and ${actors.length - SEEN} more`),
          h(
            "ul",
            {},
            actors.slice(SEEN).map((one) => member(app, one)),
          ),
        )
      : null,
  );
}

/** @param {App} app @param {LogEvent} one */
function member(app, one) {
  const { name, id, href } = subject(app, one);
  const isActive = Date.now() - Date.parse(one.at) < ACTIVE;
  return h(
    "li",
    { key: one.actor, class: isActive ? "active" : "idle" },
    h(
      "p",
      {},
      h("span", { class: "dot", "aria-hidden": "true" }),
      actor(one.actor),
      h("span", { class: "muted" }, isActive ? " active · " : " idle · ", time(one.at)),
    ),
    h(
      "p",
      { class: "act" },
      done(one),
      name || id ? " · " : null,
      href ? h("a", { href }, name || id) : name || id,
      name && id ? [" ", h("span", { class: "id" }, id)] : null,
    ),
  );
}

/** @param {App} app @param {TaskdocRow[]} docs */
export function taskdocsCard(app, docs) {
  return h(
    "section",
    { class: "card overview-docs", "aria-labelledby": "docs" },
    h("h2", { id: "docs" }, "Taskdocs", h("span", { class: "muted" }, " goals and rules for agents")),
    docs.length
      ? h(
          "ul",
          {},
          docs.map((doc) => taskdoc(app, doc)),
        )
      : h(
          "p",
          { class: "muted" },
          "None yet. ",
          h("a", { href: app.link("taskdoc") }, "Create one"),
          " to give agents goals and constraints that last.",
        ),
  );
}

/** @param {App} app @param {TaskdocRow} doc */
function taskdoc(app, { name, plan, sections, edited }) {
  const written = Object.entries(sections).filter(([, section]) => (section.bytes ?? 0) > 0);
  const [newest] = written
    .map(([, section]) => section)
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at));
  return h(
    "li",
    { key: name },
    h(
      "p",
      {},
      h("a", { href: app.link("taskdoc", name) }, name),
      plan ? h("a", { class: "id", href: app.link("task", plan) }, plan) : null,
      edited?.length ? h("span", { class: "chip warn" }, "⚠ edited on disk") : null,
      h(
        "span",
        { class: "last muted" },
        newest?.updated_at ? [actor(newest.actor), " · ", time(newest.updated_at)] : newest ? "on disk" : "empty",
      ),
    ),
    h(
      "p",
      { class: "sections" },
      written.map(([selector, section]) =>
        h(
          "a",
          { key: selector, class: "chip", href: app.link("taskdoc", name, selector) },
          `${selector} `,
          section.updated_at ? time(section.updated_at) : null,
        ),
      ),
    ),
  );
}

/** @param {App} app @param {Overview["sessions"]} sessions */
export function listsCard(app, sessions) {
  return h(
    "section",
    { class: "card overview-lists", "aria-labelledby": "lists" },
    h("h2", { id: "lists" }, "Todo lists"),
    sessions.length
      ? h(
          "ul",
          {},
          sessions.map(({ session, items }) =>
            h(
              "li",
              { key: session },
              h("a", { href: app.link("todos", session) }, session),
              h("span", { class: "muted" }, many(items, "item")),
            ),
          ),
        )
      : h("p", { class: "muted" }, "No todo lists yet."),
  );
}

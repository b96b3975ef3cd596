// Search results: tasks, plans, steps by id, taskdocs, todo lists, workspaces and commands.

import { Refusal, reader } from "../api.js";
import { h } from "../dom.js";
import { link } from "../routes.js";
import { flip } from "../theme.js";
import { many } from "../labels.js";
import { openCreate } from "./create_dialog.js";
import { ask, field } from "./dialog.js";
import { notice } from "./notices.js";

/** @import { Hit, Row, SearchReply, SearchResult, TaskdocRow } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

const ROWS = 12;
const LOOKS = 10; // requests at most, for older and older texts, until something is found
/** @type {SearchReply} */
const NO_RESULTS = { items: [], has_more: false };
const ID = /^(task|plan)-(\d+)$/i;
const MEMBER = /^(step|node)-[0-9a-f]{8}$/i;

/**
 * What the page knows without asking the server: shown at every keystroke.
 * @param {App} app
 * @param {string} text
 * @returns {SearchResult[]}
 */
export function atHand(app, text) {
  const words = wordsOf(text);
  /** @param {Array<string | undefined>} parts */
  const fits = (...parts) => words.every((word) => parts.join(" ").toLowerCase().includes(word));
  const { taskdocs = [], sessions = [], workspaces = [], tasks = [] } = app.overview ?? {};
  const open = words.length ? [] : tasks.filter((task) => task.status !== "DONE");
  const others = workspaces.filter((name) => name !== app.workspace && fits(name, "workspace"));
  const found = [
    ...open.map((task) => ofRoot(app, task, "Open tasks")),
    ...taskdocs.filter(({ name }) => fits(name, "taskdoc")).map((doc) => ofTaskdoc(app, doc)),
    ...sessions.filter(({ session }) => fits(session, "todo list")).map((list) => ofList(app, list)),
    ...others.map((name) => place("Workspaces", name, "", link(name))),
  ];
  return [...trimmed(found, words.length ? 6 : 4), ...commands(app).filter(({ label, also }) => fits(label, also))];
}

/** @param {SearchResult[]} found @param {number} most */
function trimmed(found, most) {
  /** @type {Record<string, number>} */
  const counts = {};
  return found.filter(({ group }) => {
    counts[group] = (counts[group] ?? 0) + 1;
    return counts[group] <= most;
  });
}

/** What only the server knows: tasks and plans by their words or by id, and whether it gave up before it
 * found any.
 * @param {App} app
 * @param {string} text
 */
export async function asked(app, text) {
  const [byId, page] = await Promise.all([named(app, text.trim()), firstPage(app, text)]);
  const byWords = worded(app, page).filter((one) => !byId.some((known) => known.key === one.key));
  return { found: [...byId, ...byWords], gaveUp: isBlank(page) };
}

/** @param {SearchReply} page */
const isBlank = ({ items, taskdocs, has_more }) => has_more && !items.length && !taskdocs;

/**
 * The first page that has results.
 * @param {App} app
 * @param {string} text
 * @returns {Promise<SearchReply>}
 */
async function firstPage(app, text) {
  /** @type {SearchReply} */
  let page = NO_RESULTS;
  for (let look = 0; wordsOf(text).length && look < LOOKS && (look === 0 || isBlank(page)); look++) {
    page = await gently(app.call("tasks_context", { text, limit: ROWS, cursor: page.cursor }), NO_RESULTS);
  }
  return page;
}

/** @param {App} app @param {SearchReply} page */
function worded(app, { items, taskdocs = [] }) {
  return [
    ...items.map((root) => ofRoot(app, root, "Tasks and plans")),
    ...items.flatMap(({ id, hits = [] }) => hits.filter(({ snippet }) => snippet).map((hit) => ofHit(app, id, hit))),
    ...taskdocs.flatMap(({ taskdoc, hits }) =>
      hits.filter(({ snippet }) => snippet).map((hit) => ofPassage(app, taskdoc, hit)),
    ),
  ].slice(0, 3 * ROWS);
}

/**
 * Several hits may lead to one place, so each has its own key.
 * @param {App} app
 * @param {string} id
 * @param {Hit} hit
 */
function ofHit(app, id, { path, seq, snippet, in: field }) {
  const found = place(
    "Steps, notes and texts",
    line(snippet ?? ""),
    [id, path, field].filter(Boolean).join(" "),
    app.link("task", id, ...(path ? [path] : [])),
  );
  return { ...found, key: `${found.key} ${field} ${seq ?? ""}` };
}

/** @param {App} app @param {string} name @param {Hit} hit */
const ofPassage = (app, name, { in: field, snippet }) => ({
  ...place("Taskdocs", line(snippet ?? ""), `${name} ${field}`, app.link("taskdoc", name)),
  key: `${name} ${field}`,
});

/** @param {string} text */
const line = (text) => text.replace(/\s+/g, " ").trim();

/**
 * A result by its id. Ids that the overview knows, or that are incomplete, are not requested.
 * @param {App} app
 * @param {string} text
 * @returns {Promise<SearchResult[]>}
 */
async function named(app, text) {
  const [, kind, number] = ID.exec(text) ?? [];
  if (kind) return ofId(app, `${kind.toUpperCase()}-${number.padStart(3, "0")}`, number.length >= 3);
  return MEMBER.test(text) ? ofMember(app, text.toUpperCase()) : [];
}

/** @param {App} app @param {string} id @param {boolean} isWhole */
async function ofId(app, id, isWhole) {
  const { tasks = [], plans = [] } = app.overview ?? {};
  const known = [...tasks, ...plans].find((one) => one.id === id);
  if (known || !isWhole) return known ? [ofRoot(app, known, "By id")] : [];
  const found = await gently(app.resume({ task: id, limit: 1, max_chars: 2_000 }), null);
  return found ? [ofRoot(app, found.target, "By id")] : [];
}

/** @param {App} app @param {string} id */
async function ofMember(app, id) {
  const seen = app.overview?.activity.find((event) => event.step_id === id && event.task);
  /** @param {string} task @param {{path?: string, title?: string}} step */
  const found = (task, { path, title }) => [
    place("By id", title ?? id, `${task} ${path}`, app.link("task", task, path ?? id)),
  ];
  if (seen?.task) return found(seen.task, seen);
  const tree = await gently(app.call("tasks_tree", { step_id: id, limit: 1 }), null);
  return tree?.parent && tree.target ? found(tree.target.id, tree.parent) : [];
}

/**
 * A refusal means that there is no such thing.
 * @template T
 * @template U
 * @param {Promise<T>} asking
 * @param {U} otherwise
 * @returns {Promise<T | U>}
 */
async function gently(asking, otherwise) {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof Refusal) return otherwise;
    throw error;
  }
}

/** @param {string} text */
export const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** @param {App} app @param {Pick<Row, "id" | "title" | "status">} row @param {string} group */
function ofRoot(app, { id, title, status }, group) {
  const standing = { ACTIVE: "active", TODO: "to do", DONE: "done" }[status] ?? "";
  return place(group, title ?? id, [id, standing].filter(Boolean).join(" · "), app.link("task", id));
}

/** @param {App} app @param {TaskdocRow} taskdoc */
const ofTaskdoc = (app, { name, plan = "" }) => place("Taskdocs", name, plan, app.link("taskdoc", name));
/** @param {App} app @param {{session: string, items: number}} list */
const ofList = (app, { session, items }) =>
  place("Todo lists", session, many(items, "item"), app.link("todos", session));

/**
 * @param {string} group
 * @param {string} label
 * @param {string} detail
 * @param {string} href
 * @returns {SearchResult}
 */
const place = (group, label, detail, href) => ({
  key: href,
  group,
  label,
  detail,
  run: () => {
    location.hash = href;
  },
});

/** @param {App} app @returns {SearchResult[]} */
function commands(app) {
  /** @param {string} label @param {string} view */
  const go = (label, view) => ({ ...place("Commands", label, "", app.link(view)), also: "go to" });
  /** @param {string} label @param {() => void} run @param {string} also @param {string} detail */
  const act = (label, run, also = "", detail = "") => ({ key: label, group: "Commands", label, detail, also, run });
  return [
    go("Go to the overview", "overview"),
    go("Go to todos", "todos"),
    go("Go to taskdocs", "taskdoc"),
    act("New task", () => openCreate(app, "task"), "create add"),
    act("New plan", () => openCreate(app, "plan"), "create add"),
    act("Switch theme", flip, "light dark colour color"),
    act("Set your name", askName, "who am i actor", `human:${reader.get()}`),
  ];
}

function askName() {
  const name = h("input", {
    name: "name",
    required: true,
    maxlength: 40,
    autocomplete: "nickname",
    value: reader.get(),
  });
  ask({
    title: "Your name",
    submit: "Save",
    fields: [
      field(
        "Name",
        name,
        "The log records your changes as human: followed by this name. It is stored in this browser only.",
      ),
    ],
    send: () => {
      reader.set(name.value.trim());
      notice(`Your changes are now recorded as human:${reader.get()}.`);
    },
  });
  name.select();
}

// What can be found from anywhere: tasks, plans, steps by their ids, taskdocs, todo lists, workspaces, and things to do.

import { Refusal, call, reader } from "../api.js";
import { h } from "../dom.js";
import { link } from "../app.js";
import { many } from "../labels.js";
import { openCreate } from "./create_dialog.js";
import { ask, field } from "./dialog.js";
import { notice } from "./notices.js";

const ROWS = 12;
const LOOKS = 10; // at most, at older and older texts, until something is found
const ID = /^(task|plan)-(\d+)$/i;
const MEMBER = /^(step|node)-[0-9a-f]{8}$/i;

/** What can be said without asking the server: at once, for each letter typed. */
export function atHand(app, text) {
  const words = wordsOf(text);
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

function trimmed(found, most) {
  const counts = {};
  return found.filter(({ group }) => (counts[group] = (counts[group] ?? 0) + 1) <= most);
}

/** What only the server knows: tasks and plans by their words, or one of them by its id, and whether it gave up before it
 * found any. Throws what makes it impossible to tell. */
export async function asked(app, text) {
  const [byId, page] = await Promise.all([named(app, text.trim()), firstPage(app, text)]);
  const byWords = worded(app, page).filter((one) => !byId.some((known) => known.key === one.key));
  return { found: [...byId, ...byWords], gaveUp: isBlank(page) };
}

const isBlank = ({ items, taskdocs, has_more }) => has_more && !items.length && !taskdocs;

/** The first page that has something. */
async function firstPage(app, text) {
  let page = { items: [] };
  for (let look = 0; wordsOf(text).length && look < LOOKS && (look === 0 || isBlank(page)); look++) {
    page = await gently(call(app.workspace, "tasks_context", { text, limit: ROWS, cursor: page.cursor }), { items: [] });
  }
  return page;
}

function worded(app, { items, taskdocs = [] }) {
  return [
    ...items.map((root) => ofRoot(app, root, "Tasks and plans")),
    ...items.flatMap(({ id, hits = [] }) => hits.filter(({ snippet }) => snippet).map((hit) => ofHit(app, id, hit))),
    ...taskdocs.flatMap(({ taskdoc, hits }) => hits.filter(({ snippet }) => snippet).map((hit) => ofPassage(app, taskdoc, hit))),
  ].slice(0, 3 * ROWS);
}

/** Several hits may lead to one place, so each has a key of its own. */
function ofHit(app, id, { path, seq, snippet, in: field }) {
  const found = place("Steps, notes and texts", line(snippet), [id, path, field].filter(Boolean).join(" "), app.link("task", id, ...(path ? [path] : [])));
  return { ...found, key: `${found.key} ${field} ${seq ?? ""}` };
}

const ofPassage = (app, name, { in: field, snippet }) =>
  ({ ...place("Taskdocs", line(snippet), `${name} ${field}`, app.link("taskdoc", name)), key: `${name} ${field}` });

const line = (text) => text.replace(/\s+/g, " ").trim();

/** One thing by its id. What the overview knows is not asked for; what cannot be a whole id yet, neither. */
async function named(app, text) {
  const [, kind, number] = ID.exec(text) ?? [];
  if (kind) return ofId(app, `${kind.toUpperCase()}-${number.padStart(3, "0")}`, number.length >= 3);
  return MEMBER.test(text) ? ofMember(app, text.toUpperCase()) : [];
}

async function ofId(app, id, isWhole) {
  const { tasks = [], plans = [] } = app.overview ?? {};
  const known = [...tasks, ...plans].find((one) => one.id === id);
  if (known || !isWhole) return known ? [ofRoot(app, known, "By its id")] : [];
  const { target } = await gently(app.call("tasks_resume", { task: id, limit: 1, max_chars: 2_000 }), {});
  return target ? [ofRoot(app, target, "By its id")] : [];
}

async function ofMember(app, id) {
  const seen = app.overview?.activity.find((event) => event.step_id === id && event.task);
  const found = (task, { path, title }) => [place("By its id", title ?? id, `${task} ${path}`, app.link("task", task, path))];
  if (seen) return found(seen.task, seen);
  const { target, parent } = await gently(app.call("tasks_tree", { step_id: id, limit: 1 }), {});
  return parent ? found(target.id, parent) : [];
}

/** A refusal means here that nothing is called so. */
async function gently(asking, otherwise) {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof Refusal) return otherwise;
    throw error;
  }
}

export const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

function ofRoot(app, { id, title, status }, group) {
  const standing = { ACTIVE: "active", TODO: "to do", DONE: "done" }[status] ?? "";
  return place(group, title ?? id, [id, standing].filter(Boolean).join(" · "), app.link("task", id));
}

const ofTaskdoc = (app, { name, plan = "" }) => place("Taskdocs", name, plan, app.link("taskdoc", name));
const ofList = (app, { session, items }) => place("Todo lists", session, many(items, "item"), app.link("todos", session));

const place = (group, label, detail, href) => ({ key: href, group, label, detail, run: () => { location.hash = href; } });

function commands(app) {
  const go = (label, view) => ({ ...place("Commands", label, "", app.link(view)), also: "go to" });
  const act = (label, run, also = "", detail = "") => ({ key: label, group: "Commands", label, detail, also, run });
  return [
    go("Go to the overview", "overview"), go("Go to todos", "todos"), go("Go to taskdocs", "taskdoc"),
    act("New task", () => openCreate(app, "task"), "create make add"), act("New plan", () => openCreate(app, "plan"), "create make add"),
    act("Light or dark", () => app.flip(), "theme colour color"),
    act("Who am I: set name", askName, "reader actor", `human:${reader.get()}`),
  ];
}

function askName() {
  const name = h("input", { name: "name", required: true, maxlength: 40, autocomplete: "nickname", value: reader.get() });
  ask({
    title: "Who are you?",
    submit: "That is me",
    fields: [field("Name", name, "The log says that a change came from human: and this name. It is kept in this browser.")],
    send: () => { reader.set(name.value.trim()); notice(`The log will call you human:${reader.get()}.`); },
  });
  name.select();
}

// The page: which view is open, of which workspace, and the log that keeps it true.

import { Refusal, Unreachable, call, reader, token } from "./api.js";
import { h, show } from "./dom.js";
import { follow } from "./log_stream.js";
import { Pauses } from "./sse.js";
import { openPalette } from "./components/palette.js";
import { sorry } from "./components/notices.js";
import { empty, refusal } from "./components/elements.js";
import { ago } from "./labels.js";
import { OverviewView } from "./views/overview.js";
import { TaskView } from "./views/task.js";
import { TaskdocView } from "./views/taskdoc.js";
import { TodosView } from "./views/todos.js";

const VIEWS = { overview: OverviewView, task: TaskView, taskdoc: TaskdocView, todos: TodosView };
const LAST = "gatepost.workspace";
const THEME = "gatepost.theme";
const SETTLE = 60; // events that come together are shown together
const FIRST_PAUSE = 1_500;

/** The address of a view: go to it by a link or by location.hash. */
export function link(workspace, view = "overview", ...rest) {
  return `#/${[workspace, view, ...rest].map((part) => encodeURIComponent(part)).join("/")}`;
}

class App {
  workspace = null;
  overview = null;
  connection = "lost";
  #view = null;
  #leave = null;
  #pending = [];
  #settling = null;
  #looking = null;
  #again = false;
  #refused = false;
  #lived = false;
  #later = null;
  #owes = false; // an answer was lost: what it would have shown is still to be read
  #pauses = new Pauses(FIRST_PAUSE);
  #turn = 0; // addresses may change faster than views are read: the last one counts

  async start() {
    theme(localStorage.getItem(THEME));
    // A view with unsaved text asks before it is left, and goes on by itself.
    window.addEventListener("hashchange", (event) => { if (!this.#view?.stays?.(event)) this.#route(); });
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("visibilitychange", () => this.#settle());
    document.querySelector(".skip").addEventListener("click", skip);
    setInterval(tick, 15_000);
    await this.#route();
  }

  /** Ask for an operation in this workspace. Throws what the server refuses. */
  call(operation, asked = {}) {
    return call(this.workspace, operation, asked);
  }

  /** Ask for a change, and say why if it is refused; gives null then. */
  async change(operation, asked = {}) {
    try {
      return await this.call(operation, asked);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
      sorry(error);
      return null;
    }
  }

  /** Light if it is dark, and the other way round. */
  flip() {
    flip();
  }

  link(view, ...rest) {
    return link(this.workspace, view, ...rest);
  }

  /** Read the overview again, soon; however often that is asked, one at a time. */
  look() {
    if (this.#looking) { this.#again = true; return this.#looking; }
    this.#looking = (async () => {
      try {
        do {
          this.#again = false;
          await this.#lookOnce();
        } while (this.#again);
      } finally {
        this.#looking = null;
      }
    })();
    return this.#looking;
  }

  async #lookOnce() {
    const workspace = this.workspace;
    try {
      const found = await this.call("workspace_overview");
      if (workspace !== this.workspace) return;
      this.overview = found;
      this.#header();
      await this.#view?.overviewed?.(found);
    } catch (error) {
      if (workspace !== this.workspace) return;
      if (error instanceof Unreachable) { this.#soon(); return; }
      if (this.overview && error instanceof Refusal && error.status !== 401) return; // what is shown stays; the next event asks again
      this.#refused = true;
      this.#failed(error);
    }
  }

  async #route() {
    const mine = ++this.#turn;
    for (const dialog of document.querySelectorAll("dialog.ask")) dialog.close(); // what it asks was about what is left now
    const [workspace, name = "overview", ...rest] = location.hash.slice(2).split("/").filter(Boolean).map(decoded);
    if (!workspace) return this.#choose();
    if (workspace !== this.workspace) await this.#enter(workspace);
    if (mine !== this.#turn) return;
    const View = VIEWS[name] ?? OverviewView;
    if (this.#view instanceof View && this.#view.go) {
      await this.#guarded(() => this.#view.go(...rest));
    } else {
      this.#view?.leave?.();
      const main = document.getElementById("main");
      main.replaceChildren();
      main.dataset.view = VIEWS[name] ? name : "overview";
      this.#view = new View(this, main);
      await this.#guarded(() => this.#view.open(...rest));
      if (mine !== this.#turn) return;
      if (!main.contains(document.activeElement)) main.focus({ preventScroll: true }); // whoever types already goes on
    }
    this.#header();
  }

  async #choose() {
    const last = localStorage.getItem(LAST);
    try {
      const { workspaces } = await call(last || "main", "workspace_overview", { limit: 1 });
      const next = workspaces.includes(last) ? last : workspaces[0];
      if (next) { location.replace(link(next)); return; }
      this.workspace = null;
      this.#header();
      show(document.getElementById("main"), welcome());
      setTimeout(() => { if (!location.hash) this.#choose(); }, 2_000); // only until there is something to follow
    } catch (error) {
      const only = error.code === "WORKSPACE_MISMATCH" && error.problem.suggestion?.arguments.workspace;
      if (only) location.replace(link(only)); // a server that is bound to one workspace says which
      else this.#failed(error);
    }
  }

  async #enter(workspace) {
    this.#leave?.();
    this.#view?.leave?.();
    this.#view = null;
    this.#pending = [];
    this.workspace = workspace;
    this.overview = null;
    localStorage.setItem(LAST, workspace);
    this.#refused = false;
    await this.look();
    while (!this.overview && !this.#refused && workspace === this.workspace) {
      this.#connected("lost"); // without it, one would not know where the log is
      await this.#rested();
      await this.look();
    }
    if (workspace !== this.workspace || this.#refused) return;
    this.#owes = false;
    this.#pauses.reset();
    this.#leave?.();
    this.#leave = follow(workspace, this.overview?.seq ?? 0, {
      events: (events) => this.#happened(events),
      state: (name, problem) => this.#connected(name, problem),
      reset: async () => { await this.look(); await this.#guarded(() => this.#view?.changed?.([], true)); return this.overview?.seq ?? 0; },
    });
  }

  #happened(events) {
    this.#pending.push(...events);
    this.#settling ??= setTimeout(async () => {
      const seen = this.#pending;
      this.#pending = [];
      await Promise.allSettled([this.look(), this.#guarded(() => this.#view?.changed?.(seen, false))]);
      await new Promise((resolve) => { setTimeout(resolve, SETTLE); }); // under a storm, others get their turn too
      this.#settling = null;
      if (this.#pending.length) this.#happened([]);
    }, SETTLE);
  }

  #connected(name, problem) {
    const heals = name === "live" && this.connection === "lost" && this.#lived;
    const owes = name === "live" && this.connection !== "live" && this.#owes;
    this.#lived ||= name === "live";
    if (heals || owes) this.renew(); // what could not be read meanwhile is read now
    this.connection = name;
    document.documentElement.dataset.connection = name;
    if (name === "refused") this.#failed(new Refusal(problem?.status ?? 400, problem ?? {}));
    this.#header();
  }

  /** Read again what is shown. */
  async renew() {
    clearTimeout(this.#later);
    this.#later = null;
    this.#owes = false;
    await Promise.all([this.look(), this.#guarded(() => this.#view?.changed?.([], true))]);
    if (!this.#owes) this.#pauses.reset();
  }

  // An answer may be lost while the stream goes on, and then nothing heals that would ask again.
  #soon() {
    this.#owes = true;
    if (this.#canSettle()) this.#later ??= setTimeout(() => { this.#later = null; this.#settle(); }, this.#pauses.next());
  }

  #settle() {
    if (this.#owes && this.#canSettle()) this.renew();
  }

  // Without the stream its return is waited for; and where nobody looks, nobody is asked again and again.
  #canSettle() {
    return this.connection === "live" && !document.hidden;
  }

  /** Settles after a pause, and not before somebody looks. */
  async #rested() {
    await new Promise((resolve) => { setTimeout(resolve, this.#pauses.next()); });
    while (document.hidden) await new Promise((resolve) => { document.addEventListener("visibilitychange", resolve, { once: true }); });
  }

  async #guarded(work) {
    const view = this.#view;
    try {
      await work();
    } catch (error) {
      if (error instanceof Unreachable) { this.#soon(); return; } // what is shown stays
      if (view !== this.#view && error instanceof Refusal) return; // that view was left
      this.#failed(error);
    }
  }

  #failed(error) {
    if (error.status === 401) { askToken(() => this.#again401()); return; }
    if (error instanceof Refusal || error instanceof Unreachable) show(document.getElementById("main"), refusal(error), h("p", {}, h("a", { href: "#/" }, "Go to the overview")));
    else throw error;
  }

  #again401() {
    this.workspace = null;
    this.#route();
  }

  #key(event) {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette(this);
    } else if (event.key === "/" && !/^(input|textarea|select)$/i.test(event.target.tagName) && !event.target.isContentEditable) {
      event.preventDefault();
      openPalette(this);
    }
  }

  #header() {
    const known = this.overview;
    const open = known?.open?.tasks ?? 0;
    document.title = `${open ? `(${open}) ` : ""}${this.workspace ? `${this.workspace} · ` : ""}Gatepost`;
    const here = document.getElementById("main").dataset.view ?? "overview";
    const tab = (view, label) => h("a", { href: this.link(view), "aria-current": here === view || (view === "overview" && here === "task") ? "page" : undefined }, label);
    show(document.getElementById("header"),
      h("a", { class: "logo", href: this.workspace ? this.link("overview") : "#/", "aria-label": "Gatepost" }, gate(), h("span", {}, "Gatepost")),
      this.workspace ? h("label", { class: "switcher" }, h("span", { class: "sr" }, "Workspace"),
        h("select", { on: { change: (event) => { const { value } = event.currentTarget; event.currentTarget.value = this.workspace; location.hash = link(value); } } },
          [...new Set([this.workspace, ...(known?.workspaces ?? [])])].map((name) => h("option", { key: name, value: name, selected: name === this.workspace }, name)))) : null,
      this.workspace ? h("nav", { "aria-label": "Views" }, tab("overview", "Overview"), tab("todos", "Todos"), tab("taskdoc", "Taskdocs")) : null,
      h("span", { class: "space" }),
      this.workspace ? h("button", { type: "button", class: "search", on: { click: () => openPalette(this) } }, "Search", h("kbd", {}, /Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K")) : null,
      h("button", { type: "button", class: "quiet", "aria-label": "Light or dark", title: "Light or dark", on: { click: flip } }, "◐"),
      this.workspace ? lamp(this.connection) : null);
    const switcher = document.querySelector(".switcher select");
    if (switcher && document.activeElement !== switcher) switcher.value = this.workspace;
  }
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand, with a sign that means something else
  }
}

function lamp(connection) {
  const words = { live: "Live", lost: "Reconnecting…", refused: "Not connected" }[connection];
  return h("span", { class: ["connection", connection], role: "status" }, h("span", { class: "dot", "aria-hidden": "true" }), words);
}

function gate() {
  return h("svg", { viewBox: "0 0 32 32", width: 22, height: 22, "aria-hidden": "true" }, h("path", { d: "M9 6v20M23 6v20", class: "post" }), h("path", { d: "M9 12h14M9 20h14", class: "rail" }));
}

function welcome() {
  return [h("h1", { class: "sr" }, "Gatepost"), empty("No agent has written anything yet", "Connect one, and what it does appears here as it happens:",
    h("pre", { class: "block" }, `claude mcp add --transport http gatepost ${location.origin}/mcp`),
    h("p", {}, "Or look at a scripted crew at work: ", h("code", {}, "gatepost up --demo"), "."))];
}

function askToken(then) {
  const given = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  show(document.getElementById("main"), h("form", { class: "card token", on: { submit: (event) => { event.preventDefault(); token.set(event.currentTarget.elements.token.value.trim()); then(); } } },
    h("h1", {}, "This server wants a token"), h("label", { for: "token" }, "The token that `gatepost up --token-file` was given"), given, h("button", { type: "submit" }, "Go on")));
}

function theme(name) {
  if (name === "light" || name === "dark") document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
}

function flip() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem(THEME, dark ? "light" : "dark");
  theme(localStorage.getItem(THEME));
}

// The address is the view's: the link must not become one.
function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

function tick() {
  for (const element of document.querySelectorAll("time[datetime]")) {
    const words = ago(element.getAttribute("datetime"));
    if (element.textContent !== words) element.textContent = words;
  }
}

export const app = new App();
if (reader.get() === "") reader.set("web");
app.start();

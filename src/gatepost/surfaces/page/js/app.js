// The application: which view is open, for which workspace, and the event log that keeps it current.

import { Refusal, Unreachable, call, reader } from "./api.js";
import { byId, h, show } from "./dom.js";
import { follow } from "./log_stream.js";
import { link, parts } from "./routes.js";
import { Pauses } from "./sse.js";
import { closeDialogs } from "./components/dialog.js";
import { showHeader } from "./components/header.js";
import { openHelp } from "./components/help.js";
import { openPalette } from "./components/palette.js";
import { sorry } from "./components/notices.js";
import { refusal } from "./components/elements.js";
import { askToken, welcome } from "./components/welcome.js";
import { applyTheme } from "./theme.js";
import { ago } from "./labels.js";
import { LastVisit } from "./last_visit.js";
import { itemKey, notify } from "./notifications.js";
import { InboxView } from "./views/inbox.js";
import { OverviewView } from "./views/overview.js";
import { TaskView } from "./views/task.js";
import { TaskdocView } from "./views/taskdoc.js";
import { TodosView } from "./views/todos.js";

/** @typedef {new (app: App, place: HTMLElement) => View} ViewClass */
/** @import { Arguments, Connection, InboxReply, LogEvent, OperationName, Overview, Problem, Reply, Resumed, View } from "../types/page.d.ts" */

/** @type {Record<string, ViewClass>} */
const VIEWS = { overview: OverviewView, inbox: InboxView, task: TaskView, taskdoc: TaskdocView, todos: TodosView };
const LAST = "gatepost.workspace";
const SETTLE = 60; // events that come together are shown together
const FIRST_PAUSE = 1_500;
const WAITING = 50; // items of the inbox

export class App {
  /** @type {string} */
  workspace = "";
  /** @type {Overview | null} */
  overview = null;
  /** @type {InboxReply | null} */
  inbox = null;
  /** @type {LastVisit | null} */
  visit = null;
  /** @type {Connection} */
  connection = "lost";
  /** @type {View | null} */
  #view = null;
  /** @type {(() => void) | null} */
  #leave = null;
  /** @type {LogEvent[]} */
  #pending = [];
  /** @type {ReturnType<typeof setTimeout> | null} */
  #settling = null;
  /** @type {Promise<void> | null} */
  #looking = null;
  #again = false;
  #refused = false;
  #lived = false;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #later = null;
  #owes = false; // a reply was lost, so what is shown may be out of date
  #pauses = new Pauses(FIRST_PAUSE);
  #turn = 0; // addresses may change faster than views load: the last one wins

  async start() {
    applyTheme();
    // A view with unsaved text asks before it is left, then continues by itself.
    window.addEventListener("hashchange", (event) => {
      if (!this.#view?.stays?.(event)) this.#route();
    });
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("visibilitychange", () => this.#returned());
    document.querySelector(".skip")?.addEventListener("click", skip);
    setInterval(() => {
      tick();
      this.visit?.here();
    }, 15_000);
    await this.#route();
  }

  /**
   * Call an operation in this workspace. Throws Refusal or Unreachable.
   * @template {OperationName} N
   * @param {N} operation
   * @param {Arguments<N>} asked
   * @returns {Promise<Reply<N>>}
   */
  call(operation, asked) {
    return call(this.workspace, operation, asked);
  }

  /**
   * Read a task or plan in full.
   * @param {Arguments<"tasks_resume"> & {task: string}} asked
   * @returns {Promise<Resumed>}
   */
  async resume(asked) {
    const reply = await this.call("tasks_resume", asked);
    if (!reply.target) throw new Error(`tasks_resume answered without ${asked.task}`);
    return { ...reply, target: reply.target };
  }

  /**
   * Call an operation and show why if it is refused; null in that case.
   * @template {OperationName} N
   * @param {N} operation
   * @param {Arguments<N>} asked
   * @returns {Promise<Reply<N> | null>}
   */
  async change(operation, asked) {
    try {
      return await this.call(operation, asked);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
      sorry(error);
      return null;
    }
  }

  /** @param {string} view @param {string[]} rest */
  link(view, ...rest) {
    return link(this.workspace, view, ...rest);
  }

  /** Read the overview again. Calls during a read are answered by one more read after it. */
  look() {
    if (this.#looking) {
      this.#again = true;
      return this.#looking;
    }
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
      const [found, inbox] = await Promise.all([
        this.call("workspace_overview", {}),
        this.call("tasks_inbox", { limit: WAITING }),
      ]);
      if (workspace !== this.workspace) return;
      this.overview = found;
      this.#received(inbox);
      this.visit?.seen(found.seq);
      showHeader(this);
      await this.#view?.overviewed?.(found);
    } catch (error) {
      if (workspace !== this.workspace) return;
      if (error instanceof Unreachable) {
        this.#soon();
        return;
      }
      if (this.overview && error instanceof Refusal && error.status !== 401) return; // what is shown stays; the next event reads again
      this.#refused = true;
      this.#failed(error);
    }
  }

  /** @param {InboxReply} inbox */
  #received(inbox) {
    const known = new Set(this.inbox?.items.map(itemKey));
    const fresh = this.inbox ? inbox.items.filter((one) => !known.has(itemKey(one))) : []; // what waited before is no news
    this.inbox = inbox;
    notify(this, fresh, []);
  }

  async #route() {
    const mine = ++this.#turn;
    closeDialogs(); // they belong to the view that is left
    const [workspace, name = "overview", ...rest] = parts();
    if (!workspace) {
      await this.#choose();
      return;
    }
    if (workspace !== this.workspace || this.#refused) await this.#enter(workspace);
    if (mine !== this.#turn || this.#refused) return; // the refusal is shown, or the form for the token
    const View = VIEWS[name] ?? OverviewView;
    const open = this.#view;
    if (open instanceof View && open.go) {
      await this.#guarded(() => open.go?.(...rest));
    } else {
      this.#view?.leave?.();
      const main = byId("main");
      main.replaceChildren();
      main.dataset.view = VIEWS[name] ? name : "overview";
      const view = new View(this, main);
      this.#view = view;
      await this.#guarded(() => view.open(...rest));
      if (mine !== this.#turn) return;
      if (!main.contains(document.activeElement)) main.focus({ preventScroll: true }); // somebody is typing in it already
    }
    showHeader(this);
  }

  async #choose() {
    const last = localStorage.getItem(LAST);
    try {
      const { workspaces } = await call(last || "main", "workspace_overview", { limit: 1 });
      const next = last && workspaces.includes(last) ? last : workspaces[0];
      if (next) {
        location.replace(link(next));
        return;
      }
      this.workspace = "";
      showHeader(this);
      show(byId("main"), welcome());
      setTimeout(() => {
        if (!location.hash) this.#choose();
      }, 2_000); // until there is a workspace to follow
    } catch (error) {
      const only =
        error instanceof Refusal &&
        error.code === "WORKSPACE_MISMATCH" &&
        error.problem.suggestion?.arguments.workspace;
      if (only)
        location.replace(link(only)); // a server bound to one workspace says which
      else this.#failed(error);
    }
  }

  /** @param {string} workspace */
  async #enter(workspace) {
    this.#leave?.();
    this.#view?.leave?.();
    this.#view = null;
    this.#pending = [];
    this.workspace = workspace;
    this.overview = null;
    this.inbox = null;
    this.visit = new LastVisit(workspace);
    localStorage.setItem(LAST, workspace);
    this.#refused = false;
    await this.look();
    while (!this.overview && !this.#refused && workspace === this.workspace) {
      this.#connected("lost"); // without an overview, the position in the log is unknown
      await this.#rested();
      await this.look();
    }
    if (workspace !== this.workspace || this.#refused) return;
    this.#owes = false;
    this.#pauses.reset();
    this.#leave?.();
    this.#leave = follow(workspace, this.#seq, {
      events: (events) => this.#happened(events),
      state: (name, problem) => this.#connected(name, problem),
      reset: async () => {
        await this.look();
        await this.#guarded(() => this.#view?.changed?.([], true));
        return this.#seq;
      },
    });
  }

  get #seq() {
    return this.overview?.seq ?? 0;
  }

  /** @param {LogEvent[]} events */
  #happened(events) {
    this.#pending.push(...events);
    this.#settling ??= setTimeout(async () => {
      const seen = this.#pending;
      this.#pending = [];
      await Promise.allSettled([this.look(), this.#guarded(() => this.#view?.changed?.(seen, false))]);
      notify(this, [], seen);
      await new Promise((resolve) => {
        setTimeout(resolve, SETTLE);
      }); // leave room for other work when events keep coming
      this.#settling = null;
      if (this.#pending.length) this.#happened([]);
    }, SETTLE);
  }

  /** @param {Connection} name @param {Problem} [problem] */
  #connected(name, problem) {
    const heals = name === "live" && this.connection === "lost" && this.#lived;
    const owes = name === "live" && this.connection !== "live" && this.#owes;
    this.#lived ||= name === "live";
    if (heals || owes) this.renew(); // read what could not be read meanwhile
    this.connection = name;
    document.documentElement.dataset.connection = name;
    if (name === "refused") this.#failed(new Refusal(problem?.status ?? 400, problem ?? {}));
    showHeader(this);
  }

  /** Read what is shown again. */
  async renew() {
    clearTimeout(this.#later ?? undefined);
    this.#later = null;
    this.#owes = false;
    await Promise.all([this.look(), this.#guarded(() => this.#view?.changed?.([], true))]);
    if (!this.#owes) this.#pauses.reset();
  }

  // A reply may be lost while the stream stays up; then no reconnect would trigger another read.
  #soon() {
    this.#owes = true;
    if (this.#canSettle())
      this.#later ??= setTimeout(() => {
        this.#later = null;
        this.#settle();
      }, this.#pauses.next());
  }

  // What happened meanwhile may not have been read: browsers slow down hidden tabs.
  #returned() {
    if (!document.hidden && this.overview) this.look();
    this.#settle();
  }

  #settle() {
    if (this.#owes && this.#canSettle()) this.renew();
  }

  // Without the stream, wait for it to return. In a hidden tab, do not poll.
  #canSettle() {
    return this.connection === "live" && !document.hidden;
  }

  /** Resolves after a pause, once the tab is visible. */
  async #rested() {
    await new Promise((resolve) => {
      setTimeout(resolve, this.#pauses.next());
    });
    while (document.hidden)
      await new Promise((resolve) => {
        document.addEventListener("visibilitychange", resolve, { once: true });
      });
  }

  /** @param {() => unknown} work */
  async #guarded(work) {
    const view = this.#view;
    try {
      await work();
    } catch (error) {
      if (error instanceof Unreachable) {
        this.#soon();
        return;
      } // what is shown stays
      if (view !== this.#view && error instanceof Refusal) return; // that view was left
      this.#failed(error);
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    if (error instanceof Refusal && error.status === 401) {
      askToken(() => this.#again401());
      return;
    }
    if (error instanceof Refusal || error instanceof Unreachable)
      show(byId("main"), refusal(error), h("p", {}, h("a", { href: "#/" }, "Go to the overview")));
    else throw error;
  }

  #again401() {
    this.workspace = "";
    this.#route();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette(this);
    } else if (event.key === "/" && !isTyping(event.target)) {
      event.preventDefault();
      openPalette(this);
    } else if (event.key === "?" && !isTyping(event.target)) {
      event.preventDefault();
      openHelp();
    }
  }
}

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

// The address names the view, so the link must not change it.
/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  byId("main").focus();
}

function tick() {
  for (const element of document.querySelectorAll("time[datetime]")) {
    const words = ago(element.getAttribute("datetime") ?? "");
    if (element.textContent !== words) element.textContent = words;
  }
}

export const app = new App();
if (reader.get() === "") reader.set("web");
app.start();

// The page's header: logo, workspace switcher, views, search, theme and connection.

import { byId, h, show } from "../dom.js";
import { link } from "../routes.js";
import { flip } from "../theme.js";
import { openHelp } from "./help.js";
import { openPalette } from "./palette.js";
import { waitingCount } from "./inbox.js";

/** @import { Child, Connection, InboxReply } from "../../types/page.d.ts" */
/** @import { App } from "../app.js" */

/**
 * Show the header, and the number of open tasks in the title.
 * @param {App} app
 */
export function showHeader(app) {
  const known = app.overview;
  const open = known?.open?.tasks ?? 0;
  document.title = `${open ? `(${open}) ` : ""}${app.workspace ? `${app.workspace} · ` : ""}Gatepost`;
  const here = byId("main").dataset.view ?? "overview";
  /** @param {string} view @param {Child} label */
  const tab = (view, label) =>
    h(
      "a",
      {
        href: app.link(view),
        "aria-current": here === view || (view === "overview" && here === "task") ? "page" : undefined,
      },
      label,
    );
  show(
    byId("header"),
    h(
      "a",
      { class: "logo", href: app.workspace ? app.link("overview") : "#/", "aria-label": "Gatepost" },
      gate(),
      h("span", {}, "Gatepost"),
    ),
    app.workspace
      ? h(
          "label",
          { class: "switcher" },
          h("span", { class: "sr" }, "Workspace"),
          h(
            "select",
            {
              on: {
                change: (event) => {
                  const { value } = event.currentTarget;
                  event.currentTarget.value = app.workspace;
                  location.hash = link(value);
                },
              },
            },
            [...new Set([app.workspace, ...(known?.workspaces ?? [])])].map((name) =>
              h("option", { key: name, value: name, selected: name === app.workspace }, name),
            ),
          ),
        )
      : null,
    app.workspace
      ? h(
          "nav",
          { "aria-label": "Views" },
          tab("overview", "Overview"),
          tab("inbox", ["Needs you", waiting(app.inbox)]),
          tab("todos", "Todos"),
          tab("taskdoc", "Taskdocs"),
        )
      : null,
    h("span", { class: "space" }),
    app.workspace
      ? h(
          "button",
          { type: "button", class: "search", on: { click: () => openPalette(app) } },
          "Search",
          h("kbd", {}, /Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K"),
        )
      : null,
    h(
      "button",
      { type: "button", class: "quiet", "aria-label": "Switch theme", title: "Switch theme", on: { click: flip } },
      "◐",
    ),
    h(
      "button",
      { type: "button", class: "quiet", "aria-label": "Help", title: "Help (?)", on: { click: openHelp } },
      "?",
    ),
    app.workspace ? lamp(app.connection) : null,
  );
  const switcher = document.querySelector(".switcher select");
  if (switcher instanceof HTMLSelectElement && document.activeElement !== switcher) switcher.value = app.workspace;
}

/** @param {InboxReply | null} inbox */
function waiting(inbox) {
  if (!inbox?.items.length) return null;
  return h("span", { class: "number" }, waitingCount(inbox));
}

/** @param {Connection} connection */
function lamp(connection) {
  const words = { waiting: "Connecting…", live: "Live", lost: "Reconnecting…", refused: "Not connected" }[connection];
  return h(
    "span",
    { class: ["connection", connection], role: "status" },
    h("span", { class: "dot", "aria-hidden": "true" }),
    words,
  );
}

function gate() {
  return h(
    "svg",
    { viewBox: "0 0 32 32", width: 22, height: 22, "aria-hidden": "true" },
    h("path", { d: "M9 6v20M23 6v20", class: "post" }),
    h("path", { d: "M9 12h14M9 20h14", class: "rail" }),
  );
}

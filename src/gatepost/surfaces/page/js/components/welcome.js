// Shown before there is anything to see: how to connect an agent, or a form for the token.

import { token } from "../api.js";
import { byId, h, show } from "../dom.js";
import { command, empty } from "./elements.js";

export function welcome() {
  return [
    h("h1", { class: "sr" }, "Gatepost"),
    empty(
      "No activity yet",
      "Connect an agent and its work appears here live:",
      command(`claude mcp add --transport http gatepost ${location.origin}/mcp`),
      h("p", {}, "Or watch simulated agents: ", h("code", {}, "gatepost up --demo"), "."),
    ),
  ];
}

/**
 * Ask for the server's token.
 * @param {() => void} then
 */
export function askToken(then) {
  const given = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  show(
    byId("main"),
    h(
      "form",
      {
        class: "card token",
        on: {
          submit: (event) => {
            event.preventDefault();
            // The field in the page: this one may only have been created to update it.
            token.set(/** @type {HTMLInputElement} */ (byId("token")).value.trim());
            then();
          },
        },
      },
      h("h1", {}, "This server requires a token"),
      h("label", { for: "token" }, "The token in the file given to `gatepost up --token-file`"),
      given,
      h("button", { type: "submit" }, "Continue"),
    ),
  );
}

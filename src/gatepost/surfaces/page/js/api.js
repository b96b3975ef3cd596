// Calls to the server: operations by name, as every other client sends them.

import { clock, plainly, who } from "./labels.js";
import { READS } from "./reads.js";

/** @import { Arguments, Json, OperationName, Problem, Reply } from "../types/page.d.ts" */

/** A refusal: code, message, recovery, and in `problem` whatever else the server sent (suggestion, current_revision, …). */
export class Refusal extends Error {
  /** @param {number} status @param {Problem} sent */
  constructor(status, sent) {
    const problem = sent.error ?? sent; // a batch is refused with what was said to one of its calls
    const said = heldWords(problem) ?? problem;
    super(plainly(said.message ?? problem.detail ?? `The server answered with status ${status}.`));
    this.status = status;
    this.code = problem.code ?? "UNKNOWN";
    this.recovery = plainly(said.recovery ?? "");
    this.problem = problem;
  }

  /** Whether a retry may succeed. A fault of the store needs a person, so its message is shown at once. */
  get isPassing() {
    return PASSING.has(this.status) && !/^(STORE_|NOT_A_STORE)/.test(this.code);
  }
}

// The server's own sentence about claims is for agents: it names tools.
/** @param {Problem} problem */
function heldWords({ code, holder, since, path }) {
  if (code !== "CLAIMED" || !holder || !since) return null;
  const message = `${who(holder).name} has been working on ${path ?? "the whole task"} since ${clock(since)}.`;
  return { message, recovery: "Leave a note for them, or take it over." };
}

/** The server could not be reached. */
export class Unreachable extends Error {}

const PASSING = new Set([429, 502, 503, 504]);
const TRIES = 3;
const SESSION_ENDED = "PAGE_SESSION_ENDED";
const TOKEN = "gatepost.token";
const NAME = "gatepost.name";

/** @type {{get: () => string, set: (value: string) => void}} */
export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (value) => sessionStorage.setItem(TOKEN, value),
};

/**
 * The name under which the log records this reader.
 * @type {{get: () => string, set: (name: string) => void}}
 */
export const reader = {
  get: () => localStorage.getItem(NAME) ?? "web",
  set: (value) => localStorage.setItem(NAME, value.replace(/[^A-Za-z0-9._@-]/g, "-").slice(0, 40) || "web"),
};

/** @param {Record<string, string>} more */
export function headers(more = {}) {
  const known = token.get();
  return {
    ...(known ? { Authorization: `Bearer ${known}` } : {}),
    "X-Gatepost-Actor": `human:${reader.get()}`,
    ...more,
  };
}

/**
 * An operation's reply. Throws Refusal or Unreachable. A read is retried while the server is busy; a write never is.
 * @template {OperationName} N
 * @param {string} workspace
 * @param {N} operation
 * @param {Arguments<N>} asked
 * @returns {Promise<Reply<N>>}
 */
export async function call(workspace, operation, asked) {
  for (let tries = 1; ; tries++) {
    try {
      return await post(`/v1/operations/${operation}`, { workspace, ...asked });
    } catch (error) {
      if (!READS.has(operation) || !(error instanceof Refusal && error.isPassing)) throw error;
      if (tries === TRIES) throw new Unreachable("The server is busy. Try again in a moment.");
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 700 * tries);
    });
  }
}

/** @param {string} path @param {unknown} body @returns {Promise<Json>} */
async function post(path, body) {
  try {
    return await send(path, body);
  } catch (error) {
    if (!(error instanceof Refusal && error.code === SESSION_ENDED)) throw error;
  }
  // The server was restarted, and refused the call. Loading the page brings the cookie of its new run.
  await fetch("/", { cache: "no-store" }).catch(() => {});
  return await send(path, body);
}

/** @param {string} path @param {unknown} body @returns {Promise<Json>} */
async function send(path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: headers({ "Content-Type": "application/json" }),
    });
  } catch {
    throw new Unreachable("Cannot reach the server.");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, said);
  return said;
}

// The server renders and sanitizes Markdown. Texts requested at the same time share one request.
const MOST = 40_000; // characters in one request: up to three times as many bytes, and the server takes 128 KiB
/** @type {Map<string, Promise<string>>} */
const rendered = new Map();
/** @typedef {{texts: string[], size: number, answer: Promise<{html: string[]}>}} Batch */
/** @type {Batch | null} */
let waiting = null;

/** @param {string} text @returns {Promise<string>} */
export function markdown(text) {
  const known = rendered.get(text);
  if (known) return known;
  const [oldest] = rendered.keys();
  if (rendered.size > 400) rendered.delete(oldest);
  const asked = ask(text);
  rendered.set(text, asked);
  asked.catch(() => rendered.delete(text));
  return asked;
}

/** @param {string} text @returns {Promise<string>} */
function ask(text) {
  if (waiting && waiting.size + text.length > MOST) waiting = null;
  const mine = waiting ?? request();
  waiting = mine;
  const at = mine.texts.push(text) - 1;
  mine.size += text.length;
  if (mine.texts.length >= 50) waiting = null;
  return mine.answer.then(({ html }) => html[at]);
}

/** @returns {Batch} */
function request() {
  /** @type {string[]} */
  const texts = [];
  /** @type {Batch} */
  const mine = {
    texts,
    size: 0,
    answer: Promise.resolve().then(() => {
      if (waiting === mine) waiting = null;
      return post("/v1/markdown", { texts });
    }),
  };
  return mine;
}

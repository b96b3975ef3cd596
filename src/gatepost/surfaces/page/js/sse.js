// A stream of server-sent events that reconnects after lost connections and server restarts.

import { Refusal, headers } from "./api.js";

/** @import { Connection, Json, Problem } from "../types/page.d.ts" */
/** @typedef {{id: string, event: Json}} Message */
/**
 * @typedef {object} Options
 * @property {() => {address: string, more?: Record<string, string>}} request What to ask for now, and further headers.
 * @property {(messages: Message[]) => boolean} take Takes what came; false if it has to be asked for again.
 * @property {() => unknown} gone There is nothing to continue from: the next request starts over.
 * @property {(name: Connection, problem?: Problem) => void} state
 * @property {() => void} [beat] The server is there.
 */

export const QUIET = 35_000; // the server sends something at least every 15 s
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8_000;

/** How long to wait before the next attempt: doubled after each failure, and randomized so that tabs do not retry together. */
export class Pauses {
  #first;
  #failures = 0;

  /** @param {number} first */
  constructor(first) {
    this.#first = first;
  }

  next() {
    return Math.min(this.#first * 2 ** this.#failures++, LONGEST_PAUSE) * (0.7 + Math.random() * 0.6);
  }

  reset() {
    this.#failures = 0;
  }
}

/**
 * Listen until the returned function is called.
 * @param {Options} options
 * @returns {() => void}
 */
export function listen({ request, take, gone, state, beat = () => {} }) {
  const ending = new AbortController();
  run().catch((error) => {
    if (!ending.signal.aborted) throw error;
  });
  return () => ending.abort();

  async function run() {
    const pauses = new Pauses(FIRST_PAUSE);
    while (!ending.signal.aborted) {
      try {
        await once(() => pauses.reset());
      } catch (error) {
        if (ending.signal.aborted) return;
        const { status = 0, problem } = error instanceof Refusal ? error : {};
        if (status === 409) {
          await gone();
          await pause(FIRST_PAUSE);
          continue;
        }
        if (status >= 400 && status < 500 && status !== 429) {
          state("refused", problem);
          return;
        }
      }
      if (ending.signal.aborted) return;
      state("lost");
      await pause(pauses.next());
    }
  }

  /** @param {() => void} opened */
  async function once(opened) {
    const patience = new AbortController();
    const stop = () => patience.abort();
    ending.signal.addEventListener("abort", stop);
    let alarm = setTimeout(stop, QUIET);
    try {
      const { address, more = {} } = request();
      const about = headers({ Accept: "text/event-stream", ...more });
      const answer = await fetch(address, { headers: about, signal: patience.signal, cache: "no-store" });
      if (!answer.ok || !answer.body) throw new Refusal(answer.status, await answer.json().catch(() => ({})));
      const chunks = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      const messages = new Messages();
      opened();
      state("live");
      for (;;) {
        const { value, done } = await chunks.read();
        if (done) return;
        clearTimeout(alarm);
        alarm = setTimeout(stop, QUIET);
        beat();
        if (!take(messages.feed(value))) return;
      }
    } finally {
      clearTimeout(alarm);
      ending.signal.removeEventListener("abort", stop);
      patience.abort();
    }
  }

  /** @param {number} milliseconds */
  function pause(milliseconds) {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        ending.signal.addEventListener(
          "abort",
          () => {
            clearTimeout(timer);
            resolve();
          },
          { once: true },
        );
        window.addEventListener("online", () => resolve(), { once: true });
      })
    );
  }
}

/** Puts server-sent events together from chunks. A very large event comes in many, which are joined only once. */
class Messages {
  /** @type {string[]} */
  #pieces = [];

  /** @param {string} piece @returns {Message[]} */
  feed(piece) {
    const last = this.#pieces.at(-1) ?? "";
    this.#pieces.push(piece);
    if (!piece.includes("\n\n") && !(last.endsWith("\n") && piece.startsWith("\n"))) return [];
    const whole = this.#pieces.join("").split("\n\n");
    this.#pieces = [whole.pop() ?? ""];
    return whole.map(read).filter((message) => message !== null);
  }
}

/** @param {string} message @returns {Message | null} */
function read(message) {
  const rows = message.split("\n");
  const data = rows
    .filter((row) => row.startsWith("data: "))
    .map((row) => row.slice(6))
    .join("\n");
  const id = rows.find((row) => row.startsWith("id: "))?.slice(4) ?? "";
  return data ? { id, event: JSON.parse(data) } : null;
}

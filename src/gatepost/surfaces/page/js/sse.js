// A stream of server-sent events, listened to through lost connections and restarts of the server.

import { headers } from "./api.js";

export const QUIET = 35_000; // the server shows at least every 15 s that it is there
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8_000;

/** How long to wait before the next try: twice as long each time until one succeeds, and not the same in every tab. */
export class Pauses {
  #first;
  #failures = 0;

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
 * Listen until the function that is returned is called.
 *   request()        {address, more}: what to ask for now, and further headers
 *   take(messages)   what came, [{id, event}, …]; false if it has to be asked for anew
 *   gone()           there is nothing to go on from any more; what is asked for next begins anew
 *   state(name)      "live", "lost", or "refused" (with the problem)
 *   beat()           the server is there
 */
export function listen({ request, take, gone, state, beat = () => {} }) {
  const ending = new AbortController();
  run().catch((error) => { if (!ending.signal.aborted) throw error; });
  return () => ending.abort();

  async function run() {
    const pauses = new Pauses(FIRST_PAUSE);
    while (!ending.signal.aborted) {
      try {
        await once(() => pauses.reset());
      } catch (error) {
        if (ending.signal.aborted) return;
        if (error.status === 409) { await gone(); await pause(FIRST_PAUSE); continue; }
        if (error.status >= 400 && error.status < 500 && error.status !== 429) { state("refused", error.problem); return; }
      }
      if (ending.signal.aborted) return;
      state("lost");
      await pause(pauses.next());
    }
  }

  async function once(opened) {
    const patience = new AbortController();
    const stop = () => patience.abort();
    ending.signal.addEventListener("abort", stop);
    let alarm = setTimeout(stop, QUIET);
    try {
      const { address, more = {} } = request();
      const about = headers({ Accept: "text/event-stream", ...more });
      const answer = await fetch(address, { headers: about, signal: patience.signal, cache: "no-store" });
      if (!answer.ok) throw Object.assign(new Error("refused"), { status: answer.status, problem: await answer.json().catch(() => ({})) });
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

  function pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      ending.signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
      window.addEventListener("online", resolve, { once: true });
    });
  }
}

/** Server-sent events out of pieces; a list of a hundred thousand comes in many, which are put together once. */
class Messages {
  #pieces = [];

  feed(piece) {
    const last = this.#pieces.at(-1) ?? "";
    this.#pieces.push(piece);
    if (!piece.includes("\n\n") && !(last.endsWith("\n") && piece.startsWith("\n"))) return [];
    const whole = this.#pieces.join("").split("\n\n");
    this.#pieces = [whole.pop()];
    return whole.map(read).filter(Boolean);
  }
}

function read(message) {
  const rows = message.split("\n");
  const data = rows.filter((row) => row.startsWith("data: ")).map((row) => row.slice(6)).join("\n");
  const id = rows.find((row) => row.startsWith("id: "))?.slice(4) ?? "";
  return data ? { id, event: JSON.parse(data) } : null;
}

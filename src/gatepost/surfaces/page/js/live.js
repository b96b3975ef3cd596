// The log, followed: events as they come, through lost connections and restarts of the server.

import { headers } from "./api.js";

const QUIET = 35_000; // the server shows at least every 15 s that it is there
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8_000;

/**
 * Follow a workspace's log after `seq`. Returns a function that ends it.
 *   events(list)    what came, in order, as many as came at once
 *   state(name)     "live", "lost", or "refused" (with the problem)
 *   reset()         the log is not the one that was followed: read everything again; gives the seq to go on from
 *
 * A browser has six connections for a server, and a stream takes one for good. So of all tabs that follow a workspace one
 * holds the stream and tells the others; when it is closed, the next one takes over from where it is.
 */
export function follow(workspace, seq, handlers) {
  return navigator.locks && globalThis.BroadcastChannel ? shared(workspace, seq, handlers) : stream(workspace, seq, handlers);
}

function shared(workspace, seq, { events, state, reset }) {
  const name = `gatepost ${workspace}`;
  const tabs = new BroadcastChannel(name);
  const ending = new AbortController();
  let end = null; // ends the stream, in the tab that holds it
  let known = "lost";
  let resetting = null;
  let alarm = null;
  const again = () => { resetting ??= reset().then((now) => { seq = now; }).finally(() => { resetting = null; }); };
  tabs.onmessage = ({ data }) => (end ? told(data) : heard(data));
  ending.signal.addEventListener("abort", () => { clearTimeout(alarm); tabs.close(); });
  queue({ signal: ending.signal });
  tabs.postMessage({ asks: true });
  return () => ending.abort();

  function told(data) {
    if (data.asks) tabs.postMessage({ at: seq, state: known });
  }

  function heard(data) {
    watch();
    if (data.state) state(data.state);
    if (data.reset || data.at > seq) again();
    const fresh = (data.events ?? []).filter((event) => event.seq > seq);
    if (!fresh.length) return;
    if (fresh[0].seq > seq + 1) { again(); return; } // something was told before this tab listened
    seq = fresh.at(-1).seq;
    events(fresh);
  }

  // A tab that holds the stream and says nothing is stopped or asleep: it is taken from it.
  function watch() {
    clearTimeout(alarm);
    alarm = setTimeout(() => { state("lost"); queue({ steal: true }); }, QUIET + 5_000);
  }

  function queue(how) {
    watch();
    navigator.locks.request(name, how, lead).catch((error) => {
      if (error.name !== "AbortError") throw error;
      end?.();
      end = null;
      if (!ending.signal.aborted) queue({ signal: ending.signal }); // it was taken from this one
    });
  }

  function lead() {
    clearTimeout(alarm);
    return new Promise((done) => {
      const leave = () => { end?.(); end = null; done(); };
      end = stream(workspace, seq, {
        beat: () => tabs.postMessage({ beats: true }),
        events: (found) => { seq = found.at(-1).seq; tabs.postMessage({ events: found }); events(found); },
        reset: async () => { tabs.postMessage({ reset: true }); seq = await reset(); return seq; },
        state: (now, problem) => {
          known = now;
          state(now, problem);
          if (now === "refused") leave(); // this tab is, perhaps for want of a token: another one may not be
          else tabs.postMessage({ state: now });
        },
      });
      ending.signal.addEventListener("abort", leave);
    });
  }
}

function stream(workspace, seq, { events, state, reset, beat = () => {} }) {
  const ending = new AbortController();
  run().catch((error) => { if (!ending.signal.aborted) throw error; });
  return () => ending.abort();

  async function run() {
    let failures = 0;
    while (!ending.signal.aborted) {
      try {
        await once(() => { failures = 0; });
      } catch (error) {
        if (ending.signal.aborted) return;
        if (error.status === 409) { seq = await reset(); await pause(FIRST_PAUSE); continue; }
        if (error.status >= 400 && error.status < 500 && error.status !== 429) { state("refused", error.problem); return; }
      }
      if (ending.signal.aborted) return;
      state("lost");
      await pause(Math.min(FIRST_PAUSE * 2 ** failures++, LONGEST_PAUSE) * (0.7 + Math.random() * 0.6));
    }
  }

  async function once(opened) {
    const patience = new AbortController();
    const stop = () => patience.abort();
    ending.signal.addEventListener("abort", stop);
    let alarm = setTimeout(stop, QUIET);
    try {
      const address = `/v1/events?workspace=${encodeURIComponent(workspace)}&after=${seq}`;
      const answer = await fetch(address, { headers: headers({ Accept: "text/event-stream" }), signal: patience.signal, cache: "no-store" });
      if (!answer.ok) throw Object.assign(new Error("refused"), { status: answer.status, problem: await answer.json().catch(() => ({})) });
      const chunks = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      opened();
      state("live");
      for (let rest = ""; ;) {
        const { value, done } = await chunks.read();
        if (done) return;
        clearTimeout(alarm);
        alarm = setTimeout(stop, QUIET);
        beat();
        const messages = (rest + value).split("\n\n");
        rest = messages.pop();
        const found = messages.map(read).filter(Boolean);
        if (found.length) {
          seq = found[found.length - 1].seq;
          events(found);
        }
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

function read(message) {
  const data = message.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("\n");
  return data ? JSON.parse(data) : null;
}

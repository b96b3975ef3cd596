// The log, followed: events as they come, through lost connections and restarts of the server.

import { QUIET, listen } from "./sse.js";

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

function stream(workspace, seq, { events, state, reset, beat }) {
  return listen({
    state,
    beat,
    request: () => ({ address: `/v1/events?workspace=${encodeURIComponent(workspace)}&after=${seq}` }),
    gone: async () => { seq = await reset(); },
    take: (found) => {
      if (found.length) {
        seq = found.at(-1).event.seq;
        events(found.map(({ event }) => event));
      }
      return true;
    },
  });
}

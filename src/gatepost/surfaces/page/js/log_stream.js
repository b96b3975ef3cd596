// The event log of a workspace, followed through lost connections and server restarts.

import { QUIET, listen } from "./sse.js";

/** @import { Connection, LogEvent, Problem } from "../types/page.d.ts" */
/**
 * @typedef {object} Handlers
 * @property {(events: LogEvent[]) => void} events What came, in order, as many as came at once.
 * @property {(name: Connection, problem?: Problem) => void} state
 * @property {() => Promise<number>} reset The log is another one: read everything again. Gives the seq to continue from.
 */
/**
 * @typedef {object} Message
 * @property {boolean} [asks] A new tab asks where the log is.
 * @property {boolean} [beats]
 * @property {boolean} [reset]
 * @property {number} [at]
 * @property {Connection} [state]
 * @property {LogEvent[]} [events]
 */

/**
 * Follow a workspace's log after `seq`. Returns a function that stops it.
 *
 * A browser allows six connections to a server, and a stream keeps one of them. So of all tabs that follow a workspace
 * only one holds the stream and passes events on to the others. When it closes, the next tab takes over.
 * @param {string} workspace
 * @param {number} seq
 * @param {Handlers} handlers
 * @returns {() => void}
 */
export function follow(workspace, seq, handlers) {
  return navigator.locks && globalThis.BroadcastChannel
    ? shared(workspace, seq, handlers)
    : stream(workspace, seq, handlers);
}

/** @param {string} workspace @param {number} seq @param {Handlers} handlers @returns {() => void} */
function shared(workspace, seq, { events, state, reset }) {
  const name = `gatepost ${workspace}`;
  const tabs = new BroadcastChannel(name);
  const ending = new AbortController();
  /** @type {(() => void) | null} */
  let end = null; // ends the stream, in the tab that holds it
  /** @type {Connection} */
  let known = "lost";
  let isResetting = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let alarm;
  const again = () => {
    if (isResetting) return;
    isResetting = true;
    reset()
      .then((now) => {
        seq = now;
      })
      .finally(() => {
        isResetting = false;
      });
  };
  tabs.onmessage = ({ data }) => (end ? asked(data) : heard(data));
  ending.signal.addEventListener("abort", () => {
    clearTimeout(alarm);
    tabs.close();
  });
  /** @param {LockOptions} how */
  queue({ signal: ending.signal });
  tabs.postMessage({ asks: true });
  return () => ending.abort();

  /** @param {Message} data */
  function asked(data) {
    if (data.asks) tabs.postMessage({ at: seq, state: known });
  }

  /** @param {Message} data */
  function heard(data) {
    watch();
    if (data.state) state(data.state);
    if (data.reset || (data.at ?? 0) > seq) again();
    const fresh = (data.events ?? []).filter((event) => event.seq > seq);
    if (!fresh.length) return;
    if (fresh[0].seq > seq + 1) {
      again();
      return;
    } // some events were sent before this tab listened
    seq = fresh[fresh.length - 1].seq;
    events(fresh);
  }

  // A tab that holds the stream and is silent is frozen or asleep: take the stream over.
  function watch() {
    clearTimeout(alarm);
    alarm = setTimeout(() => {
      state("lost");
      queue({ steal: true });
    }, QUIET + 5_000);
  }

  /** @param {LockOptions} how */
  function queue(how) {
    watch();
    navigator.locks.request(name, how, lead).catch((error) => {
      if (error.name !== "AbortError") throw error;
      end?.();
      end = null;
      if (!ending.signal.aborted) queue({ signal: ending.signal }); // another tab took it over
    });
  }

  function lead() {
    clearTimeout(alarm);
    return /** @type {Promise<void>} */ (
      new Promise((done) => {
        const leave = () => {
          end?.();
          end = null;
          done();
        };
        end = stream(workspace, seq, {
          beat: () => tabs.postMessage({ beats: true }),
          events: (found) => {
            seq = found[found.length - 1].seq;
            tabs.postMessage({ events: found });
            events(found);
          },
          reset: async () => {
            tabs.postMessage({ reset: true });
            seq = await reset();
            return seq;
          },
          state: (now, problem) => {
            known = now;
            state(now, problem);
            if (now === "refused")
              leave(); // only this tab may be refused, for want of a token
            else tabs.postMessage({ state: now });
          },
        });
        ending.signal.addEventListener("abort", leave);
      })
    );
  }
}

/**
 * @param {string} workspace
 * @param {number} seq
 * @param {Handlers & {beat?: () => void}} handlers
 * @returns {() => void}
 */
function stream(workspace, seq, { events, state, reset, beat }) {
  return listen({
    state,
    beat,
    request: () => ({ address: `/v1/events?workspace=${encodeURIComponent(workspace)}&after=${seq}` }),
    gone: async () => {
      seq = await reset();
    },
    take: (found) => {
      if (found.length) {
        seq = found[found.length - 1].event.seq;
        events(found.map(({ event }) => event));
      }
      return true;
    },
  });
}

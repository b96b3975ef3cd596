// What the page asks of the server: operations by their names, as every other client does.

/** The server said no: code, message, recovery, and what else it knows (suggestion, current_revision, …). */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.message ?? problem.detail ?? `The server answered with ${status}.`);
    this.status = status;
    this.code = problem.code ?? "UNKNOWN";
    this.recovery = problem.recovery ?? "";
    this.problem = problem;
  }

  /** Whether it may pass in a moment. What is wrong with the store takes somebody to mend it, and its words are shown. */
  get isPassing() {
    return PASSING.has(this.status) && !/^(STORE_|NOT_A_STORE)/.test(this.code);
  }
}

/** The server could not be reached. */
export class Unreachable extends Error {}

const PASSING = new Set([429, 502, 503, 504]);
const TRIES = 3;
const READS = new RegExp("^(tasks_(radar|context|resume|delta|context_pack|mirror|lint|history|handoff|tree|focus_get|templates_list)"
  + "|workspace_(overview|digest_get)|taskdoc_(list|history|diff)|recall_mind|todo_read)$");
const TOKEN = "gatepost.token";
const NAME = "gatepost.name";

export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (value) => sessionStorage.setItem(TOKEN, value),
};

/** Who the reader is, for the log. */
export const reader = {
  get: () => localStorage.getItem(NAME) ?? "web",
  set: (value) => localStorage.setItem(NAME, value.replace(/[^A-Za-z0-9._@-]/g, "-").slice(0, 40) || "web"),
};

export function headers(more = {}) {
  const known = token.get();
  return { ...(known ? { Authorization: `Bearer ${known}` } : {}), "X-Gatepost-Actor": `human:${reader.get()}`, ...more };
}

/** An operation's reply. Throws Refusal or Unreachable. A server that is busy is asked again, if nothing can be done twice by it. */
export async function call(workspace, operation, asked = {}) {
  for (let tries = 1; ; tries++) {
    try {
      return await post(`/v1/operations/${operation}`, { workspace, ...asked });
    } catch (error) {
      if (!READS.test(operation) || !error.isPassing) throw error;
      if (tries === TRIES) throw new Unreachable("The server is busy just now.");
    }
    await new Promise((resolve) => { setTimeout(resolve, 700 * tries); });
  }
}

async function post(path, body, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST", signal, body: JSON.stringify(body), headers: headers({ "Content-Type": "application/json" }),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The server cannot be reached just now.");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, said);
  return said;
}

// Markdown is rendered and cleaned by the server. Texts that are asked for in the same moment go together.
const MOST = 40_000; // characters at once: in bytes they may be three times as many, and the server takes 128 KiB
const rendered = new Map();
let waiting = null;

export function markdown(text) {
  if (!rendered.has(text)) {
    if (rendered.size > 400) rendered.delete(rendered.keys().next().value);
    rendered.set(text, ask(text));
    rendered.get(text).catch(() => rendered.delete(text));
  }
  return rendered.get(text);
}

function ask(text) {
  if (waiting && waiting.size + text.length > MOST) waiting = null;
  if (!waiting) {
    waiting = { texts: [], size: 0, answer: null };
    const mine = waiting;
    mine.answer = Promise.resolve().then(() => {
      if (waiting === mine) waiting = null;
      return post("/v1/markdown", { texts: mine.texts });
    });
  }
  const at = waiting.texts.push(text) - 1;
  waiting.size += text.length;
  const { answer } = waiting;
  if (waiting.texts.length >= 50) waiting = null;
  return answer.then((said) => said.html[at]);
}

// A read that is kept fresh: one request at a time, and the newest answer wins.

import { Refusal, Unreachable } from "../api.js";

const PAUSE = 1_500;

/** @template T */
export class Query {
  /** @type {T | null} */
  value = null;
  /**
   * Why there is no answer.
   * @type {Refusal | null}
   */
  error = null;
  /** @type {() => Promise<T>} */
  #ask;
  /** @type {() => void} */
  #then;
  /** @type {Promise<void> | null} */
  #asking = null;
  #again = false;
  #ended = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * `ask()` sends the request; `then()` is called whenever there is something new to show.
   * @param {() => Promise<T>} ask
   * @param {() => void} then
   */
  constructor(ask, then) {
    this.#ask = ask;
    this.#then = then;
  }

  /** Read now, or once more after the request under way. Resolves when the newest answer is there. */
  read() {
    if (this.#asking) this.#again = true;
    else
      this.#asking = this.#run().finally(() => {
        this.#asking = null;
      });
    return this.#asking;
  }

  /** Resolves when no request is under way. */
  async settled() {
    await this.#asking;
  }

  /** Ignore whatever is answered from now on. */
  end() {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #run() {
    do {
      this.#again = false;
      await this.#once();
    } while (this.#again && !this.#ended);
  }

  async #once() {
    clearTimeout(this.#timer);
    try {
      const answer = await this.#ask();
      if (this.#ended) return;
      this.value = answer;
      this.error = null;
    } catch (error) {
      if (this.#ended) return;
      if (error instanceof Unreachable || (error instanceof Refusal && error.isPassing)) {
        this.#timer = setTimeout(() => this.read(), PAUSE); // what was shown stays until the server is back
        return;
      }
      if (!(error instanceof Refusal) || error.status === 401) throw error;
      this.error = error;
    }
    this.#then();
  }
}

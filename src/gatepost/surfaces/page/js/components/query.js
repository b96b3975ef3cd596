// Something read from the server, kept fresh: one question at a time, and the newest answer wins.

import { Refusal, Unreachable } from "../api.js";

const PAUSE = 1_500;

export class Query {
  value = null;
  /** Why there is no answer: what the server refused. */
  error = null;
  #ask;
  #then;
  #asking = null;
  #again = false;
  #ended = false;
  #timer = null;

  /** `ask()` gives a promise of the answer; `then()` is called whenever there is something new to show. */
  constructor(ask, then) {
    this.#ask = ask;
    this.#then = then;
  }

  /** Read it now, or once more after the answer that is awaited; settles when the newest answer is there. */
  read() {
    if (this.#asking) this.#again = true;
    else this.#asking = this.#run().finally(() => { this.#asking = null; });
    return this.#asking;
  }

  /** Settles when nothing is being asked. */
  async settled() {
    await this.#asking;
  }

  /** Whatever is answered from now on is of no interest. */
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
      if (error instanceof Unreachable || error.isPassing) {
        this.#timer = setTimeout(() => this.read(), PAUSE); // what was shown stays until the server is back
        return;
      }
      if (!(error instanceof Refusal) || error.status === 401) throw error;
      this.error = error;
    }
    this.#then();
  }
}

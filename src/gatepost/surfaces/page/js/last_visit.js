// When the reader last looked at a workspace, and up to which event.

const AWAY = 10 * 60_000;

/** @typedef {{seq: number, at: number}} Moment */

/** The reader's visits to a workspace, remembered in this browser. */
export class LastVisit {
  #key;

  /** @param {string} workspace */
  constructor(workspace) {
    this.#key = `gatepost.visit:${workspace}`;
  }

  /**
   * Where the reader left off, if they were away and something happened since. Null once they have seen the summary.
   * @returns {Moment | null}
   */
  get left() {
    return this.#known?.left ?? null;
  }

  /** @returns {(Moment & {left?: Moment | null}) | null} */
  get #known() {
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? "null");
    } catch {
      return null;
    }
  }

  /**
   * The reader sees everything up to `seq`.
   * @param {number} seq
   */
  seen(seq, now = Date.now()) {
    if (document.hidden) return;
    const known = this.#known;
    let left = known?.left ?? null;
    if (known && seq < known.seq)
      left = null; // another log
    else if (known && !left && seq > known.seq && now - known.at > AWAY) left = { seq: known.seq, at: known.at };
    this.#keep({ seq, at: now, left });
  }

  /** The reader is still here. After a long pause, the next `seen` decides. */
  here(now = Date.now()) {
    const known = this.#known;
    if (known && !document.hidden && now - known.at <= AWAY) this.#keep({ ...known, at: now });
  }

  /** The reader knows what happened. */
  told() {
    const known = this.#known;
    if (known) this.#keep({ seq: known.seq, at: known.at });
  }

  /** @param {Moment & {left?: Moment | null}} visit */
  #keep(visit) {
    try {
      localStorage.setItem(this.#key, JSON.stringify(visit));
    } catch {
      // A browser that stores nothing has no last visit.
    }
  }
}

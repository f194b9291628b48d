/** How many retries all calls of a service may make together: when everything fails, asking again only adds to the load. */

const FULL = 500;
const RETRY_COSTS = 5;
/** The outcome of the call is unknown, so the server may be overloaded. */
const TIMED_OUT_COSTS = 10;

/** Spent by retries, refilled by calls that succeed. A hundred retries in a row are allowed. */
export class RetryBudget {
  #left = FULL;

  /** Answers whether there may be another retry, and counts it. */
  trySpend(isTimeOut: boolean): boolean {
    const cost = isTimeOut ? TIMED_OUT_COSTS : RETRY_COSTS;
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }

  /** A call came through. */
  succeeded(): void {
    this.#left = Math.min(FULL, this.#left + RETRY_COSTS);
  }
}

/** A value that callers see later than it is: EC2's reads lag behind its writes. */

export class Lagged<T> {
  /** In the order of time; never empty. */
  #history: { readonly at: number; readonly value: T }[];

  /** No reader sees it before `visibleAt`, in milliseconds since 1970. */
  constructor(value: T, visibleAt: number) {
    this.#history = [{ at: visibleAt, value }];
  }

  get current(): T {
    return (this.#history.at(-1) as { readonly value: T }).value;
  }

  /** Seen from then on, but never before what was set earlier. */
  set(value: T, visibleAt: number): void {
    this.#history.push({ at: Math.max(visibleAt, this.#history.at(-1)?.at ?? visibleAt), value });
  }

  /** What callers see at this moment, undefined when nothing yet. Moments must not go back. */
  seen(now: number): T | undefined {
    const index = this.#history.findLastIndex(({ at }) => at <= now);
    if (index > 0) this.#history = this.#history.slice(index);
    return index < 0 ? undefined : this.#history[0]?.value;
  }
}

/** Pods that were moved, and in whose place none has come yet. */

/** A pod that does not come in the place of one that was moved by then comes for another reason. */
const COMES_WITHIN_MILLIS = 600_000;

export class MovedPods {
  /** Owner and template → when pods of it were moved, the first first. The owner of the last one comes last. */
  readonly #times = new Map<string, readonly number[]>();

  /** How many owners have such pods. */
  get size(): number {
    return this.#times.size;
  }

  /** A pod of the owner is moved. @param now milliseconds since 1970. */
  add(owner: string, now: number): void {
    this.#forgetOld(now);
    const times = this.#recent(owner, now);
    this.#times.delete(owner);
    this.#times.set(owner, [...times, now]);
  }

  /** Whether a pod of the owner that comes now comes in the place of one of them, the first. */
  take(owner: string, now: number): boolean {
    this.#forgetOld(now);
    const [first, ...others] = this.#recent(owner, now);
    if (others.length > 0) this.#times.set(owner, others);
    else this.#times.delete(owner);
    return first !== undefined;
  }

  #recent(owner: string, now: number): readonly number[] {
    return (this.#times.get(owner) ?? []).filter((at) => at >= now - COMES_WITHIN_MILLIS);
  }

  #forgetOld(now: number): void {
    for (const [owner, times] of this.#times) {
      if ((times.at(-1) ?? 0) >= now - COMES_WITHIN_MILLIS) return;
      this.#times.delete(owner);
    }
  }
}

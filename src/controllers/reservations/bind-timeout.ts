/** How long a pod keeps its room on a usable node that kube-scheduler does not bind it to. */

/** kube-scheduler leaves a pod alone for up to 10 s after a failure (podMaxBackoffSeconds); then there may be a queue. */
const FIRST_MILLIS = 30_000;
const LONGEST_MILLIS = 300_000;

interface Wait {
  readonly reservation: string;
  readonly since: number;
}

/** Times in milliseconds on one clock that never goes back. */
export class BindTimeout {
  /** By the pod's uid: since when it could have been bound. */
  readonly #waits = new Map<string, Wait>();
  /** How often it was given up. */
  readonly #given = new Map<string, number>();

  /** The pod could be bound, and is not: the time until its room is released, 0 when it is over. */
  left(podUID: string, reservation: string, now: number): number {
    const known = this.#waits.get(podUID);
    const wait = known?.reservation === reservation ? known : { reservation, since: now };
    this.#waits.set(podUID, wait);
    const given = this.#given.get(podUID) ?? 0;
    // Planned on the same node again and again, its room is kept longer each time.
    const allowed = Math.min(FIRST_MILLIS * 2 ** given, LONGEST_MILLIS);
    return Math.max(0, wait.since + allowed - now);
  }

  /** The pod is released to be planned again. */
  giveUp(podUID: string): void {
    this.#waits.delete(podUID);
    this.#given.set(podUID, (this.#given.get(podUID) ?? 0) + 1);
  }

  /** The pod could not be bound just now. */
  restart(podUID: string): void {
    this.#waits.delete(podUID);
  }

  /** The pod is bound or gone. */
  forget(podUID: string): void {
    this.#waits.delete(podUID);
    this.#given.delete(podUID);
  }
}

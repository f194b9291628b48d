/**
 * Pods whose NodeClaim or Reservation could not be written. They wait, longer with every failure, and are planned apart from
 * the pods that did not fail: a claim that the API server refuses delays its own pods, and no others.
 */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Clock } from '../../ports/clock.js';
import type { Random } from '../../ports/random.js';
import { hasCode } from '../../ports/port-error.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import type { FailedPlace } from './carry-out.js';

const BACKOFF = { baseMillis: 1000, maxMillis: 60_000 };

interface Failed {
  readonly attempts: number;
  /** Until then it is not planned; monotonic, in milliseconds. */
  readonly until: number;
}

/** What of the demand is planned now. */
export interface Turn {
  readonly pods: readonly ObservedPod[];
  /** When the rest is to be planned, in milliseconds from now; undefined when nothing is left. */
  readonly againMillis: number | undefined;
}

export class FailedPlaces {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #random: Random;
  /** Pod's uid → its failures; a gang's pods share the gang's key, for they are placed together or not at all. */
  #failed = new Map<string, Failed>();

  constructor({ clock, random }: { readonly clock: Pick<Clock, 'monotonic'>; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * These places could not be written. What the API server refuses for what it is waits by itself; what met trouble that may
   * be over waits together, so that it is planned as one again.
   */
  add(places: readonly FailedPlace[]): void {
    const isRefused = ({ error }: FailedPlace): boolean => hasCode(error, 'Invalid', 'Forbidden');
    for (const { pods } of places.filter(isRefused)) this.#putOff(pods);
    this.#putOff(places.filter((place) => !isRefused(place)).flatMap(({ pods }) => pods));
  }

  #putOff(pods: readonly ObservedPod[]): void {
    const keys = new Set(pods.map(keyOf));
    const attempt = 1 + Math.max(0, ...[...keys].map((key) => this.#failed.get(key)?.attempts ?? 0));
    const until = this.#clock.monotonic() + backoffMillis({ attempt, ...BACKOFF, random: this.#random });
    for (const key of keys) this.#failed.set(key, { attempts: attempt, until });
  }

  /** Pods that never failed first; when there are none, those whose time has come. What left the demand is forgotten. */
  turn(demand: readonly ObservedPod[]): Turn {
    if (this.#failed.size === 0) return { pods: demand, againMillis: undefined };
    const now = this.#clock.monotonic();
    const kept = new Map<string, Failed>();
    const fresh: ObservedPod[] = [];
    const due: ObservedPod[] = [];
    let next = Infinity;
    for (const pod of demand) {
      const key = keyOf(pod);
      const failed = this.#failed.get(key);
      if (failed === undefined) fresh.push(pod);
      else kept.set(key, failed);
      if (failed !== undefined && failed.until <= now) due.push(pod);
      else if (failed !== undefined) next = Math.min(next, failed.until - now);
    }
    this.#failed = kept;
    if (fresh.length > 0 && due.length > 0) next = 0;
    return { pods: fresh.length > 0 ? fresh : due, againMillis: next === Infinity ? undefined : next };
  }
}

/** Equal for pods that are placed together or not at all: those of a gang. */
export function keyOf({ uid, gang }: ObservedPod): string {
  return gang === undefined ? uid : `gang ${gang.key}`;
}

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
  /** The same of those that were planned again, until it is known whether they fail again. */
  #tried = new Map<string, Failed>();
  /** Pods whose time had come were passed over for others in the last turn: the next is theirs. */
  #hasPassedOver = false;

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
    const attemptsOf = (key: string): number =>
      (this.#failed.get(key) ?? this.#tried.get(key))?.attempts ?? 0;
    const attempt = 1 + Math.max(0, ...[...keys].map(attemptsOf));
    const until = this.#clock.monotonic() + backoffMillis({ attempt, ...BACKOFF, random: this.#random });
    for (const key of keys) this.#failed.set(key, { attempts: attempt, until });
  }

  /**
   * Pods that have not failed first, then those whose time has come, in turn: some of the former may never have a place, and are
   * planned again and again. What left the demand is forgotten, and so are failures of pods that were planned again without one.
   */
  turn(demand: readonly ObservedPod[]): Turn {
    this.#tried = new Map();
    if (this.#failed.size === 0) return { pods: demand, againMillis: undefined };
    const { fresh, due, kept } = this.#sorted(demand);
    this.#failed = kept;
    const isTheirs = due.length > 0 && (fresh.length === 0 || this.#hasPassedOver);
    this.#hasPassedOver = !isTheirs && due.length > 0;
    if (isTheirs) this.#tryAgain(due);
    const others = isTheirs ? fresh : due;
    return { pods: isTheirs ? due : fresh, againMillis: others.length > 0 ? 0 : this.againMillis(demand) };
  }

  /** When the first of the pods that failed is to be planned, in milliseconds from now; undefined when none of them did. */
  againMillis(demand: readonly ObservedPod[]): number | undefined {
    if (this.#failed.size === 0) return undefined;
    const untilOf = (pod: ObservedPod): number => this.#failed.get(keyOf(pod))?.until ?? Infinity;
    const first = demand.reduce((least, pod) => Math.min(least, untilOf(pod)), Infinity);
    return first === Infinity ? undefined : Math.max(0, first - this.#clock.monotonic());
  }

  #tryAgain(due: readonly ObservedPod[]): void {
    for (const key of due.map(keyOf)) {
      const failed = this.#failed.get(key);
      if (failed !== undefined) this.#tried.set(key, failed);
      this.#failed.delete(key);
    }
  }

  #sorted(demand: readonly ObservedPod[]): {
    readonly fresh: readonly ObservedPod[];
    readonly due: readonly ObservedPod[];
    readonly kept: Map<string, Failed>;
  } {
    const now = this.#clock.monotonic();
    const kept = new Map<string, Failed>();
    const fresh: ObservedPod[] = [];
    const due: ObservedPod[] = [];
    for (const pod of demand) {
      const key = keyOf(pod);
      const failed = this.#failed.get(key);
      if (failed === undefined) fresh.push(pod);
      else kept.set(key, failed);
      if (failed !== undefined && failed.until <= now) due.push(pod);
    }
    return { fresh, due, kept };
  }
}

/** Equal for pods that are placed together or not at all: those of a gang. */
export function keyOf({ uid, gang }: ObservedPod): string {
  return gang === undefined ? uid : `gang ${gang.key}`;
}

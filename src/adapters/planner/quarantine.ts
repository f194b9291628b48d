/** Finds out which pods planning breaks on, by leaving some of them out, and keeps these out for a while. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey, type Pod } from '../../domain/pods/pod.js';
import type { Clock } from '../../ports/clock.js';

/** How long pods are kept out the first time; doubled each time that planning breaks on them again. */
const BASE_MILLIS = 60_000;
const MOST_MILLIS = 3_600_000;

/** Pods that are known to break planning, by their controller. */
interface Hold {
  readonly until: number;
  readonly times: number;
}

/** A batch without the pods that are set aside. */
export interface Admitted {
  readonly setAside: readonly ObservedPod[];
  /** Kinds of the pods that are in it. */
  readonly kinds: ReadonlySet<string>;
}

/**
 * Pods are distinguished by their controllers: pods of one template break planning together. While there are
 * suspects, half of them are left out, so that each plan, whether it is made or not, halves their number.
 */
export class Quarantine {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #suspects: readonly string[] = [];
  readonly #holds = new Map<string, Hold>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  admit(demand: readonly ObservedPod[]): Admitted {
    const pending = new Set(demand.map(kindOf));
    for (const kind of this.#holds.keys()) if (!pending.has(kind)) this.#holds.delete(kind);
    this.#suspects = this.#suspects.filter((kind) => pending.has(kind));
    const out = new Set(this.#suspects.slice(Math.floor(this.#suspects.length / 2)));
    const now = this.#clock.monotonic();
    for (const [kind, { until }] of this.#holds) if (until > now) out.add(kind);
    const kinds = new Set([...pending].filter((kind) => !out.has(kind)));
    const setAside = out.size === 0 ? [] : demand.filter((pod) => out.has(kindOf(pod)));
    return { setAside, kinds };
  }

  /** The batch was planned: none of its pods is a suspect any more. */
  planned({ kinds }: Admitted): void {
    for (const kind of kinds) this.#holds.delete(kind);
    this.#suspect(this.#suspects.filter((kind) => !kinds.has(kind)));
  }

  /** Planning broke on the batch. Pods that it broke on before are suspected first. */
  broke({ kinds }: Admitted): void {
    const known = [...kinds].filter((kind) => this.#holds.has(kind));
    const suspected = this.#suspects.filter((kind) => kinds.has(kind));
    if (known.length > 0) this.#suspect(known);
    else this.#suspect(suspected.length > 0 ? suspected : [...kinds].sort());
  }

  #suspect(kinds: readonly string[]): void {
    this.#suspects = kinds.length > 1 ? kinds : [];
    const [kind] = kinds;
    if (kinds.length !== 1 || kind === undefined) return;
    const times = (this.#holds.get(kind)?.times ?? 0) + 1;
    const millis = Math.min(MOST_MILLIS, BASE_MILLIS * 2 ** (times - 1));
    this.#holds.set(kind, { until: this.#clock.monotonic() + millis, times });
  }
}

function kindOf(pod: Pod): string {
  return pod.owner === undefined ? podKey(pod) : `${pod.owner.kind} ${pod.namespace}/${pod.owner.name}`;
}

/**
 * MinValuesPolicy BestEffort: pods for which no pool has as many values as its minValues asks for are planned again with as many as there
 * are, apart from the others, whose claims keep them.
 */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import { keyOf } from './failed-places.js';
import type { RefusedPod } from './refusals.js';

export const MIN_VALUES_POLICIES = ['Strict', 'BestEffort'] as const;
export type MinValuesPolicy = (typeof MIN_VALUES_POLICIES)[number];

/** What of the demand is planned now. */
export interface RelaxedTurn {
  readonly pods: readonly ObservedPod[];
  /** Whether they are planned without minValues. */
  readonly relaxes: boolean;
  /** When the rest is to be planned, in milliseconds from now; undefined when nothing is left. */
  readonly againMillis: number | undefined;
}

export class RelaxedMinValues {
  readonly #policy: MinValuesPolicy;
  /** As keyOf has them. */
  #waiting: ReadonlySet<string> = new Set();

  constructor(policy: MinValuesPolicy) {
    this.#policy = policy;
  }

  /** Has those of the refused pods planned next that minValues stands in the way of; answers the others. */
  putOff(refused: readonly RefusedPod[]): readonly RefusedPod[] {
    if (this.#policy === 'Strict') return refused;
    const waiting = new Set(refused.filter(lacksValues).map(({ pod }) => keyOf(pod)));
    this.#waiting = waiting;
    return waiting.size === 0 ? refused : refused.filter(({ pod }) => !waiting.has(keyOf(pod)));
  }

  /** Those that were put off, if any still want a place; else all. */
  turn(demand: readonly ObservedPod[]): RelaxedTurn {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    const due = waiting.size === 0 ? [] : demand.filter((pod) => waiting.has(keyOf(pod)));
    if (due.length === 0) return { pods: demand, relaxes: false, againMillis: undefined };
    return { pods: due, relaxes: true, againMillis: due.length < demand.length ? 0 : undefined };
  }
}

function lacksValues({ answer }: RefusedPod): boolean {
  return answer.reasons.some(({ reason }) => reason.code === 'MinValues');
}

/** The pools as if they asked for no number of values. */
export function withoutMinValues(pools: readonly PoolOffer[]): readonly PoolOffer[] {
  return pools.map((offer) => {
    const { template } = offer.pool;
    if (template.requirements.every(({ minValues }) => minValues <= 0)) return offer;
    const requirements = template.requirements.map((item) => ({ ...item, minValues: 0 }));
    return { ...offer, pool: { ...offer.pool, template: { ...template, requirements } } };
  });
}

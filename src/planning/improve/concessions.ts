/** What the pods of a packing gave up to have a place. */
import { PLAIN_LEVELS } from '../model/classes/asks-together.js';
import type { Candidate } from '../finish/candidate.js';

/** Counted per pod. */
export interface Concessions {
  /** Pods whose spread looks only at domains that there are. */
  readonly uneven: number;
  /** Those of them whose spread is not over hosts. */
  readonly displacing: number;
  /** Levels of preferences. */
  readonly levels: number;
}

const known = new WeakMap<Candidate, Concessions>();

export function concessionsOf(candidate: Candidate): Concessions {
  const found = known.get(candidate) ?? count(candidate);
  known.set(candidate, found);
  return found;
}

/** Pods of one class that came to a target under several asks count as though all had given up as much as the last. */
function count({ packing: { targets, problem } }: Candidate): Concessions {
  let [uneven, displacing, levels] = [0, 0, 0];
  for (const target of targets) {
    for (const [index, n] of target.content) {
      const pods = problem.classes[index];
      if (pods === undefined) continue;
      const last = pods.asks.length - 1;
      const level = pods.asks.findLastIndex((ask) => target.asks.has(ask));
      const spread = level === last ? (pods.asks[last]?.spread ?? []) : [];
      if (spread.length > 0) uneven += n;
      if (spread.some(({ group }) => !group.isHostname)) displacing += n;
      levels += n * Math.max(0, Math.min(level, pods.asks.length - PLAIN_LEVELS));
    }
  }
  return { uneven, displacing, levels };
}

export function isMore(left: Concessions, right: Concessions): boolean {
  return left.uneven > right.uneven || (left.uneven === right.uneven && left.levels > right.levels);
}

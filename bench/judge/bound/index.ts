/** Lower bounds that the judge proves itself: relax a question, find prices, and see by weak duality what they prove. */
import type { Pod } from '../../../src/domain/pods/pod.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { nodeRulesKey } from '../../../test/support/plan-checker/node-rules.js';
import { partsApart, type Part } from './apart.js';
import { candidates } from './candidates.js';
import { lowerBound } from './lower-bound.js';
import { relax } from './relax.js';
import type { Relaxation } from './relaxation.js';
import { wholeInstances } from './whole-instances.js';

/**
 * USD/h that no plan for all pods of the question goes below. Parts of which no host may hold two are paid one by one, as
 * if each had all limits and all nodes to itself.
 */
export function boundOf(input: ClusterInput): number {
  const together = divided(relax(input));
  const parts = partsApart(input);
  if (parts.length < 2) return together;
  const known = new Map<string, number>();
  const apart = parts.reduce((sum, part) => {
    const key = part.isAlike ? keyOf(part) : undefined;
    const bound =
      (key === undefined ? undefined : known.get(key)) ??
      boundOfPart({ ...input, pods: [...part.pods, ...running(input)] });
    if (key !== undefined) known.set(key, bound);
    return sum + bound;
  }, 0);
  return Math.max(together, apart);
}

/** Few pods share few instances: these are bought whole. */
function boundOfPart(input: ClusterInput): number {
  const relaxation = relax(input);
  return Math.max(divided(relaxation), wholeInstances(relaxation));
}

function divided(relaxation: Relaxation): number {
  return lowerBound(relaxation, candidates(relaxation)).hourly;
}

function running({ pods }: ClusterInput): readonly Pod[] {
  return pods.filter(({ nodeName }) => nodeName !== undefined);
}

/** Equal for parts of one kind each that cost the same. */
function keyOf({ pods, isScattered }: Part): string {
  const rows = pods.map(({ spec }) => JSON.stringify([nodeRulesKey(spec), [...spec.requests].sort()]));
  return `${String(isScattered)} ${rows.sort().join()}`;
}

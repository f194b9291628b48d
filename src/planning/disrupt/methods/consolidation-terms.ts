/** What a pool's consolidateAfter says of its nodes, empty or not. */
import { isTrue } from '../../../domain/values/condition.js';
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { DisruptionInput, NodeLife } from '../question/disruption.js';
import { moment, type RefusalTexts, type RefusalWords } from '../question/refusal.js';

export type ConsolidationTermsRefusal =
  | { readonly code: 'ConsolidationDisabled'; readonly nodePool: string }
  | { readonly code: 'NotQuiet'; readonly until: number }
  | { readonly code: 'MovedTo'; readonly until: number };

const WORDS: RefusalWords<ConsolidationTermsRefusal> = {
  ConsolidationDisabled: ({ nodePool }) =>
    `NodePool ${nodePool} has consolidateAfter: Never; set a time to let it consolidate`,
  NotQuiet: ({ until }) => `pods were added or removed within consolidateAfter; wait until ${moment(until)}`,
  MovedTo: ({ until }) =>
    `consolidation moved pods to the node, which it does not move again until ${moment(until)} unless pods leave the node by themselves (berth.consolidation.moveAgainAfter)`,
};

export const CONSOLIDATION_TERMS_TEXTS: RefusalTexts = {
  words: WORDS,
  quiet: ['ConsolidationDisabled', 'NotQuiet', 'MovedTo'],
};

export function consolidationRefusal(
  { node }: { readonly node: Pick<NodeLife, 'quietSince' | 'movedToAt'> },
  { name, disruption }: NodePool,
  { now }: Pick<DisruptionInput, 'now'>,
): ConsolidationTermsRefusal | undefined {
  const { consolidateAfterSeconds, economics } = disruption;
  if (consolidateAfterSeconds === undefined) return { code: 'ConsolidationDisabled', nodePool: name };
  const until = node.quietSince + consolidateAfterSeconds * 1000;
  if (until > now) return { code: 'NotQuiet', until };
  const movableAt = (node.movedToAt ?? -Infinity) + economics.moveAgainAfterSeconds * 1000;
  return movableAt > now ? { code: 'MovedTo', until: movableAt } : undefined;
}

/**
 * How long a node of the pool has to be quiet, in seconds; undefined where it does not matter when pods came or went: with
 * Never, and with 0s, which waits for nothing.
 */
export function quietSeconds({ disruption }: NodePool): number | undefined {
  const { consolidateAfterSeconds } = disruption;
  return consolidateAfterSeconds === 0 ? undefined : consolidateAfterSeconds;
}

/** Since when no pod has come or gone; undefined before the node is initialised. Times in milliseconds since 1970. */
export function quietSince({ status }: NodeClaim, lastPodEvent: number | undefined): number | undefined {
  const initialized = status.conditions.find(({ type }) => type === 'Initialized');
  if (initialized === undefined || !isTrue([initialized], 'Initialized')) return undefined;
  const known = status.lastPodEventTime ?? -Infinity;
  return Math.max(initialized.lastTransitionTime, known, lastPodEvent ?? -Infinity);
}

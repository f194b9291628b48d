/** Nodes that cost more than they earn: the set of them that saves most beyond its moving costs. */
import type { Candidate } from '../candidates.js';
import { Consolidation } from '../consolidation.js';
import { proposedSets } from '../proposed-sets.js';
import type { Draft } from '../draft.js';
import { keptCondition, NEVER_DUE, type Method } from '../method.js';
import { CONSOLIDATION_TEXTS, type ConsolidationRefusal } from './consolidation-refusals.js';
import { consolidationRefusal, quietSince, type ConsolidationTermsRefusal } from './consolidation-terms.js';
import { emptiness } from './emptiness.js';

export const consolidation: Method = {
  reason: 'Underutilized',
  condition: keptCondition({
    type: 'Consolidatable',
    meaning: 'no pod was added to or removed from the node within consolidateAfter',
    reasons: { Consolidatable: 'the node has been quiet for that long' },
    from: ({ claim, pool, lastPodEvent }) => {
      const after = pool?.disruption.consolidateAfterSeconds;
      const quiet = quietSince(claim, lastPodEvent);
      return after === undefined || quiet === undefined ? NEVER_DUE : { at: quiet + after * 1000 };
    },
  }),
  budgetReason: 'Underutilized',
  isForced: () => false,
  isEventual: false,
  isUrgent: false,
  consolidationType: (nodes) => (nodes > 1 ? 'multi' : 'single'),
  words: {
    gain: ({ saving, movingCost }) =>
      `saves ${saving.toFixed(4)} USD/h at a moving cost of ${movingCost.toFixed(4)} USD`,
  },
  forbids: (candidate, pool, input): ConsolidationRefusal | ConsolidationTermsRefusal | undefined => {
    const byTerms = consolidationRefusal(candidate, pool, input);
    if (byTerms?.code === 'ConsolidationDisabled') return byTerms;
    if (pool.disruption.consolidationPolicy === 'WhenEmpty')
      return { code: 'NotEmpty', nodePool: pool.name, pods: candidate.pods.length };
    return byTerms ?? (candidate.node.hourlyPrice === undefined ? { code: 'UnknownPrice' } : undefined);
  },
  refusals: CONSOLIDATION_TEXTS,
  decide: (draft) => {
    draft.steerable = steerable(draft);
    draft.cursor = consolidate(draft);
  },
};

/** Names of nodes that rules, budgets apart, would let go: pods are steered away from them. */
function steerable({ candidates }: Draft): readonly string[] {
  return candidates
    .all()
    .filter((candidate) => {
      const method = candidate.pods.length === 0 ? emptiness : consolidation;
      return candidates.refusal(candidate, method) === undefined;
    })
    .map(({ name }) => name);
}

/** The set of nodes that saves most beyond its moving costs; answers where the next search continues. */
function consolidate(draft: Draft): string {
  const sorted = eligibleNodes(draft);
  if (sorted.length === 0) return '';
  // The pass before ended at the cursor; when the last node has been tried alone, the search is over.
  const next = sorted.findIndex(({ name }) => name === draft.input.cursor) + 1;
  const rest = sorted.slice(next);
  const eligible = [...rest, ...sorted.slice(0, next)];
  const { input, simulator } = draft;
  const search = new Consolidation({
    options: draft.options,
    candidates: draft.candidates,
    offers: new Map(input.cluster.pools.map((offer) => [offer.pool.name, offer])),
    view: draft.view,
    simulator,
    closed: draft.unsteady,
    refuse: (candidate, refusal) => {
      draft.refuse(candidate, consolidation, refusal);
    },
  });
  const admitted = admittedNodes(draft, eligible);
  const sets = proposedSets(draft, consolidation, { eligible, admitted });
  const best = search.best(sets);
  const { proposal = best, last } =
    best === undefined ? search.firstSingle(alone(draft, rest, admitted)) : {};
  for (const candidate of eligible)
    if (!search.wasTried(candidate) && !draft.isRefused(candidate, consolidation))
      draft.refuse(candidate, consolidation, { code: 'NotLookedAt' });
  if (proposal === undefined) return last?.name ?? '';
  const considered = `${String(eligible.length)} nodes were eligible; ${String(simulator.made)} plans were evaluated`;
  draft.carryOut(consolidation, proposal.candidates, { ...proposal, considered });
  return '';
}

/** Nodes that may be consolidated, budgets apart: first those that cost most for what moving their pods weighs. */
function eligibleNodes(draft: Draft): readonly Candidate[] {
  const { now } = draft.input;
  const eligible = draft.candidates.all().filter((candidate) => {
    if (candidate.pods.length === 0) return false;
    const refusal = draft.candidates.refusal(candidate, consolidation);
    if (refusal !== undefined) draft.refuse(candidate, consolidation, refusal);
    return refusal === undefined;
  });
  return eligible
    .map((candidate) => ({ candidate, density: density(candidate, now) }))
    .sort((left, right) => right.density - left.density)
    .map(({ candidate }) => candidate);
}

/** USD/h per eviction; a node that soon expires has little to disturb (Karpenter: lifetime remaining). */
function density({ node, price, evictions }: Candidate, now: number): number {
  const { createdAt, expiresAt } = node;
  const life = expiresAt === undefined ? 1 : (expiresAt - now) / Math.max(1, expiresAt - createdAt);
  return price / (1 + evictions * Math.min(1, Math.max(0, life)));
}

/** As many as budgets let go together, in their order. */
function admittedNodes(draft: Draft, eligible: readonly Candidate[]): readonly Candidate[] {
  const nodes = draft.nodes.fork();
  const evictions = draft.evictions.fork();
  return eligible.filter((candidate) => {
    const refusal = nodes.refusal(consolidation, candidate.node) ?? evictions.refusal(candidate.pods);
    if (refusal === undefined) {
      nodes.take(candidate.node);
      evictions.take(candidate.pods);
    } else draft.refuse(candidate, consolidation, refusal);
    return refusal === undefined;
  });
}

/** Nodes that may go alone, though not with those admitted. One that was admitted alone is known already. */
function alone(
  draft: Draft,
  eligible: readonly Candidate[],
  admitted: readonly Candidate[],
): readonly Candidate[] {
  const known = new Set(admitted.length === 1 ? admitted : []);
  return eligible.filter(
    (candidate) => !known.has(candidate) && draft.refusal(candidate, consolidation) === undefined,
  );
}

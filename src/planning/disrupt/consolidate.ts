/** Nodes that go because they cost more than they earn: empty ones, then the set of others that saves most. */
import type { Candidate } from './candidates.js';
import { Consolidation, setSizes } from './consolidation.js';
import { NOTHING_INSTEAD, type Draft } from './draft.js';

/** All empty nodes that rules and budgets let go, in one command. */
export function removeEmpty(draft: Draft): void {
  const taken = draft.nodes.fork();
  const going = draft.candidates.all().filter((candidate) => {
    if (candidate.pods.length > 0) return false;
    const refusal = draft.candidates.refusal(candidate, 'Empty') ?? taken.refusal('Empty', candidate.node);
    if (refusal === undefined) taken.take(candidate.node);
    else draft.refuse(candidate, 'Empty', refusal);
    return refusal === undefined;
  });
  if (going.length > 0) draft.carryOut('Empty', going, NOTHING_INSTEAD);
}

/** Names of nodes that rules, budgets apart, would let go: pods are steered away from them. */
export function steerable({ candidates }: Draft): readonly string[] {
  return candidates
    .all()
    .filter((candidate) => {
      const reason = candidate.pods.length === 0 ? 'Empty' : 'Underutilized';
      return candidates.refusal(candidate, reason) === undefined;
    })
    .map(({ name }) => name);
}

/** The set of nodes that saves most beyond its moving costs; answers where the next search goes on. */
export function consolidate(draft: Draft): string {
  const eligible = eligibleNodes(draft);
  const admitted = admittedNodes(draft, eligible);
  const { input, simulator } = draft;
  const search = new Consolidation({
    options: draft.options,
    candidates: draft.candidates,
    offers: new Map(input.cluster.pools.map((offer) => [offer.pool.name, offer])),
    view: draft.view,
    simulator,
    closed: draft.unsteady,
    refuse: (candidate, refusal) => {
      draft.refuse(candidate, 'Underutilized', refusal);
    },
  });
  const sizes = input.only === undefined ? setSizes(admitted.length) : [admitted.length];
  const proposal = search.best(admitted, sizes) ?? search.firstSingle(othersAlone(draft, eligible, admitted));
  const untried = eligible.filter((candidate) => !search.wasTried(candidate));
  for (const candidate of simulator.left === 0 ? untried : [])
    if (!draft.isRefused(candidate, 'Underutilized'))
      draft.refuse(candidate, 'Underutilized', { code: 'NotLookedAt' });
  if (proposal === undefined)
    return untried.length === 0 ? '' : (eligible.findLast((node) => search.wasTried(node))?.name ?? '');
  const considered = `${String(eligible.length)} nodes were eligible; ${String(simulator.made)} plans were evaluated`;
  draft.carryOut('Underutilized', proposal.candidates, { ...proposal, considered });
  return '';
}

/** Nodes that may be consolidated, budgets apart: first those that cost most for what moving their pods weighs. */
function eligibleNodes(draft: Draft): readonly Candidate[] {
  const { now, cursor } = draft.input;
  const eligible = draft.candidates.all().filter((candidate) => {
    if (candidate.pods.length === 0) return false;
    const refusal = draft.candidates.refusal(candidate, 'Underutilized');
    if (refusal !== undefined) draft.refuse(candidate, 'Underutilized', refusal);
    return refusal === undefined;
  });
  const sorted = eligible
    .map((candidate) => ({ candidate, density: density(candidate, now) }))
    .sort((left, right) => right.density - left.density)
    .map(({ candidate }) => candidate);
  const next = sorted.findIndex(({ name }) => name === cursor) + 1;
  return [...sorted.slice(next), ...sorted.slice(0, next)];
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
    const refusal = nodes.refusal('Underutilized', candidate.node) ?? evictions.refusal(candidate.pods);
    if (refusal === undefined) {
      nodes.take(candidate.node);
      evictions.take(candidate.pods);
    } else draft.refuse(candidate, 'Underutilized', refusal);
    return refusal === undefined;
  });
}

/** Nodes that may go alone though not with those admitted. */
function othersAlone(
  draft: Draft,
  eligible: readonly Candidate[],
  admitted: readonly Candidate[],
): readonly Candidate[] {
  const tried = new Set(admitted.slice(0, 1));
  return eligible.filter(
    (candidate) => !tried.has(candidate) && draft.refusal(candidate, 'Underutilized') === undefined,
  );
}

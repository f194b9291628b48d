/** Nodes that cost more than they earn: the set of them that saves most beyond its moving costs. */
import type { Candidate } from '../sets/candidates.js';
import { Consolidation, type Proposal } from '../sets/consolidation.js';
import { POINTS, proposedSets } from './proposed-sets.js';
import type { Draft } from '../draft.js';
import { keptCondition, NEVER_DUE, type Method } from '../method.js';
import { CONSOLIDATION_TEXTS, type ConsolidationRefusal } from '../sets/consolidation-refusals.js';
import { consolidationRefusal, quietSince, type ConsolidationTermsRefusal } from './consolidation-terms.js';
import { workOf } from '../sets/simulator.js';
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
    if (byTerms !== undefined) return byTerms;
    const { minimumLifeSeconds } = pool.disruption.economics;
    const until = candidate.node.createdAt + minimumLifeSeconds * 1000;
    // A node whose object is new by another clock than ours is not protected by that.
    if (minimumLifeSeconds > 0 && until > input.now) return { code: 'TooYoung', nodePool: pool.name, until };
    return candidate.node.hourlyPrice === undefined ? { code: 'UnknownPrice' } : undefined;
  },
  refusals: CONSOLIDATION_TEXTS,
  decide: (draft) => {
    draft.steerable = steerable(draft);
    draft.emptying = emptying(draft);
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

/** Nodes that should empty out at most: pods of each of them are written to. */
const MOST_EMPTYING = 50;

/**
 * Nodes that should empty out by themselves, as pods end: those that are due for another reason and could not go yet, then those
 * that were chosen before, so that the choice changes seldom, then those that cost most for what their evictions weigh. What budgets
 * do not let go together is no goal yet (Karpenter: pod deletion cost). A node that is not quiet yet should go all the same.
 */
function emptying({ input, candidates, outdated, nodes }: Draft): readonly string[] {
  if (input.only !== undefined) return [];
  const isDue = ({ name }: Candidate): number => Number(outdated.has(name));
  const wanted = candidates.all().filter((candidate) => {
    if (candidate.pods.length === 0 || isDue(candidate) === 1) return candidate.pods.length > 0;
    const refusal = candidates.refusal(candidate, consolidation);
    return refusal === undefined || refusal.code === 'NotQuiet';
  });
  const taken = nodes.fork();
  const standing = (candidate: Candidate): number => 2 * isDue(candidate) + Number(candidate.node.emptying);
  return byDensity(wanted)
    .sort((left, right) => standing(right) - standing(left))
    .filter(({ node }) => {
      if (taken.refusal(consolidation, node) !== undefined) return false;
      taken.take(node);
      return true;
    })
    .slice(0, MOST_EMPTYING)
    .map(({ name }) => name);
}

/**
 * The set of nodes that saves most beyond its moving costs; where no set does, nodes alone, as many as the work allows. Answers
 * where the next pass continues: with nodes alone until each was tried since the last that paid, then with sets again.
 */
function consolidate(draft: Draft): string {
  const sorted = eligibleNodes(draft);
  if (sorted.length === 0 || draft.simulator.isSpent) return lookAgain(draft, sorted);
  const rehearsal = REHEARSALS.get(draft.input.cursor);
  if (rehearsal !== undefined && !draft.simulator.isSmall(workOfCurve(draft), SMALL_SHARE)) {
    const admitted = admittedNodes(draft, sorted);
    proposedSets(draft, consolidation, { eligible: sorted, admitted, points: rehearsal.points });
    refuseUntried(draft, sorted);
    return rehearsal.next;
  }
  const round = roundOf(draft, sorted);
  const search = searchOf(draft);
  const isKnown = round.isBegun ? new Set<Candidate>() : removeSet(draft, search, sorted);
  const cursor = isKnown === undefined ? '' : removeAlone(draft, search, round, isKnown);
  refuseUntried(
    draft,
    sorted.filter((candidate) => !search.wasTried(candidate)),
  );
  return cursor;
}

/** Where there was no work left to begin with, or nothing to look at: the next pass continues as this one would have. */
function lookAgain(draft: Draft, eligible: readonly Candidate[]): string {
  refuseUntried(draft, eligible);
  return eligible.length === 0 ? '' : draft.input.cursor;
}

function refuseUntried(draft: Draft, candidates: readonly Candidate[]): void {
  for (const candidate of candidates)
    if (!draft.isRefused(candidate, consolidation))
      draft.refuse(candidate, consolidation, { code: 'NotLookedAt' });
}

function searchOf(draft: Draft): Consolidation {
  return new Consolidation({
    options: draft.options,
    now: draft.input.now,
    candidates: draft.candidates,
    offers: new Map(draft.input.cluster.pools.map((offer) => [offer.pool.name, offer])),
    view: draft.view,
    simulator: draft.simulator,
    closed: draft.unsteady,
    refuse: (candidate, refusal) => {
      draft.refuse(candidate, consolidation, refusal);
    },
  });
}

/** Cursors that are no node's name: where sets took all the work, the next pass begins with nodes alone. */
const FROM_THE_START = '*';
const FROM_CURVE = '*curve';
const FROM_SETS = '*sets';
/** Of the first pass that a process asks for. */
export const FIRST_PASS = '*first';

/**
 * Passes of a large cluster before the first that plans: what runs the first time takes two to three times as long, as its code is not
 * compiled yet, so that one pass compiles the cluster, and one draws the whole curve.
 */
const REHEARSALS: ReadonlyMap<string, { readonly points: number; readonly next: string }> = new Map([
  [FIRST_PASS, { points: 1, next: FROM_CURVE }],
  [FROM_CURVE, { points: POINTS, next: FROM_SETS }],
]);
/** Share of a pass's work from which the curve of a cluster is large. */
const SMALL_SHARE = 1 / 4;

/** Nodes that are tried alone, one after the other, over as many passes as it takes. */
interface Round {
  /** Those that are left to try, and all others after them. */
  readonly nodes: readonly Candidate[];
  readonly left: number;
  /** Whether sets were tried when it began, and nodes are left. */
  readonly isBegun: boolean;
  /** Whether some node of it paid, so that sets may pay again. */
  readonly hasPaid: boolean;
}

/** The cursor is the node tried last and, once some node of the round has paid, how many are left to try. */
function roundOf({ input: { cursor, only } }: Draft, sorted: readonly Candidate[]): Round {
  const isAlone = only === undefined && cursor !== FROM_SETS && !REHEARSALS.has(cursor);
  const [last = '', count] = isAlone ? cursor.split(' ') : [];
  const next = sorted.findIndex(({ name }) => name === last) + 1;
  const left = count === undefined ? sorted.length - next : Math.min(Number(count), sorted.length);
  return {
    nodes: [...sorted.slice(next), ...sorted.slice(0, next)],
    left,
    isBegun: last !== '' && left > 0,
    hasPaid: count !== undefined,
  };
}

/** Removes the set that saves most; where none saves, answers the nodes that are known not to pay alone. */
function removeSet(
  draft: Draft,
  search: Consolidation,
  eligible: readonly Candidate[],
): ReadonlySet<Candidate> | undefined {
  const admitted = admittedNodes(draft, eligible);
  if (admitted.length === 0) return new Set();
  const proposal = search.best(proposedSets(draft, consolidation, { eligible, admitted, points: POINTS }));
  draft.simulator.spend(workOfCurve(draft));
  if (proposal === undefined) return new Set(admitted.length === 1 ? admitted : []);
  carryOut(draft, proposal, eligible.length);
  return undefined;
}

/** Units of work of the curve: about those of a plan that places all pods. It is counted after the sets, so that these are planned. */
function workOfCurve({ input: { cluster } }: Draft): number {
  return workOf(cluster.nodes.length, cluster.pods.length);
}

/** Removes nodes alone that pay, each from the cluster that those before it leave; answers the cursor. */
function removeAlone(
  draft: Draft,
  search: Consolidation,
  round: Round,
  isKnown: ReadonlySet<Candidate>,
): string {
  const { simulator } = draft;
  let { left, hasPaid } = round;
  let last = '';
  const cursor = (): string => (hasPaid ? `${last} ${String(left)}` : last);
  for (const candidate of round.nodes.slice(0, round.left)) {
    if (simulator.isSpent) return last === '' ? FROM_THE_START : cursor();
    last = candidate.name;
    left--;
    const current = draft.candidates.again(candidate);
    if (isKnown.has(candidate) || draft.refusal(current, consolidation) !== undefined) continue;
    const proposal = search.single(current);
    if (proposal === undefined) continue;
    carryOut(draft, proposal, round.nodes.length);
    left = round.nodes.length - 1;
    hasPaid = true;
  }
  return hasPaid && last !== '' ? cursor() : '';
}

function carryOut(draft: Draft, proposal: Proposal, eligible: number): void {
  const considered = `${String(eligible)} nodes were eligible; ${String(draft.simulator.made)} plans were evaluated`;
  draft.carryOut(consolidation, proposal.candidates, { ...proposal, considered });
}

/** Nodes that may be consolidated, budgets apart: first those that cost most for what moving their pods weighs. */
function eligibleNodes(draft: Draft): readonly Candidate[] {
  const eligible = draft.candidates.all().filter((candidate) => {
    if (candidate.pods.length === 0) return false;
    const refusal = draft.candidates.refusal(candidate, consolidation);
    if (refusal !== undefined) draft.refuse(candidate, consolidation, refusal);
    return refusal === undefined;
  });
  return byDensity(eligible);
}

/** First those that cost most for what moving their pods weighs. */
function byDensity(candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, density: density(candidate) }))
    .sort((left, right) => right.density - left.density)
    .map(({ candidate }) => candidate);
}

/** USD/h per eviction. */
function density({ price, evictions, life }: Candidate): number {
  return price / (1 + evictions * life);
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

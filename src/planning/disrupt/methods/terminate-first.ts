/**
 * Nodes that go before what replaces them is launched, because there is never room for both, where their pool allows it
 * (berth.terminateFirst; Karpenter: TerminateFirstDrift).
 */
import { CAPACITY_RESERVATION_ID, NODEPOOL } from '../../../domain/values/labels.js';
import type { Plan } from '../../plan.js';
import type { Draft, Instead } from '../draft.js';
import type { TerminateFirstReason } from '../question/disruption.js';
import type { RuleRefusal } from '../question/refusal.js';
import type { Candidate } from '../sets/candidates.js';
import { isReplaceableOnceGone, planElsewhere, type Replan } from './replan.js';

/**
 * What becomes of the node's pods when it goes first, or why it cannot yet; undefined where it need not, or must not.
 *
 * @param made what would come in its place before it goes.
 */
export function terminatingFirst(
  draft: Draft,
  candidate: Candidate,
  closed: ReadonlySet<string>,
  made: Replan,
): Instead | RuleRefusal | undefined {
  const { candidates, input } = draft;
  const { name, node } = candidate;
  const { nodePool } = node;
  if (made === undefined || candidates.terms(nodePool)?.terminateFirst !== true) return undefined;
  const labels = input.cluster.nodes.find((each) => each.name === name)?.labels;
  const reservation = labels?.get(CAPACITY_RESERVATION_ID);
  const going = { candidate, closed, reservation };
  const first =
    'refusal' in made
      ? ofStaticPool(draft, { ...going, code: made.refusal.code })
      : ofReservation(draft, { ...going, plan: made.plan });
  if (first === undefined || 'code' in first) return first;
  return isWhole(draft, nodePool) ? first : { code: 'NodesMissing', nodePool };
}

/**
 * Budgets count nodes that are there: those that went first before, and whose replacement is on its way, are not. A replacement without an
 * instance is not among the managed nodes yet.
 */
function isWhole({ input, candidates }: Draft, nodePool: string): boolean {
  const there = input.nodes.filter((node) => node.nodePool === nodePool);
  const wanted = candidates.pool(nodePool)?.replicas ?? 0;
  const isLaunching = input.cluster.nodes.some(
    ({ providerID, labels }) => providerID === undefined && labels.get(NODEPOOL) === nodePool,
  );
  return (
    !isLaunching &&
    there.length >= wanted &&
    there.every(({ initialized, ready, leaving }) => initialized && ready && !leaving)
  );
}

interface Going {
  readonly candidate: Candidate;
  readonly closed: ReadonlySet<string>;
  /** The capacity reservation that the node is in. */
  readonly reservation: string | undefined;
}

/** The pool launches another as soon as the node is gone, if it can: else there would be a node less for good. */
function ofStaticPool(
  draft: Draft,
  { candidate, closed, reservation, code }: Going & { readonly code: string },
): Instead | undefined {
  const why =
    code === 'StaticPoolFull'
      ? 'static-at-limit'
      : code === 'NoReplica' && reservation !== undefined
        ? 'no-reserved-capacity'
        : undefined;
  if (why === undefined || !isReplaceableOnceGone(draft, candidate, reservation)) return undefined;
  const elsewhere = planElsewhere(draft, candidate, closed);
  return elsewhere && onNodes(elsewhere.plan, why);
}

/**
 * Pods without a place have one once the node's instance has left the reservation. While other pods wait for room in it, as those of a node
 * that went first do until it is replaced, the node leaves them what there is, and does not go.
 */
function ofReservation(
  draft: Draft,
  { candidate, closed, reservation, plan }: Going & { readonly plan: Plan },
): Instead | RuleRefusal | undefined {
  const isPlaced = plan.unschedulable.length === 0;
  if (reservation === undefined || (isPlaced && !isIn(reservation, plan))) return undefined;
  const { simulator, view } = draft;
  if (view.hasWaiting) {
    const waiting = simulator.plan(view.waitingForReservation(candidate.name, closed, reservation));
    if (waiting === undefined) return { code: 'NotLookedAt' };
    if (isIn(reservation, waiting)) return { code: 'NodesMissing', nodePool: candidate.node.nodePool };
  }
  if (isPlaced) return undefined;
  const after = simulator.plan(view.withRoomInReservation(candidate.name, closed, reservation));
  if (after === undefined || after.unschedulable.length > 0) return undefined;
  return onNodes(after, 'no-reserved-capacity');
}

/** Whether the plan launches anything in the reservation. */
function isIn(reservation: string, { claims }: Plan): boolean {
  return claims.some(({ chosenLabels }) => chosenLabels.get(CAPACITY_RESERVATION_ID) === reservation);
}

/** Nothing is launched by this: pods that are not placed on nodes wait for what comes when the node is gone. */
function onNodes({ placements }: Plan, terminateFirst: TerminateFirstReason): Instead {
  const there = placements.filter(({ target }) => target.kind === 'Node');
  return { claims: [], placements: there, considered: '', terminateFirst };
}

/** Nodes that are replaced whether or not it saves: those that must go at once, those that drifted or expired. */
import type { Candidate } from './candidates.js';
import type { DisruptionInput, ManagedNode } from './disruption.js';
import { NOTHING_INSTEAD, type Draft } from './draft.js';
import { noPlace } from './simulator.js';
import { byReason } from './urgency.js';

/** A node with the reason for which it goes. */
interface Due<Reason> {
  readonly candidate: Candidate;
  readonly reason: Reason;
}

type ForcedReason = 'Interrupted' | 'Unhealthy' | 'Expired';

/**
 * Nodes that go whatever budgets and pods say, one command for each; a pod without a place is told and left to
 * provisioning. Demand gets the room that is there before them.
 */
export function removeForced(draft: Draft): void {
  const due = draft.candidates.all().flatMap((candidate): readonly Due<ForcedReason>[] => {
    const reason = forcedReason(draft, candidate);
    return reason === undefined ? [] : [{ candidate, reason }];
  });
  const doomed = new Set(due.map(({ candidate }) => candidate.name));
  const { view, simulator } = draft;
  const demand = view.hasDemand ? simulator.plan(view.withDemand(doomed)) : undefined;
  if (demand !== undefined) view.bindDemand(demand);
  for (const { candidate, reason } of due.sort(byReason)) {
    const plan = simulator.plan(view.without(new Set([candidate.name]), doomed));
    const considered = plan === undefined ? 'the work budget was used up' : '';
    draft.carryOut(reason, [draft.candidates.again(candidate)], { ...(plan ?? NOTHING_INSTEAD), considered });
  }
}

/** Karpenter: expiration is forceful. A frozen pool's nodes are left, for nothing could come instead. */
function forcedReason(draft: Draft, candidate: Candidate): ForcedReason | undefined {
  const { input, candidates } = draft;
  const { node } = candidate;
  if (node.forced !== undefined) return node.forced;
  if (!isExpired(node, input.now) || candidates.isExpirationBudgeted(node)) return undefined;
  if (candidates.pool(node.nodePool) !== undefined) return 'Expired';
  draft.refuse(candidate, 'Expired', candidates.frozen(node.nodePool));
  return undefined;
}

function isExpired({ expiresAt }: ManagedNode, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Names of all nodes that drifted or expired, candidates or not. */
function outdated({ nodes, now }: DisruptionInput): readonly string[] {
  return nodes.filter((node) => node.drifted !== undefined || isExpired(node, now)).map(({ name }) => name);
}

/**
 * Drift, and expiration that waits for budgets: one node after the other, the oldest first, each with its replacement
 * planned. Their pods do not go where they would have to leave again.
 */
export function replaceOutdated(draft: Draft): void {
  const due = draft.candidates.all().flatMap((candidate): readonly Due<'Expired' | 'Drifted'>[] => {
    const { node } = candidate;
    if (isExpired(node, draft.input.now) && draft.candidates.isExpirationBudgeted(node))
      return [{ candidate, reason: 'Expired' }];
    return node.drifted === undefined ? [] : [{ candidate, reason: 'Drifted' }];
  });
  const closed = new Set([...draft.unsteady, ...outdated(draft.input)]);
  for (const { candidate, reason } of due.sort(
    (left, right) => byReason(left, right) || byAge(left, right),
  )) {
    const current = draft.candidates.again(candidate);
    const refusal = draft.refusal(current, reason);
    if (refusal !== undefined) draft.refuse(current, reason, refusal);
    else replace(draft, { candidate: current, reason }, closed);
  }
}

function byAge({ candidate: left }: Due<unknown>, { candidate: right }: Due<unknown>): number {
  return since(left) - since(right);
}

function since({ node: { drifted, expiresAt, createdAt } }: Candidate): number {
  return drifted?.since ?? expiresAt ?? createdAt;
}

function replace(
  draft: Draft,
  { candidate, reason }: Due<'Expired' | 'Drifted'>,
  closed: ReadonlySet<string>,
): void {
  const plan = draft.simulator.plan(draft.view.without(new Set([candidate.name]), closed));
  const [unplaced] = plan?.unschedulable ?? [];
  if (plan === undefined) draft.refuse(candidate, reason, { code: 'NotLookedAt' });
  else if (unplaced !== undefined) draft.refuse(candidate, reason, noPlace(unplaced));
  else draft.carryOut(reason, [candidate], { ...plan, considered: '' });
}

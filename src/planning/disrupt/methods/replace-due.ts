/** Nodes that are replaced whether or not it saves. */
import type { Candidate } from '../sets/candidates.js';
import { NOTHING_INSTEAD, type Draft } from '../draft.js';
import type { Plan } from '../../plan.js';
import type { Method } from '../method.js';
import { noPlace } from '../sets/simulator.js';
import { planElsewhere, replan } from './replan.js';
import type { Refusal, RuleRefusal } from '../question/refusal.js';
import { terminatingFirst } from './terminate-first.js';

/** Why a node waits that neither goes whatever happens nor is held by a rule of all methods. */
type Held = (candidate: Candidate) => Refusal | undefined;

/** The nodes that the method finds due: those that go whatever happens first, then the others: empty ones, then the oldest. */
export function replaceDue(draft: Draft, method: Method, held: Held = () => undefined): void {
  for (const candidate of draft.dueOf(method)) {
    if (!draft.isForced(candidate, method)) continue;
    const refusal = method.budgetReason === undefined ? undefined : draft.budgetRefusal(candidate, method);
    if (refusal !== undefined) draft.refuse(candidate, method, refusal);
    else if (method.reboots?.(candidate.node) === true) reboot(draft, method, candidate);
    else force(draft, method, candidate);
  }
  const { outdated, unsteady } = draft;
  const closed = new Set([...unsteady, ...outdated]);
  const others = draft.dueOf(method).filter((candidate) => !draft.isForced(candidate, method));
  for (const candidate of emptyFirst(others)) {
    const refusal = held(candidate);
    if (refusal === undefined) replace(draft, method, candidate, closed);
    else draft.refuse(candidate, method, refusal);
  }
}

/** What budgets allow is first for nodes that no pod has to leave (Karpenter). */
function emptyFirst(due: readonly Candidate[]): readonly Candidate[] {
  return [...due].sort((one, other) => Number(one.pods.length > 0) - Number(other.pods.length > 0));
}

/** A zone that traffic is moved away from may be what ails its nodes: rebooting them there does not help (Karpenter). */
function reboot(draft: Draft, method: Method, candidate: Candidate): void {
  const shift: RuleRefusal = { code: 'ZonalShift', zones: [...(draft.input.shiftedZones ?? [])].sort() };
  if (candidate.node.shifted === true) draft.refuse(candidate, method, shift);
  else draft.reboot(method, candidate);
}

/**
 * A pod without a place is named and left to provisioning. Where no work is left to look for places, a node that has time is first in
 * the next pass, which comes soon, unless this one would have been the first: the next pass might get no further.
 */
function force(draft: Draft, method: Method, candidate: Candidate): void {
  const plan = method.isUrgent ? planInTime(draft, candidate) : planToStay(draft, candidate);
  if (plan === undefined && !method.isUrgent && draft.commands.length > 0) {
    draft.refuse(candidate, method, { code: 'NotLookedAt' });
    return;
  }
  const considered = plan === undefined ? 'the work budget was used up' : '';
  draft.carryOut(method, [draft.candidates.again(candidate)], { ...(plan ?? NOTHING_INSTEAD), considered });
}

/**
 * Where pods have no place while topology spread counts those that leave other nodes, they may have one that opens once these have left
 * what the cloud takes back as well: it does within minutes, and a pod that is planned only then comes too late.
 */
function planInTime(draft: Draft, candidate: Candidate): Plan | undefined {
  const { doomed } = draft.candidates;
  const now = planInstead(draft, candidate, doomed);
  if (now === undefined || now.unschedulable.length === 0) return now;
  const { takenBack } = draft;
  if (!draft.view.isBeingLeft(takenBack)) return now;
  const soon = planInstead(draft, candidate, doomed, takenBack);
  return soon === undefined || soon.unschedulable.length >= now.unschedulable.length ? now : soon;
}

/** Where there is time to launch nodes, pods go where they would have to leave again only if more of them have a place then. */
function planToStay(draft: Draft, candidate: Candidate): Plan | undefined {
  const { outdated } = draft;
  const { doomed } = draft.candidates;
  const staying = planInstead(draft, candidate, outdated);
  // What is doomed is outdated: with nothing else outdated it would be the same plan again.
  if (staying?.unschedulable.length === 0 || outdated.size === doomed.size) return staying;
  const other = planInstead(draft, candidate, doomed);
  if (staying === undefined || other === undefined) return staying ?? other;
  return staying.unschedulable.length <= other.unschedulable.length ? staying : other;
}

/** Without another node of its static pool where there can be none; undefined when no work is left. */
function planInstead(
  draft: Draft,
  candidate: Candidate,
  closed: ReadonlySet<string>,
  emptied?: ReadonlySet<string>,
): Plan | undefined {
  const first = replan(draft, candidate, closed, emptied);
  const hasNoReplica = first !== undefined && 'refusal' in first;
  const made = hasNoReplica ? planElsewhere(draft, candidate, closed, emptied) : first;
  return made?.plan;
}

/** Its replacement is planned with it, unless it goes first. Its pods do not go where they would have to leave again. */
function replace(draft: Draft, method: Method, candidate: Candidate, closed: ReadonlySet<string>): void {
  const current = draft.candidates.again(candidate);
  const refusal = draft.refusal(current, method);
  if (refusal !== undefined) {
    draft.refuse(current, method, refusal);
    return;
  }
  const instead = replan(draft, current, closed);
  const first = terminatingFirst(draft, current, closed, instead);
  if (first !== undefined && 'code' in first) draft.refuse(current, method, first);
  else if (first !== undefined) draft.carryOut(method, [current], first);
  else if (instead === undefined) draft.refuse(current, method, { code: 'NotLookedAt' });
  else if ('refusal' in instead) draft.refuse(current, method, instead.refusal);
  else {
    const [unplaced] = instead.plan.unschedulable;
    if (unplaced !== undefined) draft.refuse(current, method, noPlace(unplaced));
    else draft.carryOut(method, [current], { ...instead.plan, considered: '' });
  }
}

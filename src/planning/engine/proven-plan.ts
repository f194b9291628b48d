/**
 * A plan that is proven to hold. What is refuted is planned again: first by the other ways to plan, then without the pods
 * that broke a rule, which are left out with the reason. So that an invalid plan cannot be carried out, whatever is wrong
 * with planning.
 */
import type { Plan, PlanRepair, UnschedulablePod } from '../plan.js';
import { compareText } from '../snapshot/sorted-objects.js';
import { withPodRows } from '../snapshot/snapshot-parts.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { provePlan, type Proof } from '../prove/prove-plan.js';
import type { ProofMemory } from '../prove/proof-memory.js';
import type { Refutation } from '../prove/refutation.js';

/** Times that pods are left out before all of the rest are. */
const MOST_ROUNDS = 8;

export interface WaysToPlan {
  /** The best plan first, then simpler ones for the same snapshot. */
  readonly plans: readonly (() => Plan)[];
  /** Proofs of such plans that were made already. */
  readonly proofs?: Pick<WeakMap<Plan, Proof>, 'get'>;
  /** The simplest plan of another snapshot. */
  readonly simplest: (snapshot: Snapshot) => Plan;
}

export function provenPlan(
  snapshot: Snapshot,
  memory: ProofMemory,
  { plans, proofs, simplest }: WaysToPlan,
): Plan {
  const repairs: PlanRepair[] = [];
  let refutations: readonly Refutation[] = [];
  for (const make of plans) {
    const plan = make();
    const proof = proofs?.get(plan) ?? provePlan(snapshot, plan, memory);
    if (proof.refutations.length === 0) return told(inOrder(plan, proof.after), repairs, []);
    refutations = proof.refutations;
    repairs.push(...asRepairs(refutations, 'FirstFit'));
  }
  const leftOut = new Map<string, Refutation>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    leaveOut(refutations, leftOut);
    repairs.push(...asRepairs(refutations, 'LeftOut'));
    const rest = without(snapshot, leftOut);
    const plan = simplest(rest);
    const proof = provePlan(rest, plan, memory);
    if (proof.refutations.length === 0)
      return told(inOrder(plan, proof.after), repairs, unschedulable(leftOut));
    refutations = proof.refutations;
  }
  return nothing(snapshot, repairs, refutations);
}

/** The first of each rule; a broken rule often concerns many pods. */
function asRepairs(refutations: readonly Refutation[], remedy: PlanRepair['remedy']): readonly PlanRepair[] {
  const byRule = new Map(refutations.map((refutation) => [refutation.rule, refutation]));
  return [...byRule.values()].map(({ rule, detail }) => ({ rule, detail, remedy }));
}

/** Of the pods that a refutation names the later half, so that not all go where fewer would do. */
function leaveOut(refutations: readonly Refutation[], leftOut: Map<string, Refutation>): void {
  for (const refutation of refutations) {
    const { pods } = refutation;
    for (const pod of pods.slice(Math.floor(pods.length / 2))) leftOut.set(pod, refutation);
  }
}

/** The snapshot without pending pods that are left out. */
function without(snapshot: Snapshot, leftOut: ReadonlyMap<string, Refutation>): Snapshot {
  const { keys, node } = snapshot.pods;
  const rows = [...keys.keys()].filter((row) => (node[row] ?? -1) >= 0 || !leftOut.has(keys[row] ?? ''));
  return withPodRows(snapshot, rows);
}

/** The plan with what each pod waits for. */
export function inOrder(plan: Plan, after: ReadonlyMap<string, readonly string[]>): Plan {
  if (after.size === 0) return plan;
  const placements = plan.placements.map((placement) => {
    const awaited = after.get(placement.pod);
    return awaited === undefined ? placement : { ...placement, after: awaited };
  });
  return { ...plan, placements };
}

function told(plan: Plan, repairs: readonly PlanRepair[], left: readonly UnschedulablePod[]): Plan {
  if (repairs.length === 0) return plan;
  const all = [...plan.unschedulable, ...left].sort((one, other) => compareText(one.pod, other.pod));
  // A bound is one for all pods.
  const cost = left.length === 0 ? plan.cost : { ...plan.cost, lowerBound: null };
  return { ...plan, cost, unschedulable: all, repairs };
}

function unschedulable(leftOut: ReadonlyMap<string, Refutation>): readonly UnschedulablePod[] {
  return [...leftOut].map(([pod, { rule }]) => ({
    pod,
    reasons: [{ nodePool: '', reason: { code: 'PlanRefuted', rule } }],
  }));
}

/** The plan that changes nothing: it always holds. */
function nothing(
  snapshot: Snapshot,
  repairs: readonly PlanRepair[],
  refutations: readonly Refutation[],
): Plan {
  const rule = refutations[0]?.rule ?? 'answers';
  const { keys, node } = snapshot.pods;
  const pending = keys.filter((_, row) => (node[row] ?? -1) < 0);
  const left = pending.map((pod): UnschedulablePod => {
    return { pod, reasons: [{ nodePool: '', reason: { code: 'PlanRefuted', rule } }] };
  });
  const cost = { hourly: 0, lowerBound: null, existingHourly: 0 };
  return {
    placements: [],
    claims: [],
    unschedulable: left.sort((a, b) => compareText(a.pod, b.pod)),
    cost,
    repairs,
  };
}

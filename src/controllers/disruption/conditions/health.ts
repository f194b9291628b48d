/** Node repair: whether a node is in a condition that a repair policy calls bad, and until when that is tolerated. */
import { lastRebootEnd, mayReboot } from '../../../domain/nodes/claim-reboot.js';
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { NodeCondition, ObservedNode } from '../../../domain/nodes/observed-node.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import { isPolicyFor, type Repair, type RepairPolicy } from '../../../domain/policies/repair-policy.js';

export interface Ailment {
  readonly condition: NodeCondition;
  /** End of its toleration duration, in milliseconds since 1970; Infinity where the node does not say since when. */
  readonly until: number;
  readonly policy: RepairPolicy;
}

/** A node with its claim. */
export interface Patient {
  readonly node: ObservedNode;
  readonly claim: Pick<NodeClaim, 'status'>;
}

/** The policies for the nodes of a pool: its own, then those of the cloud for what its own say nothing about. */
export function repairPoliciesFor(
  pool: NodePool | undefined,
  ofCloud: readonly RepairPolicy[],
): readonly RepairPolicy[] {
  const own = pool?.disruption.repairPolicies ?? [];
  return own.length === 0 ? ofCloud : [...own, ...ofCloud];
}

/**
 * The bad condition of a node that counts at this time; undefined for a healthy node. Of those whose toleration has ended the one
 * for which it is replaced rather than rebooted, then the one with the highest priority; while there is none the one whose
 * toleration ends first (Karpenter).
 */
export function ailmentOf(
  patient: Patient,
  policies: readonly RepairPolicy[],
  now: number,
): Ailment | undefined {
  return foremost(ailmentsOf(patient, policies), now);
}

const MOST_PRIORITY = 100;

function foremost(ailments: readonly Ailment[], now: number): Ailment | undefined {
  if (ailments.length < 2) return ailments[0];
  const due = ailments.filter(({ until }) => until <= now);
  // A replacement is worth more than any priority.
  const priorityOf = ({ policy: { action, priority } }: Ailment): number =>
    due.length === 0 ? 0 : priority + (action === 'Replace' ? MOST_PRIORITY + 1 : 0);
  return [...(due.length === 0 ? ailments : due)].sort(
    (one, other) =>
      priorityOf(other) - priorityOf(one) ||
      (one.until === other.until ? 0 : one.until - other.until) ||
      (one.condition.type < other.condition.type ? -1 : 1),
  )[0];
}

/**
 * What the policies say of a node that they call unhealthy now, however short a time it has been so: the brake counts it at once
 * (Karpenter: areNodesHealthy). The shortest bound of the conditions whose toleration has ended holds. A node that was rebooted too
 * often, or is being replaced, is replaced. undefined for a healthy node.
 */
export function repairOf(
  patient: Patient,
  policies: readonly RepairPolicy[],
  now: number,
): Repair | undefined {
  const ailments = ailmentsOf(patient, policies);
  const first = foremost(ailments, now);
  if (first === undefined) return undefined;
  const bounds = ailments
    .filter(({ until }) => until <= now)
    .flatMap(({ policy }) => policy.terminationGracePeriodSeconds ?? []);
  return {
    priority: first.policy.priority,
    action: mayReboot(patient.claim, now) ? first.policy.action : 'Replace',
    terminationGracePeriodSeconds: bounds.length === 0 ? undefined : Math.min(...bounds),
  };
}

/** Most nodes are healthy: nothing is made for them. */
const HEALTHY: readonly Ailment[] = [];

/** What a node says may be as old as it was before it was rebooted: toleration begins again at the end of that. */
function ailmentsOf(
  { node: { conditions, createdAt }, claim }: Patient,
  policies: readonly RepairPolicy[],
): readonly Ailment[] {
  const oldest = Math.max(createdAt, lastRebootEnd(claim) ?? -Infinity);
  let found: Ailment[] | undefined;
  for (const condition of conditions) {
    const policy = policies.find((each) => isPolicyFor(each, condition));
    if (policy?.tolerationSeconds === undefined) continue;
    const since = Math.max(condition.since ?? Infinity, oldest);
    found ??= [];
    found.push({ condition, until: since + policy.tolerationSeconds * 1000, policy });
  }
  return found ?? HEALTHY;
}

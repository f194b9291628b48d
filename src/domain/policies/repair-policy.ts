/** Repair policies: which conditions of nodes are bad, how long each is borne, and how a node in it is drained. */
import type { Condition } from '../values/condition.js';

/** What is done about an unhealthy node: another one in its place, or the same instance booted again (Karpenter: ReplaceNode, RebootNode). */
export const REPAIR_ACTIONS = ['Replace', 'Reboot'] as const;
export type RepairAction = (typeof REPAIR_ACTIONS)[number];

/** One policy; the first of a list that matches a condition is the one that counts (Karpenter: RepairPolicy). */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: Condition['status'];
  /** Reasons of the condition that it is for; a `*` at the end stands for any characters. undefined: every reason. */
  readonly reasons: readonly string[] | undefined;
  /** How long a node may be in the condition, in seconds; undefined: forever, so that it is not called unhealthy. */
  readonly tolerationSeconds: number | undefined;
  /** Most seconds that its pods may take to leave it; undefined: as long as its NodeClaim allows. */
  readonly terminationGracePeriodSeconds: number | undefined;
  /** 0 to 100; of several unhealthy nodes the one with the highest goes first. */
  readonly priority: number;
  readonly action: RepairAction;
}

/** What a policy says of a node that it calls unhealthy. */
export type Repair = Pick<RepairPolicy, 'priority' | 'terminationGracePeriodSeconds' | 'action'>;

/** The policies of a list, those for certain reasons before those for every reason, which are for what is left. */
export function specificFirst(policies: readonly RepairPolicy[]): readonly RepairPolicy[] {
  return [
    ...policies.filter(({ reasons }) => reasons !== undefined),
    ...policies.filter(({ reasons }) => reasons === undefined),
  ];
}

/** Whether the policy is for this condition as it is. */
export function isPolicyFor(
  { conditionType, conditionStatus, reasons }: RepairPolicy,
  { type, status, reason }: Pick<Condition, 'type' | 'status' | 'reason'>,
): boolean {
  if (conditionType !== type || conditionStatus !== status) return false;
  return reasons === undefined || reasons.some((wanted) => isReason(wanted, reason));
}

function isReason(wanted: string, reason: string): boolean {
  return wanted.endsWith('*') ? reason.startsWith(wanted.slice(0, -1)) : reason === wanted;
}

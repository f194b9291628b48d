/**
 * Why a node is refused, in words that never change: kube-scheduler writes them into the pod's condition, and a text
 * that differs from the last one wakes the pod, which asks again, without end.
 */
export const REFUSALS = {
  /** The pod's room is on a node that is not there or not usable yet, or is being written. */
  notReady: 'berth: its planned node is not ready yet',
  /** The pod's node is usable, but kube-scheduler did not ask for it, or the room held there is not enough. */
  notOffered: 'berth: its planned node was not offered',
  /** Another node than the one that the pod is answered. */
  plannedElsewhere: 'berth: it is planned for another node',
  /** Fewer members of its gang could be bound now than are of use. */
  gangWaits: 'berth: it waits for the rest of its gang',
  /** A pod that must be bound before it, by the plan, is not. */
  orderWaits: 'berth: it waits for another pod to be bound',
  reserved: 'berth: the room left is reserved for other pods',
  leaving: 'berth: the node is being removed',
  daemonRoom: 'berth: the room left is kept for DaemonSet pods',
} as const;

export type Refusal = keyof typeof REFUSALS;

/** Whether evicting pods from the node could change the answer (FailedNodes); otherwise FailedAndUnresolvableNodes. */
export function isResolvable(refusal: Refusal): boolean {
  return refusal === 'reserved' || refusal === 'daemonRoom';
}

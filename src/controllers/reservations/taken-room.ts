/** Room that is held on a node and was taken by others: what is held there no more, and who took it. */
import { listed } from '../../domain/values/text.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isBoundToItsNode } from '../../domain/pods/movable-pods.js';
import { isFinished } from '../../domain/pods/pod.js';
import { podKey } from '../../domain/pods/pod.js';
import type { ReservationEntry } from '../../domain/records/reservation.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { NewDecision } from '../../ports/recorder.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { TargetState } from '../../state/nodes/node-state.js';

/** Entries of a reservation, by whether their room is still there. */
export interface RoomLeft {
  readonly kept: readonly ReservationEntry[];
  /** Entries whose pods have to be planned again; of an owner's entry, what its count was lowered by. */
  readonly displaced: readonly ReservationEntry[];
}

/**
 * Of the entries for pods that are still to come those that fit on the node beside the pods that are bound to it; the least
 * important give way. While a node is not usable its room is as it was planned, unless pods are there that tolerate its taints.
 * Resources that it does not report (yet) are not counted: devices may be on their way.
 */
export function roomLeft(
  cluster: Cluster,
  { node, isUsable }: TargetState,
  entries: readonly ReservationEntry[],
): RoomLeft {
  const pods = node === undefined ? [] : cluster.podsOn(node.name).filter((pod) => !isFinished(pod));
  if (node === undefined || !(isUsable || pods.some((pod) => !isBoundToItsNode(pod))))
    return { kept: entries, displaced: [] };
  const free = new Map([...node.allocatable].filter(([, amount]) => amount > 0));
  for (const { spec } of pods) take(free, spec.requests);
  const kept = new Map<ReservationEntry, number>();
  for (const entry of [...entries].sort((one, other) => other.priority - one.priority)) {
    let count = 0;
    while (count < entry.count && fits(free, entry.requests)) {
      take(free, entry.requests);
      count++;
    }
    kept.set(entry, count);
  }
  const left = entries.map((entry) => withCount(entry, kept.get(entry) ?? 0));
  const lost = entries.map((entry) => withCount(entry, entry.count - (kept.get(entry) ?? 0)));
  const isSome = ({ count }: ReservationEntry): boolean => count > 0;
  return { kept: left.filter(isSome), displaced: lost.filter(isSome) };
}

/** The same entry where nothing changes. */
function withCount(entry: ReservationEntry, count: number): ReservationEntry {
  return count === entry.count ? entry : { ...entry, count };
}

function take(free: Map<string, number>, requests: ResourceList): void {
  for (const [resource, amount] of requests) {
    const left = free.get(resource);
    if (left !== undefined) free.set(resource, left - amount);
  }
}

function fits(free: ResourceList, requests: ResourceList): boolean {
  for (const [resource, amount] of requests) if (amount > (free.get(resource) ?? Infinity)) return false;
  return true;
}

/** Who bound a pod that took room which was held for others. */
export type TakenBy = 'daemon-set' | 'kubelet' | 'other-scheduler' | 'own-scheduler';

export function takenBy({ mirror, owner, spec }: ObservedPod, schedulers: readonly string[]): TakenBy {
  if (mirror || owner?.kind === 'Node') return 'kubelet';
  if (owner?.kind === 'DaemonSet') return 'daemon-set';
  return schedulers.includes(spec.schedulerName) ? 'own-scheduler' : 'other-scheduler';
}

/** Pods named in a message. */
const FEW = 3;

/** What is recorded of a pod that took room which was held for others. */
export function takenDecision(
  taker: ObservedPod,
  nodeName: string,
  displaced: readonly ObservedPod[],
): NewDecision {
  const whom = displaced.length === 0 ? 'pods that are still to come' : listed(displaced.map(podKey), FEW);
  const next = displaced.length === 1 ? 'it is planned again' : 'they are planned again';
  const { namespace, name, uid, spec } = taker;
  return {
    subject: { kind: 'Pod', namespace, name, uid },
    action: 'Place',
    reason: 'RoomTaken',
    message: `bound by ${spec.schedulerName} to ${nodeName}, into room that was held for ${whom}; ${next}`,
    trigger: 'bind',
    considered: '',
    saving: undefined,
    related: [
      { kind: 'Node', namespace: '', name: nodeName },
      ...displaced.slice(0, FEW).map((pod) => ({ kind: 'Pod', namespace: pod.namespace, name: pod.name })),
    ],
    event: { type: 'Warning', reason: 'RoomTaken' },
  };
}

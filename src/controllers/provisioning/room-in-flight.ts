/**
 * Room that is on its way for less important pods goes to more important ones that would have no place for want of capacity.
 * Nothing runs there yet, so no pod is evicted; the pods that give way want a place again, and are planned with the next
 * batch. Where a node is usable already its pods are about to be bound, and preempting them is kube-scheduler's.
 */
import { podKey } from '../../domain/pods/pod.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import {
  reservationName,
  type Reservation,
  type ReservationEntry,
} from '../../domain/records/reservation.js';
import type { Plan, UnschedulablePod } from '../../planning/plan.js';
import type { ReasonCode } from '../../planning/reason.js';
import type { Planner, PlanQuestion } from '../../ports/planner.js';
import type { Logger } from '../../ports/logger.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { targetState } from '../../state/nodes/node-state.js';
import { plannedTarget } from '../../state/planning/plan-input.js';
import type { ClusterWriter } from '../cluster-writer.js';
import { entryFor, stillWants } from './carry-out.js';
import type { RefusedPod } from './refusals.js';

export interface RoomInFlightOptions {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  readonly planner: Planner;
  readonly logger: Logger;
}

/** An entry that may give way, with its pod. */
interface Yielding {
  readonly reservation: Reservation;
  readonly entry: ReservationEntry;
  readonly pod: ObservedPod;
}

/** Room of one reservation that goes to other pods. */
interface Handover {
  readonly reservation: Reservation;
  readonly pods: readonly ObservedPod[];
  readonly yielding: readonly Yielding[];
}

/** There would be a place if there were more of it. */
const SHORTAGES: readonly ReasonCode[] = ['LimitReached', 'OutOfStock'];

/**
 * Gives room in flight to refused pods, the most important first. Answers the pods that have no place still.
 * @throws PortError, when there is no plan or it cannot be written: what is written by then holds.
 */
export async function takeRoomInFlight(
  options: RoomInFlightOptions,
  { question, refused }: { readonly question: PlanQuestion; readonly refused: readonly RefusedPod[] },
  signal: AbortSignal,
): Promise<readonly RefusedPod[]> {
  const short = refused.filter(({ pod, answer }) => pod.gang === undefined && isShort(answer));
  const inFlight = short.length === 0 ? [] : yieldingEntries(options.cluster);
  const least = Math.min(...inFlight.map(({ entry }) => entry.priority));
  const levels = new Set(short.map(({ pod }) => pod.spec.priority).filter((priority) => priority > least));
  for (const level of [...levels].sort((one, other) => other - one)) {
    // Less important than all that are asked for: a pod never gives way to its equal.
    const yielding = inFlight.filter(({ entry }) => entry.priority < level);
    const demand = short.map(({ pod }) => pod).filter(({ spec }) => spec.priority >= level);
    const setAside = [...(question.setAside ?? []), ...yielding.map(({ pod }) => pod)];
    const { plan } = await options.planner.plan({ ...question, demand, setAside }, signal);
    const placed = new Set<ObservedPod>();
    for (const handover of handoversOf(options.cluster, { plan, demand, yielding }))
      for (const pod of await handOver(options, handover, signal)) placed.add(pod);
    // Pods of the levels below have their turn with those that gave way.
    if (placed.size > 0) return refused.filter(({ pod }) => !placed.has(pod));
  }
  return refused;
}

function isShort({ reasons }: UnschedulablePod): boolean {
  return reasons.some(({ reason }) => SHORTAGES.includes(reason.code));
}

/** A pod of a gang, or one that others wait for in turn, is part of more than its own place. */
function yieldingEntries(cluster: Cluster): readonly Yielding[] {
  return [...cluster.reservations.values()].flatMap((reservation) => {
    const { isLost, isUsable } = targetState(cluster, reservation.target);
    if (isLost || isUsable) return [];
    return reservation.entries.flatMap((entry): readonly Yielding[] => {
      const pod = entry.podUID === undefined ? undefined : cluster.podByUID(entry.podUID);
      if (pod === undefined || pod.nodeName !== undefined || pod.gang !== undefined) return [];
      const isOrdered = entry.after !== undefined || [...cluster.podsAfter(pod.uid)].length > 0;
      return isOrdered ? [] : [{ reservation, entry, pod }];
    });
  });
}

/** Where the plan puts pods into room that others give up. Places elsewhere are left to the next batch. */
function handoversOf(
  cluster: Cluster,
  {
    plan,
    demand,
    yielding,
  }: {
    readonly plan: Plan;
    readonly demand: readonly ObservedPod[];
    readonly yielding: readonly Yielding[];
  },
): readonly Handover[] {
  const byKey = new Map(demand.map((pod) => [podKey(pod), pod]));
  const takers = new Map<string, ObservedPod[]>();
  for (const { pod: key, target, after } of plan.placements) {
    const pod = byKey.get(key);
    const place = target.kind === 'Node' ? plannedTarget(cluster, target.name) : undefined;
    if (pod === undefined || place === undefined || after !== undefined) continue;
    const name = reservationName(place);
    takers.set(name, [...(takers.get(name) ?? []), pod]);
  }
  return [...takers].flatMap(([name, pods]) => {
    const given = yielding.filter(({ reservation }) => reservation.name === name);
    const [first] = given;
    return first === undefined ? [] : [{ reservation: first.reservation, pods, yielding: given }];
  });
}

/** In one write, so that the room is never held twice, nor by neither. Answers the pods that have it now. */
async function handOver(
  { cluster, writer, logger }: RoomInFlightOptions,
  { reservation, pods: takers, yielding }: Handover,
  signal: AbortSignal,
): Promise<readonly ObservedPod[]> {
  const pods = takers.filter((pod) => stillWants(cluster, pod));
  if (pods.length === 0 || targetState(cluster, reservation.target).isUsable) return [];
  const given = new Set(yielding.map(({ entry }) => entry));
  const kept = reservation.entries.filter((entry) => !given.has(entry));
  const entries = [...kept, ...pods.map((pod) => entryFor(pod))];
  await writer.reserve(reservation.target, entries, { known: reservation, signal });
  logger.info('Gave room of a node in flight to pods of higher priority', {
    reservation: reservation.name,
    pods: pods.map(podKey),
    displaced: yielding.map(({ pod }) => podKey(pod)),
  });
  return pods;
}

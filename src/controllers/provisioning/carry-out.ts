/**
 * Makes a plan durable: NodeClaims first, then the Reservations that let them be launched. Killed between any two writes,
 * what is there is taken up by the next plan, and what has no Reservation is not launched.
 */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import {
  reservationName,
  type ReservationEntry,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { Plan } from '../../planning/plan.js';
import type { Random } from '../../ports/random.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { targetState } from '../../state/nodes/node-state.js';
import { plannedTarget } from '../../state/planning/plan-input.js';
import type { ClusterWriter } from '../cluster-writer.js';
import { hashAnnotations } from '../fingerprint/template-hash.js';
import { draftClaims, type ClaimDraft, type WantedClaim } from './draft-claims.js';

/** Writes in flight: as many as an API server takes without delaying other clients. */
const CONCURRENCY = 8;
/** Why room is held. */
const PLANNED = 'Planned';

export interface CarryOutOptions {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  readonly random: Random;
  /** Called for each claim once it is there. */
  readonly onCreated: (claim: NodeClaim, draft: ClaimDraft) => void;
}

/** A plan with what its names mean. */
export interface MeantPlan {
  readonly plan: Plan;
  /** The pods that were planned. */
  readonly demand: readonly ObservedPod[];
  readonly pools: readonly PoolOffer[];
}

/** Room to be held on one target. */
interface WantedRoom {
  readonly target: ReservationTarget;
  readonly pods: readonly ObservedPod[];
}

/** A claim or reservation that could not be written. */
export interface FailedPlace {
  /** `NodeClaim of NodePool general`, `Reservation on Node a`: for people. */
  readonly what: string;
  /** The pods that still want a place because of it. */
  readonly pods: readonly ObservedPod[];
  readonly error: unknown;
}

/** Carries the plan out as far as it goes; answers what went wrong. What is left undone is planned again. */
export async function carryOut(
  options: CarryOutOptions,
  meant: MeantPlan,
  signal: AbortSignal,
): Promise<readonly FailedPlace[]> {
  const { cluster, random, writer } = options;
  const limits = { atOnce: CONCURRENCY, signal };
  const placed = podsByPlace(meant);
  const wanted = wantedClaims(options, meant, placed);
  const drafts = draftClaims(wanted, random, (name) => cluster.nodeClaims.get(name) !== undefined);
  const created: WantedRoom[] = [];
  const after = awaitedPods(meant);
  const failed: FailedPlace[] = [];
  const create = async (draft: ClaimDraft): Promise<void> => {
    const what = `NodeClaim of NodePool ${draft.pool.name}`;
    await orRemember(failed, { what, pods: draft.pods }, async () => {
      const claim = await writer.createClaim(draft.claim, signal);
      options.onCreated(claim, draft);
      created.push({ target: { kind: 'NodeClaim', name: claim.name }, pods: draft.pods });
    });
  };
  const hold = async (room: WantedRoom): Promise<void> => {
    await orRemember(failed, { what: reservationOn(room.target), pods: room.pods }, () =>
      reserve(options, { ...room, after }, signal),
    );
  };
  await tryInParallel(drafts, create, limits);
  const rooms = [...existingRooms(cluster, placed), ...created];
  for (const wave of wavesOf(rooms, after)) {
    failed.push(...withoutAwaited(wave, after, failed));
    const lost = podsOf(failed);
    await tryInParallel(
      withPods(wave, ({ uid }) => !lost.has(uid)),
      hold,
      limits,
    );
  }
  return failed;
}

function podsOf(failed: readonly FailedPlace[]): ReadonlySet<string> {
  return new Set(failed.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
}

/** Pods that wait for others that have no place: their place may not be theirs once those are planned again. */
function withoutAwaited(
  wave: readonly WantedRoom[],
  after: AwaitedPods,
  failed: readonly FailedPlace[],
): readonly FailedPlace[] {
  if (after.size === 0 || failed.length === 0) return [];
  const causes = new Map(failed.flatMap((place) => place.pods.map(({ uid }) => [uid, place] as const)));
  return wave.flatMap(({ target, pods }) =>
    pods.flatMap((pod): FailedPlace[] => {
      const lost = after.get(pod.uid)?.find((other) => causes.has(other));
      const cause = lost === undefined ? undefined : causes.get(lost);
      if (cause === undefined || causes.has(pod.uid)) return [];
      return [{ what: reservationOn(target), pods: [pod], error: cause.error }];
    }),
  );
}

function reservationOn({ kind, name }: ReservationTarget): string {
  return `Reservation on ${kind} ${name}`;
}

/**
 * The rooms in the order in which they are written: a pod's entry after those of the pods that it waits for. The extender
 * lets a pod go while those have no entry, since then they are not planned.
 */
function* wavesOf(rooms: readonly WantedRoom[], after: AwaitedPods): Generator<readonly WantedRoom[]> {
  // Hardly any plan has an order.
  if (after.size === 0) yield rooms;
  let left = after.size === 0 ? [] : rooms;
  while (left.length > 0) {
    const unwritten = new Set(left.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
    const waits = ({ uid }: ObservedPod): boolean =>
      after.get(uid)?.some((other) => unwritten.has(other)) === true;
    const free = withPods(left, (pod) => !waits(pod));
    // An order is never a circle; were it one, its pods would be written together.
    yield free.length > 0 ? free : left;
    left = free.length > 0 ? withPods(left, waits) : [];
  }
}

/** The rooms with only these pods; those without any are left out. */
function withPods(
  rooms: readonly WantedRoom[],
  isWanted: (pod: ObservedPod) => boolean,
): readonly WantedRoom[] {
  return rooms.flatMap((room) => {
    const pods = room.pods.filter(isWanted);
    return pods.length === 0 ? [] : { ...room, pods };
  });
}

async function orRemember(
  failed: FailedPlace[],
  place: Omit<FailedPlace, 'error'>,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    failed.push({ ...place, error });
  }
}

/** Pod → pods that must be bound before it, all by uid. */
type AwaitedPods = ReadonlyMap<string, readonly string[]>;

function awaitedPods({ plan, demand }: MeantPlan): AwaitedPods {
  const ordered = plan.placements.filter(({ after }) => after !== undefined);
  if (ordered.length === 0) return new Map();
  const uids = new Map(demand.map((pod) => [podKey(pod), pod.uid]));
  return new Map(
    ordered.flatMap(({ pod, after = [] }) => {
      const uid = uids.get(pod);
      return uid === undefined ? [] : [[uid, after.flatMap((other) => uids.get(other) ?? [])] as const];
    }),
  );
}

/** `Node/<name>` or `NodeClaim/<name>` of the plan → its pods. */
function podsByPlace({ plan, demand }: MeantPlan): ReadonlyMap<string, readonly ObservedPod[]> {
  const byKey = new Map(demand.map((pod) => [podKey(pod), pod]));
  const result = new Map<string, ObservedPod[]>();
  for (const { pod: key, target } of plan.placements) {
    const pod = byKey.get(key);
    if (pod === undefined) continue;
    const place = `${target.kind}/${target.name}`;
    const others = result.get(place);
    if (others === undefined) result.set(place, [pod]);
    else others.push(pod);
  }
  return result;
}

function wantedClaims(
  { cluster }: CarryOutOptions,
  { plan, pools }: MeantPlan,
  placed: ReadonlyMap<string, readonly ObservedPod[]>,
): readonly WantedClaim[] {
  const byName = new Map(pools.map((offer) => [offer.pool.name, offer]));
  return plan.claims.flatMap((planned) => {
    const offer = byName.get(planned.nodePool);
    const pods = (placed.get(`NodeClaim/${planned.name}`) ?? []).filter((pod) => stillWants(cluster, pod));
    if (offer === undefined || pods.length === 0) return [];
    const { pool, instanceTypes: types = [] } = offer;
    const source = acceptedNodeClass(cluster, pool.template.nodeClassRef);
    return { planned, pool, types, pods, annotations: hashAnnotations(pool, source) };
  });
}

/** Places on what was there when it was planned, as far as it still takes pods. */
function existingRooms(
  cluster: Cluster,
  placed: ReadonlyMap<string, readonly ObservedPod[]>,
): readonly WantedRoom[] {
  return [...placed].flatMap(([place, pods]) => {
    if (!place.startsWith('Node/')) return [];
    const target = plannedTarget(cluster, place.slice('Node/'.length));
    return target === undefined || targetState(cluster, target).isLost ? [] : { target, pods };
  });
}

/** Between plan and write a pod may have been bound, deleted, or created again under the same name. */
export function stillWants(cluster: Cluster, { uid }: ObservedPod): boolean {
  const pod = cluster.podByUID(uid);
  if (pod === undefined || pod.nodeName !== undefined || pod.terminating) return false;
  return cluster.entriesOfPod(uid).length === 0;
}

async function reserve(
  { cluster, writer }: CarryOutOptions,
  { target, pods, after }: WantedRoom & { readonly after: AwaitedPods },
  signal: AbortSignal,
): Promise<void> {
  const wanting = pods.filter((pod) => stillWants(cluster, pod));
  if (wanting.length === 0) return;
  const known = cluster.reservations.get(reservationName(target));
  const entries = [...(known?.entries ?? []), ...wanting.map((pod) => entryFor(pod, after.get(pod.uid)))];
  await writer.reserve(target, entries, { known, signal });
}

/** Room for a pod as the plan says. */
export function entryFor({ uid, spec }: ObservedPod, after?: readonly string[]): ReservationEntry {
  return {
    podUID: uid,
    owner: undefined,
    count: 1,
    requests: spec.requests,
    priority: spec.priority,
    reason: PLANNED,
    expiresAt: undefined,
    ...(after === undefined ? {} : { after }),
  };
}

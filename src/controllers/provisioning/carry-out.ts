/**
 * Makes a plan durable: each NodeClaim, and right after it the Reservation that lets it be launched, launch group by launch
 * group; then room on what is launched already. Killed between any two writes, what is there is taken up by the next plan, and what has no
 * Reservation is not launched.
 */
import { LAUNCH_GROUP_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isMovable } from '../../domain/pods/movable-pods.js';
import { podKey } from '../../domain/pods/pod.js';
import {
  reservationName,
  type ReservationEntry,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import { typesOffered, type PoolOffer } from '../../planning/snapshot/cluster-input.js';
import { append, groupBy } from '../../domain/values/lists.js';
import type { Labels } from '../../domain/values/labels.js';
import type { Plan, PlannedClaim } from '../../planning/plan.js';
import type { Clock } from '../../ports/clock.js';
import { PortError } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { RoomLedger, UnwrittenRoom } from '../../state/ledger/room-ledger.js';
import { targetState, WHY_LOST } from '../../state/nodes/node-state.js';
import { plannedTarget } from '../../state/planning/plan-input.js';
import type { ClaimsInWork } from '../claims-in-work.js';
import type { ClusterWriter } from '../cluster-writer.js';
import { hashAnnotations } from '../fingerprint/template-hash.js';
import { addEntries, movedEntries } from '../reservations/moved-room.js';
import { roomLeft } from '../reservations/taken-room.js';
import { draftClaims, type ClaimDraft, type WantedClaim } from './draft-claims.js';

/** Writes in flight: as many as an API server takes without delaying other clients. */
const CONCURRENCY = 8;
/** How long a batch waits for pods that may be on their way to its nodes, and how often it is looked whether they have arrived. */
const LONGEST_GUEST_MILLIS = 5000;
const GUEST_LOOK_MILLIS = 100;
/** Why room is held. */
const PLANNED = 'Planned';

export interface CarryOutOptions {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  /** Its claims stay in it until all is written. */
  readonly claimsInWork: ClaimsInWork;
  readonly random: Random;
  /**
   * Holds the room of the plan until it is written, and knows which pods kube-scheduler is about to bind: those get none. Not needed
   * for pods that do not exist.
   */
  readonly ledger?: Pick<RoomLedger, 'isOnItsWay' | 'holdUnwritten'> | undefined;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  /**
   * Of a plan for pods that do not exist: the room that is held for these of them. Without it room is held for the pods that
   * want it still.
   */
  readonly bookedFor?: ((pods: readonly ObservedPod[]) => readonly ReservationEntry[]) | undefined;
  /** Called for each claim once it is there. */
  readonly onCreated: (claim: NodeClaim, draft: ClaimDraft) => void;
}

/** A plan with what its names mean. */
export interface MeantPlan {
  readonly plan: Plan;
  /** The pods that were planned. */
  readonly demand: readonly ObservedPod[];
  readonly pools: readonly PoolOffer[];
  /** Further annotations of a claim. */
  readonly annotationsOf?: ((claim: PlannedClaim) => Labels) | undefined;
  /** Whether it was made without minValues; `pools` have them. */
  readonly relaxesMinValues?: boolean | undefined;
}

/** Room to be held on one instance. */
interface WantedRoom {
  /** Where it is when its turn comes: a claim may have become a node by then. undefined: it is gone. */
  readonly target: () => ReservationTarget | undefined;
  /** The claim to be created first; undefined for what was there when it was planned. */
  readonly draft: ClaimDraft | undefined;
  /** For people. */
  readonly what: string;
  readonly pods: readonly ObservedPod[];
  readonly hold?: UnwrittenRoom | undefined;
}

/** A claim or reservation that could not be written. */
export interface FailedPlace {
  /** `NodeClaim of NodePool general`, `Reservation on Node a`: for people. */
  readonly what: string;
  /** The pods that still want a place because of it. */
  readonly pods: readonly ObservedPod[];
  readonly error: unknown;
}

/**
 * Carries the plan out as far as it goes, until the signal is aborted; answers what went wrong. What is left undone is planned
 * again.
 */
export async function carryOut(
  options: CarryOutOptions,
  meant: MeantPlan,
  signal: AbortSignal,
): Promise<readonly FailedPlace[]> {
  const { cluster, claimsInWork, random } = options;
  const placed = podsByPlace(meant);
  const wanted = wantedClaims(options, meant, placed);
  const drafts = draftClaims(wanted, random, (name) => cluster.nodeClaims.get(name) !== undefined);
  const { unlaunched, others } = existingRooms(cluster, placed);
  const launching = [...unlaunched, ...groupByGroup(drafts).map(roomOnDraft)];
  const claims = launching.flatMap(({ target }) => target()?.name ?? []);
  return claimsInWork.during(claims, () =>
    writeRooms(options, [...launching, ...others], awaitedPods(meant), signal),
  );
}

async function writeRooms(
  options: CarryOutOptions,
  rooms: readonly WantedRoom[],
  after: AwaitedPods,
  signal: AbortSignal,
): Promise<readonly FailedPlace[]> {
  const failed: FailedPlace[] = [];
  const created = new Set<ClaimDraft>();
  // All rooms are held from this moment on, so that all guests are of before it.
  const guestsUntil = options.clock.monotonic() + LONGEST_GUEST_MILLIS;
  const write = async (room: WantedRoom): Promise<void> => {
    const { draft } = room;
    if (draft !== undefined && !created.has(draft)) {
      if (!room.pods.some((pod) => isWanting(options, pod))) return;
      const what = `NodeClaim of NodePool ${draft.pool.name}`;
      const isCreated = await orRemember(failed, { what, pods: draft.pods }, async () => {
        options.onCreated(await options.writer.createClaim(draft.claim, signal), draft);
      });
      if (!isCreated) return;
      created.add(draft);
    }
    await orRemember(failed, room, async () => {
      failed.push(...(await reserve(options, { ...room, after, guestsUntil }, signal)));
    });
  };
  // Of a room that is written in several waves the rest is still to come.
  const isWhole = after.size === 0;
  const writeHeld = (room: WantedRoom): Promise<void> =>
    write(room).finally(() => {
      if (isWhole) room.hold?.end();
    });
  const held = rooms.map((room) => withHold(options, room));
  try {
    for (const wave of wavesOf(held, after)) {
      failed.push(...withoutAwaited(wave, after, failed));
      const lost = podsOf(failed);
      const left = withPods(wave, ({ uid }) => !lost.has(uid));
      await tryInParallel(left, writeHeld, { atOnce: CONCURRENCY, signal });
    }
  } finally {
    for (const { hold } of held) hold?.end();
  }
  return failed;
}

/** Its room is held from now on: it may be long until it is written. */
function withHold({ cluster, ledger }: CarryOutOptions, room: WantedRoom): WantedRoom {
  const target = room.target();
  const node = target && targetState(cluster, target).node;
  return { ...room, hold: ledger?.holdUnwritten(room.pods, node?.name) };
}

/** The claims of one launch are created together, so that it begins while others are still being written. */
function groupByGroup(drafts: readonly ClaimDraft[]): readonly ClaimDraft[] {
  const groups = groupBy(drafts, ({ claim }) => claim.annotations.get(LAUNCH_GROUP_ANNOTATION));
  return [...groups.values()].flat();
}

function roomOnDraft(draft: ClaimDraft): WantedRoom {
  const target: ReservationTarget = { kind: 'NodeClaim', name: draft.claim.name };
  return { target: () => target, draft, what: reservationOn(target), pods: draft.pods };
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
  return wave.flatMap(({ what, pods }) =>
    pods.flatMap((pod): FailedPlace[] => {
      const lost = after.get(pod.uid)?.find((other) => causes.has(other));
      const cause = lost === undefined ? undefined : causes.get(lost);
      if (cause === undefined || causes.has(pod.uid)) return [];
      return [{ what, pods: [pod], error: cause.error }];
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

/** Answers whether it was written. */
async function orRemember(
  failed: FailedPlace[],
  { what, pods }: Omit<FailedPlace, 'error'>,
  write: () => Promise<void>,
): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    failed.push({ what, pods, error });
    return false;
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
    append(result, place, pod);
  }
  return result;
}

function wantedClaims(
  { cluster, bookedFor }: CarryOutOptions,
  { plan, pools, annotationsOf, relaxesMinValues }: MeantPlan,
  placed: ReadonlyMap<string, readonly ObservedPod[]>,
): readonly WantedClaim[] {
  const byName = new Map(pools.map((offer) => [offer.pool.name, offer]));
  return plan.claims.flatMap((planned) => {
    const offer = byName.get(planned.nodePool);
    const all = placed.get(`NodeClaim/${planned.name}`) ?? [];
    const pods = bookedFor === undefined ? all.filter((pod) => stillWants(cluster, pod)) : all;
    if (offer === undefined || pods.length === 0) return [];
    const { pool } = offer;
    const types = typesOffered(offer, planned.chosenLabels);
    const source = acceptedNodeClass(cluster, pool.template.nodeClassRef);
    const annotations = new Map([...hashAnnotations(pool, source), ...(annotationsOf?.(planned) ?? [])]);
    return { planned, pool, types, pods, annotations, relaxesMinValues };
  });
}

/**
 * Places on what was there when it was planned: on claims without a Reservation, which are not launched before they have one,
 * and on everything else.
 */
function existingRooms(
  cluster: Cluster,
  placed: ReadonlyMap<string, readonly ObservedPod[]>,
): { readonly unlaunched: readonly WantedRoom[]; readonly others: readonly WantedRoom[] } {
  const unlaunched: WantedRoom[] = [];
  const others: WantedRoom[] = [];
  for (const [place, pods] of placed) {
    if (!place.startsWith('Node/')) continue;
    const name = place.slice('Node/'.length);
    const target = (): ReservationTarget | undefined => plannedTarget(cluster, name);
    const known = target();
    const what = known === undefined ? `Reservation on ${name}` : reservationOn(known);
    const isUnlaunched =
      known?.kind === 'NodeClaim' && cluster.reservations.get(reservationName(known)) === undefined;
    (isUnlaunched ? unlaunched : others).push({ target, draft: undefined, what, pods });
  }
  return { unlaunched, others };
}

/**
 * Between plan and write a pod may have been bound, deleted, or created again under the same name. Of a pod that was planned while
 * its node goes, an eviction meanwhile has the pod that comes in its place planned instead.
 */
export function stillWants(cluster: Cluster, { uid, nodeName }: ObservedPod): boolean {
  const pod = cluster.podByUID(uid);
  if (pod === undefined || pod.nodeName !== nodeName) return false;
  if (nodeName !== undefined) return isMovable(pod);
  return !pod.terminating && cluster.entriesOfPod(uid).length === 0;
}

function isWanting({ cluster, ledger, bookedFor }: CarryOutOptions, pod: ObservedPod): boolean {
  return bookedFor !== undefined || (stillWants(cluster, pod) && ledger?.isOnItsWay(pod.uid) !== true);
}

/**
 * Answers the places that others were let into before the room was held.
 * @throws PortError NotFound, when what the pods were planned on is gone, or on its way out.
 */
async function reserve(
  options: CarryOutOptions,
  room: WantedRoom & { readonly after: AwaitedPods; readonly guestsUntil: number },
  signal: AbortSignal,
): Promise<readonly FailedPlace[]> {
  const { cluster, writer, clock, bookedFor } = options;
  const { pods, what, hold, after, guestsUntil } = room;
  if (hold?.hasGuests() === true) await guestsGone(options, { hold, until: guestsUntil }, signal);
  const wanting = pods.filter((pod) => isWanting(options, pod));
  if (wanting.length === 0) return [];
  const target = targetOf(cluster, room);
  const known = cluster.reservations.get(reservationName(target));
  const waiting = bookedFor === undefined ? wanting.filter(({ nodeName }) => nodeName === undefined) : [];
  const leaving = wanting.filter(({ nodeName }) => nodeName !== undefined);
  const { entries: own, lost } = fittingEntries(cluster, target, waiting, after);
  const others = bookedFor?.(wanting) ?? movedEntries(leaving, clock.now());
  if (own.length > 0 || others.length > 0) {
    const entries = addEntries([...(known?.entries ?? []), ...own], others);
    await writer.reserve(target, entries, { known, signal });
  }
  if (lost.length === 0) return [];
  const message = 'other pods were bound into the room meanwhile';
  return [{ what, pods: lost, error: new PortError('Conflict', { operation: `write ${what}`, message }) }];
}

/** @throws PortError NotFound, when it is gone, on its way out or out of service. */
function targetOf(cluster: Cluster, room: WantedRoom): ReservationTarget {
  const target = room.target();
  if (target !== undefined && !targetState(cluster, target).isLost) return target;
  throw new PortError('NotFound', { operation: `write ${room.what}`, message: WHY_LOST });
}

/** Entries for the pods that still fit beside what is bound and held there, and the pods that do not. */
function fittingEntries(
  cluster: Cluster,
  target: ReservationTarget,
  pods: readonly ObservedPod[],
  after: AwaitedPods,
): { readonly entries: readonly ReservationEntry[]; readonly lost: readonly ObservedPod[] } {
  const known = cluster.reservations.get(reservationName(target))?.entries ?? [];
  const own = new Map(pods.map((pod) => [entryFor(pod, after.get(pod.uid)), pod]));
  const { displaced } = roomLeft(cluster, targetState(cluster, target), [
    ...stillToCome(cluster, known),
    ...own.keys(),
  ]);
  const lost = new Set(displaced);
  return {
    entries: [...own.keys()].filter((entry) => !lost.has(entry)),
    lost: displaced.flatMap((entry) => own.get(entry) ?? []),
  };
}

/** Entries whose pods are not bound. How many of an owner's are is not known here: those are left out. */
function stillToCome(cluster: Cluster, entries: readonly ReservationEntry[]): readonly ReservationEntry[] {
  return entries.filter(
    ({ podUID }) => podUID !== undefined && cluster.podByUID(podUID)?.nodeName === undefined,
  );
}

/** Pods that kube-scheduler was let place anywhere before the room was held are bound soon, or tried again. */
async function guestsGone(
  { clock }: CarryOutOptions,
  { hold, until }: { readonly hold: UnwrittenRoom; readonly until: number },
  signal: AbortSignal,
): Promise<void> {
  while (hold.hasGuests() && clock.monotonic() < until) await clock.sleep(GUEST_LOOK_MILLIS, signal);
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

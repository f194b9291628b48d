/**
 * What comes in the place of nodes that go: new claims, and room for their pods on these and on nodes that stay. Claims come
 * first, as in provisioning, so that what was begun by a process that died can be recognized by their annotation.
 */
import { listed } from '../../../domain/values/text.js';
import {
  BUFFER_ANNOTATION,
  REPLACES_ANNOTATION,
  STATIC_ANNOTATION,
  type NodeClaim,
} from '../../../domain/nodes/node-claim.js';
import { isVirtualPodKey, namedBuffers } from '../../../domain/pods/capacity-buffer.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import {
  reservationName,
  type Reservation,
  type ReservationEntry,
  type ReservationTarget,
} from '../../../domain/records/reservation.js';
import type { PlannedClaim } from '../../../planning/plan.js';
import { hasCode, PortError } from '../../../ports/port-error.js';
import { inParallel, tryInParallel } from '../../../runtime/concurrency/in-parallel.js';
import { typesOffered } from '../../../planning/snapshot/cluster-input.js';
import { acceptedNodeClass } from '../../../state/policies/accepted-node-class.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { isLeaving, targetState, WHY_LOST } from '../../../state/nodes/node-state.js';
import { endClaim } from '../../node-claim/end-claim.js';
import { is } from '../../node-claim/claim-conditions.js';
import { recordClaim } from '../../node-claim/record-claim.js';
import { draftClaims, type ClaimDraft } from '../../provisioning/draft-claims.js';
import type { Command } from './command.js';
import type { DisruptionContext } from '../passes/disruption-context.js';
import { addEntries, movedEntries, takeEntries } from '../../reservations/moved-room.js';
import { hashAnnotations } from '../../fingerprint/template-hash.js';

/** Room that was held, so that it can be let go again. */
export interface HeldRoom {
  readonly target: ReservationTarget;
  readonly entries: readonly ReservationEntry[];
}

export interface Replacement {
  /** Names of the new claims. */
  readonly claims: readonly string[];
  readonly rooms: readonly HeldRoom[];
}

/** How often a reservation that another client writes to is tried, and how long is waited in between. */
const TRIES = 4;
const AGAIN_MILLIS = 250;
/** Replaced claims named in a message. */
const FEW = 5;

/** Creates the claims and holds the room. @throws PortError; what is there by then is in `done`. */
export async function replace(
  context: DisruptionContext,
  command: Command,
  done: { claims: string[]; rooms: HeldRoom[] },
  signal: AbortSignal,
): Promise<void> {
  const pods = podsByPlace(context.cluster, command);
  const drafts = draftsOf(context, command, pods);
  const names = new Map(drafts.map(({ planned, claim }) => [planned.name, claim.name]));
  await context.claimsInWork.during([...names.values()], async () => {
    const create = async ({ claim }: ClaimDraft): Promise<void> => {
      const created = await context.writer.createClaim(claim, signal);
      done.claims.push(created.name);
      context.metrics.nodeClaimsCreated.inc({
        nodepool: claim.spec.nodePool,
        reason: command.reason.toLowerCase(),
        min_values_relaxed: 'false',
      });
      tellReplacement(context, command, created);
    };
    await inParallel(drafts, create, { signal });
    const rooms = [...pods].flatMap(([place, moving]) => {
      const target = targetOf(command, place, names);
      const entries = movedEntries(moving, context.clock.now());
      return target === undefined || entries.length === 0 ? [] : { target, entries };
    });
    const holdRoom = async (room: HeldRoom): Promise<void> => {
      await hold(context, room, (entries) => addEntries(entries, room.entries), signal);
      done.rooms.push(room);
    };
    await inParallel(rooms, holdRoom, { signal });
  });
}

function tellReplacement({ recorder }: DisruptionContext, command: Command, created: NodeClaim): void {
  const { reason, claims } = command;
  recordClaim(recorder, created, {
    action: 'Place',
    reason: 'Replacement',
    message: `an instance of NodePool ${created.spec.nodePool} to replace NodeClaim ${listed(claims, FEW)}: ${reason}`,
    trigger: 'disruption',
    related: claims.map((name) => ({ kind: 'NodeClaim', namespace: '', name })),
    event: 'Normal',
  });
}

/** Lets the room go and ends the claims, as far as nothing uses them by now. */
export async function discard(
  context: DisruptionContext,
  { claims, rooms }: Replacement,
  why: string,
  signal: AbortSignal,
): Promise<void> {
  const { cluster } = context;
  const news = {
    action: 'Terminate',
    reason: 'ReplacementDiscarded',
    message: `its replacement is not needed: ${why}`,
    trigger: 'disruption',
    event: 'Normal',
  } as const;
  const unused = claims
    .flatMap((name) => cluster.nodeClaims.get(name) ?? [])
    .filter((claim) => !hasPods(cluster, claim));
  const endings = unused.map((claim) => () => endClaim(context, claim, news, signal));
  // Room on a node that goes is let go with it.
  const held = rooms.filter(({ target }) => !targetState(cluster, target).isLost);
  const releases = held.map(
    (room) => () => hold(context, room, (entries) => takeEntries(entries, room.entries), signal),
  );
  const failures = await tryInParallel([...releases, ...endings], (work) => work(), { signal });
  if (failures.length > 0) throw failures[0];
}

/** How far the new claims are: `lost` when one of them will never be a node. */
export function stateOf(cluster: Cluster, names: readonly string[]): 'ready' | 'waiting' | 'lost' {
  const claims = names.map((name) => cluster.nodeClaims.get(name));
  const isLost = (claim: NodeClaim | undefined): boolean =>
    claim === undefined || isLeaving(claim, cluster.nodeOfClaim(claim.name));
  if (claims.some(isLost)) return 'lost';
  const isReady = (name: string): boolean => {
    const { claim, isUsable } = targetState(cluster, { kind: 'NodeClaim', name });
    return isUsable && claim !== undefined && is(claim, 'Initialized');
  };
  return names.every(isReady) ? 'ready' : 'waiting';
}

/** `Node/<name>` or `NodeClaim/<name>` of the plan → the pods that are to go there, as they are now. */
function podsByPlace(cluster: Cluster, { planned }: Command): ReadonlyMap<string, readonly ObservedPod[]> {
  const result = new Map<string, ObservedPod[]>();
  for (const { pod: key, target } of planned.placements) {
    const pod = cluster.pods.get(key);
    if (pod === undefined) continue;
    const place = `${target.kind}/${target.name}`;
    result.set(place, [...(result.get(place) ?? []), pod]);
  }
  return result;
}

/**
 * Pods without an owner are not created again, so an instance that would hold only such pods is not needed, unless its pool is static or it
 * has the room of a CapacityBuffer.
 */
function draftsOf(
  { cluster, random }: DisruptionContext,
  { planned, claims, deliberated }: Command,
  pods: ReadonlyMap<string, readonly ObservedPod[]>,
): readonly ClaimDraft[] {
  const offers = new Map(deliberated.pools.map((offer) => [offer.pool.name, offer]));
  const isStatic = (nodePool: string): boolean => offers.get(nodePool)?.pool.replicas !== undefined;
  const hasOwned = ({ name }: PlannedClaim): boolean =>
    pods.get(`NodeClaim/${name}`)?.some(({ owner }) => owner !== undefined) === true;
  const hasBuffer = (claim: PlannedClaim): boolean => claim.pods.some(isVirtualPodKey);
  const isWanted = (claim: PlannedClaim): boolean =>
    isStatic(claim.nodePool) || hasOwned(claim) || hasBuffer(claim);
  const wanted = planned.claims.filter(isWanted).flatMap((claim) => {
    const offer = offers.get(claim.nodePool);
    if (offer === undefined) return [];
    const { pool } = offer;
    const types = typesOffered(offer, claim.chosenLabels);
    const source = acceptedNodeClass(cluster, pool.template.nodeClassRef);
    const annotations = new Map([
      ...hashAnnotations(pool, source),
      [REPLACES_ANNOTATION, claims.join(',')] as const,
      ...(isStatic(pool.name) ? [[STATIC_ANNOTATION, 'true'] as const] : []),
      ...(hasOwned(claim) || !hasBuffer(claim)
        ? []
        : [[BUFFER_ANNOTATION, namedBuffers(claim.pods)] as const]),
    ]);
    return { planned: claim, pool, types, pods: [], annotations };
  });
  return draftClaims(wanted, random, (name) => cluster.nodeClaims.get(name) !== undefined);
}

function targetOf(
  { deliberated }: Command,
  place: string,
  names: ReadonlyMap<string, string>,
): ReservationTarget | undefined {
  const slash = place.indexOf('/');
  const name = place.slice(slash + 1);
  if (place.slice(0, slash) === 'Node') return deliberated.picture.targetOf(name);
  const claim = names.get(name);
  return claim === undefined ? undefined : { kind: 'NodeClaim', name: claim };
}

/** Changes what is held on the target. @throws PortError NotFound, when room is to be held on a target that is lost. */
async function hold(
  context: DisruptionContext,
  { target }: HeldRoom,
  change: (entries: readonly ReservationEntry[]) => readonly ReservationEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const known = context.cluster.reservations.get(reservationName(target));
    const entries = change(known?.entries ?? []);
    if (entries.length > 0 && targetState(context.cluster, target).isLost)
      throw new PortError('NotFound', {
        operation: `hold room on ${target.name}`,
        message: WHY_LOST,
      });
    try {
      await write(context, target, { known, entries }, signal);
      return;
    } catch (error) {
      if (!hasCode(error, 'Conflict', 'AlreadyExists') || attempt >= TRIES) throw error;
      await context.clock.sleep(AGAIN_MILLIS, signal);
    }
  }
}

async function write(
  { writer }: DisruptionContext,
  target: ReservationTarget,
  {
    known,
    entries,
  }: { readonly known: Reservation | undefined; readonly entries: readonly ReservationEntry[] },
  signal: AbortSignal,
): Promise<void> {
  if (entries.length > 0) await writer.reserve(target, entries, { known, signal });
  else if (known !== undefined) await writer.deleteReservation(known, signal);
}

function hasPods(cluster: Cluster, claim: NodeClaim): boolean {
  const node = cluster.nodeOfClaim(claim.name);
  if (node === undefined) return false;
  return cluster.podsOn(node.name).some(({ owner, mirror }) => owner?.kind !== 'DaemonSet' && !mirror);
}

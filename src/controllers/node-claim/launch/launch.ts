/**
 * Launching: the claims of a group get instances by one call. The attempt is written on every claim before the call, and what is
 * asked for on the first of them, so that the next process after a crash can send exactly the same request again; an answer that
 * brought too little leads to another attempt with what is left, and to the end of the claim when nothing is.
 */
import { tenancyOfClaim } from '../../../domain/nodes/tenancy.js';
import type { LaunchRequest, LaunchStatus, NodeClaim } from '../../../domain/nodes/node-claim.js';
import { instancesOf, roomInZone, type PlacementGroup } from '../../../domain/nodes/placement-group.js';
import { maxResources, type ResourceList } from '../../../domain/values/resources.js';
import { describeNodeClass, type NodeClass } from '../../../domain/policies/node-class.js';
import type { LaunchIntent, ResolvedNodeClass } from '../../../ports/cloud.js';
import { reservationName } from '../../../domain/records/reservation.js';
import type { OwnDecisionReason } from '../../../domain/records/decision-reasons.js';
import { hasCode } from '../../../ports/port-error.js';
import { inParallel } from '../../../runtime/concurrency/in-parallel.js';
import type { Requeue } from '../../../runtime/concurrency/work-queue.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { clusterUID } from '../../../state/cluster/cluster-uid.js';
import { PAUSE_LOOK_MILLIS } from '../../safeguards/safeguards.js';
import type { Admission, Held } from '../../safeguards/launch-limits.js';
import { withReservedOfferings } from '../../reserved-offerings.js';
import { withConditions } from '../claim-conditions.js';
import { endClaim } from '../end-claim.js';
import { LaunchAttempt } from './launch-attempt.js';
import { launchLabels, launchTaints, launchToken, memberLaunch, requestHash } from './launch-call.js';
import { LaunchGate } from './launch-gate.js';
import { giveUpPool } from './launch-failures.js';
import { launchGroup, membersOf, waitingClaims, type LaunchGroup, type OpenLaunch } from './launch-group.js';
import { launchOfferings, type LaunchOfferings } from './launch-offerings.js';
import type { LifecycleContext } from '../lifecycle-context.js';
import { recordClaim, relatedToClaim, type ClaimNews } from '../record-claim.js';
import { TokenMemory } from './token-memory.js';
import { ZoneBalance } from './zone-balance.js';

export class Launcher {
  readonly #context: LifecycleContext;
  readonly #gate: LaunchGate;
  readonly #tokens = new TokenMemory();
  readonly #attempt: LaunchAttempt;
  readonly #zones: ZoneBalance;
  /** Group → until when nothing is asked for it, though its claims change; monotonic. */
  readonly #pauses = new Map<string, number>();

  constructor(context: LifecycleContext) {
    this.#context = context;
    this.#gate = new LaunchGate(context);
    this.#attempt = new LaunchAttempt(context, this.#tokens);
    this.#zones = new ZoneBalance(() => context.cluster.nodeClaims.values());
  }

  /** One step of the group with this name; what it writes on the claims leads to the next. */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const pauseMillis = (this.#pauses.get(name) ?? 0) - this.#context.clock.monotonic();
    const group = launchGroup(this.#context.cluster, name);
    if (pauseMillis > 0 && group.claims.length > 0) return { requeueAfterMillis: pauseMillis };
    this.#pauses.delete(name);
    if (group.claims.length === 0) return undefined;
    const isIdle = group.open === undefined && waitingClaims(group).length === 0;
    if (!isIdle && this.#context.safeguards.isPaused()) return { requeueAfterMillis: PAUSE_LOOK_MILLIS };
    const { ready, unreserved, waitMillis } = this.#gate.ask(group);
    if (group.open !== undefined) {
      const requeue = await this.#settle(group, group.open, ready, signal);
      return requeue ?? this.#unlessAllServed(name);
    }
    await inParallel(unreserved, (claim) => endClaim(this.#context, claim, NO_RESERVATION, signal));
    const [first] = ready;
    if (first !== undefined) return this.#begin(group, [first, ...ready.slice(1)], signal);
    return waitMillis === undefined ? undefined : { requeueAfterMillis: waitMillis };
  }

  /** Claims that came too late for an attempt want one of their own, and nothing more will happen to tell of them. */
  #unlessAllServed(name: string): Requeue | undefined {
    const group = launchGroup(this.#context.cluster, name);
    return waitingClaims(group).length === 0 ? undefined : { requeueAfterMillis: 0 };
  }

  /** The claim is gone. */
  forget(claim: NodeClaim): void {
    this.#gate.forget(claim.uid);
  }

  /** A process crashed while it wrote the attempt to its claims: first all of them must have it. */
  async #settle(
    group: LaunchGroup,
    open: OpenLaunch,
    ready: readonly NodeClaim[],
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const { launch, keeper } = open;
    const members = membersOf(group, launch);
    const late = ready.filter((claim) => !members.includes(claim));
    const joining = late.slice(0, Math.max(0, launch.request.size - members.length));
    if (keeper !== undefined && joining.length > 0) {
      await this.#write(joining, memberLaunch({ ...launch, error: undefined }, keeper), signal);
      return undefined;
    }
    const requeue = await this.#attempt.settle(group, open, signal);
    if (requeue !== undefined)
      this.#pauses.set(group.name, this.#context.clock.monotonic() + requeue.requeueAfterMillis);
    return requeue;
  }

  async #begin(
    group: LaunchGroup,
    claims: readonly [NodeClaim, ...NodeClaim[]],
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const launchable = await this.#launchable(claims, signal);
    if (launchable === undefined) return { requeueAfterMillis: this.#context.settings.pollMillis };
    const offerings = this.#offerings(claims, launchable);
    const [first] = offerings?.offerings ?? [];
    if (offerings === undefined || first === undefined) {
      await inParallel(claims, (claim) => endClaim(this.#context, claim, outOfStock(claim), signal));
      return undefined;
    }
    const { safeguards, settings } = this.#context;
    const { admitted, fresh, held } = safeguards.launches.admit(claims, first.price);
    if (held !== undefined) {
      const others = claims.filter((claim) => !admitted.includes(claim));
      this.#hold(others, held);
    }
    const [head, ...others] = admitted;
    if (head === undefined) return { requeueAfterMillis: settings.pollMillis };
    const wanted = { source: launchable.source, offerings, fresh };
    const isAsked = await this.#ask(group, [head, ...others], wanted, signal);
    return isAsked && held === undefined ? undefined : { requeueAfterMillis: settings.pollMillis };
  }

  /** Writes what is asked for on the claims; answers whether there is something to ask for. */
  async #ask(
    group: LaunchGroup,
    claims: readonly [NodeClaim, ...NodeClaim[]],
    wanted: Wanted & Pick<Admission, 'fresh'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const zone = wanted.offerings.offerings[0]?.zone ?? '';
    this.#zones.begins(group.name, { nodePool: claims[0].spec.nodePool, size: claims.length }, zone);
    let launch: LaunchStatus | undefined;
    try {
      launch = await this.#record(group, claims, wanted, signal);
      if (launch === undefined) return false;
      this.#tokens.recorded(launch.token);
      const [keeper, ...others] = claims;
      // First: what the others name is there, whenever the process is killed.
      await this.#write([keeper], launch, signal);
      await this.#write(others, memberLaunch(launch, keeper.name), signal);
      return true;
    } finally {
      this.#zones.begun(group.name);
      // Not once it was to be written: a write that failed may have happened, and is then sent.
      if (launch === undefined) this.#context.safeguards.launches.giveBack(wanted.fresh);
    }
  }

  /** A limit holds them back: said on the claims, and to the pods whose room they are. */
  #hold(claims: readonly NodeClaim[], { limit, reason, message }: Held): void {
    const { cluster, recorder, safeguards } = this.#context;
    safeguards.hit(limit);
    for (const claim of claims) {
      recordClaim(recorder, claim, { action: 'Refuse', reason, message, event: 'Warning' });
      const held = cluster.reservations.get(reservationName({ kind: 'NodeClaim', name: claim.name }));
      for (const { podUID } of held?.entries ?? []) {
        const pod = podUID === undefined ? undefined : cluster.podByUID(podUID);
        if (pod === undefined) continue;
        recorder.record({
          subject: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
          action: 'Refuse',
          reason,
          message: `NodeClaim ${claim.name} is not launched yet: ${message}`,
          trigger: 'NodeClaim',
          considered: '',
          saving: undefined,
          related: relatedToClaim(claim),
          event: { type: 'Warning', reason: 'FailedScheduling' },
        });
      }
    }
  }

  /** undefined, with the reason recorded, while it cannot be launched from. */
  async #launchable(
    claims: readonly [NodeClaim, ...NodeClaim[]],
    signal: AbortSignal,
  ): Promise<Launchable | undefined> {
    const { nodeClass, cloud } = this.#context;
    const source = nodeClass(claims[0].spec.nodeClassRef);
    const resolved = source && (await cloud.resolveNodeClass(source, signal));
    if (source !== undefined && resolved?.problems.length === 0) return { source, resolved };
    const why = resolved?.problems.join('; ') ?? 'it does not exist, or was never accepted';
    await this.#refuse(claims, why, signal);
    return undefined;
  }

  async #refuse(
    claims: readonly [NodeClaim, ...NodeClaim[]],
    why: string,
    signal: AbortSignal,
  ): Promise<void> {
    const message = `${describeNodeClass(claims[0].spec.nodeClassRef)}: ${why}`;
    for (const claim of claims) {
      const reason = 'NodeClassNotReady';
      recordClaim(this.#context.recorder, claim, { action: 'Refuse', reason, message, event: 'Warning' });
    }
    await giveUpPool(this.#context, claims, message, signal);
  }

  /** undefined, with the reason recorded, when no available offering can be launched from the node class. */
  async #prepare(
    claims: readonly [NodeClaim, ...NodeClaim[]],
    intent: LaunchIntent,
    signal: AbortSignal,
  ): Promise<LaunchRequest | undefined> {
    try {
      return await this.#context.cloud.prepareLaunch(intent, signal);
    } catch (error) {
      if (!hasCode(error, 'Invalid', 'Forbidden')) throw error;
      await this.#refuse(claims, error.message, signal);
      return undefined;
    }
  }

  #offerings(
    claims: readonly [NodeClaim, ...NodeClaim[]],
    { source, resolved }: Launchable,
  ): LaunchOfferings | undefined {
    const { cluster, overlaid, unavailableOfferings, clock } = this.#context;
    const now = clock.now();
    const { nodePool } = claims[0].spec;
    const { placementGroup: group } = resolved;
    const preferred = this.#zones.preferred({ nodePool, resolved, size: claims.length });
    const isUnavailable = unavailableOfferings.within(group?.id);
    return launchOfferings({
      spec: claims[0].spec,
      requests: requestsOf(claims),
      types: withReservedOfferings(overlaid.typesOfClaim(source, claims[0]), resolved.reservations),
      zones: new Set(group === undefined ? preferred : openZones(preferred, { group, cluster, claims })),
      isUnavailable: (instanceType, zone, capacityType) =>
        isUnavailable(instanceType, zone, capacityType, now),
      isReservationUnavailable: (id) => unavailableOfferings.isReservationUnavailable(id, now),
    });
  }

  async #record(
    group: LaunchGroup,
    claims: readonly [NodeClaim, ...NodeClaim[]],
    { source, offerings }: Wanted,
    signal: AbortSignal,
  ): Promise<LaunchStatus | undefined> {
    const [first] = claims;
    const intent: LaunchIntent = {
      nodeClass: source,
      ...offerings,
      tenancy: tenancyOfClaim(first),
      size: claims.length,
      requests: requestsOf(claims),
      labels: launchLabels(first, offerings),
      taints: launchTaints(first),
    };
    const request = await this.#prepare(claims, intent, signal);
    if (request === undefined) return undefined;
    const attempt = group.attempt + 1;
    return {
      group: group.name,
      attempt,
      token: launchToken({
        clusterUID: clusterUID(this.#context.cluster),
        group: group.name,
        attempt,
        claimUID: first.uid,
      }),
      requestHash: requestHash(request),
      request,
      answeredAt: undefined,
      error: undefined,
    };
  }

  async #write(claims: readonly NodeClaim[], launch: LaunchStatus, signal: AbortSignal): Promise<void> {
    const { clock, writer, metrics } = this.#context;
    const now = clock.now();
    const oldest = Math.min(...claims.map(({ createdAt }) => createdAt));
    if (launch.attempt === 1)
      metrics.launchBatchTime.observe({ batcher: 'create_fleet' }, Math.max(0, now - oldest) / 1000);
    const reason = { type: 'Launched', status: 'Unknown', reason: 'LaunchRequested' } as const;
    await inParallel(claims, (claim) =>
      writer.updateStatus(claim, { launch, conditions: withConditions(claim, [reason], now) }, signal),
    );
  }
}

/** Those of the zones that the placement group has room in, beside the instances that are not of these claims. */
function openZones(
  zones: readonly string[],
  {
    group,
    cluster,
    claims,
  }: { readonly group: PlacementGroup; readonly cluster: Cluster; readonly claims: readonly NodeClaim[] },
): readonly string[] {
  const own = new Set(claims.map(({ name }) => name));
  const others = [...cluster.nodeClaims.values()].filter(({ name }) => !own.has(name));
  const instances = instancesOf(group, others);
  return zones.filter((zone) => roomInZone(group, zone, instances) > 0);
}

/** The most that any of the claims asks for. */
function requestsOf(claims: readonly NodeClaim[]): ResourceList {
  return claims.map(({ spec }) => spec.requests).reduce(maxResources);
}

/** A node class that instances can be launched from, and what it amounts to. */
interface Launchable {
  readonly source: NodeClass;
  readonly resolved: ResolvedNodeClass;
}

/** What is to be asked for. */
interface Wanted {
  readonly source: NodeClass;
  readonly offerings: LaunchOfferings;
}

const NO_RESERVATION: ClaimNews = {
  action: 'Refuse',
  reason: 'NoReservation',
  message: 'no Reservation was written for it in time, so its node would start without pods',
  event: 'Warning',
};

/** Karpenter's event has a longer name than the reason. */
function outOfStock({ status }: NodeClaim): ClaimNews {
  return {
    action: 'Launch',
    reason: 'InsufficientCapacity' satisfies OwnDecisionReason,
    message: `insufficient capacity: ${status.launch?.error ?? 'all compatible offerings are unavailable'}`,
    event: { type: 'Warning', reason: 'InsufficientCapacityError' },
  };
}

/**
 * An attempt of a launch group that was recorded and not answered yet: asking the cloud, and settling which claim has which
 * instance. It may have been asked before, by a process that died: then its instances are looked up, and the same call repeated.
 */
import {
  isLaunchOpen,
  type LaunchStatus,
  type NodeClaim,
  type NodeClaimStatus,
} from '../../../domain/nodes/node-claim.js';
import type { EventReason } from '../../../domain/records/event-reasons.js';
import {
  CLUSTER_TAG,
  LAUNCH_GROUP_TAG,
  claimTags,
  type LaunchAnswer,
  type LaunchFailure,
  type CloudInstance,
} from '../../../ports/cloud.js';
import { hasCode } from '../../../ports/port-error.js';
import { inParallel } from '../../../runtime/concurrency/in-parallel.js';
import type { Requeue } from '../../../runtime/concurrency/work-queue.js';
import { clusterUID } from '../../../state/cluster/cluster-uid.js';
import { withConditions } from '../claim-conditions.js';
import { endClaim } from '../end-claim.js';
import { launchCall, shortRequest } from './launch-call.js';
import { allFailed, describeFailures, giveUpPool, isOfPool, unavailableAfter } from './launch-failures.js';
import { membersOf, type LaunchGroup, type OpenLaunch } from './launch-group.js';
import type { LifecycleContext } from '../lifecycle-context.js';
import { recordClaim, settleClaim, type ClaimNews } from '../record-claim.js';
import type { TokenMemory } from './token-memory.js';
import { offeringIn, paidPrice, type InstanceType } from '../../../domain/nodes/instance-type.js';
import { launchedResources } from '../../../domain/nodes/launched-resources.js';
import type { ResourceList } from '../../../domain/values/resources.js';

/** Of a type that is not known. */
const NO_FACTS = { capacity: new Map<string, number>(), allocatable: new Map<string, number>() };

interface Answer extends LaunchAnswer {
  /** Nothing more is to be asked for these claims. */
  readonly isLast?: boolean;
}

interface Assignment {
  readonly pairs: readonly { readonly claim: NodeClaim; readonly instance: CloudInstance }[];
  readonly rest: readonly NodeClaim[];
}

/** What an answer means for the claims of an attempt. */
interface Outcome extends Pick<Assignment, 'pairs'> {
  readonly launch: LaunchStatus;
  readonly failed: readonly NodeClaim[];
  /** Of those that failed. */
  readonly error: string;
}

export class LaunchAttempt {
  readonly #context: LifecycleContext;
  readonly #tokens: TokenMemory;

  constructor(context: LifecycleContext, tokens: TokenMemory) {
    this.#context = context;
    this.#tokens = tokens;
  }

  /** Asks for an answer and writes it down. Claims that got nothing are failed, and may take part in the next attempt. */
  async settle(
    group: LaunchGroup,
    { launch, keeper }: OpenLaunch,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const members = membersOf(group, launch);
    const open = members.filter(isLaunchOpen);
    const isIncomplete = members.length < launch.request.size;
    if (this.#tokens.isUnsent(launch.token) && (isIncomplete || open.every(isBeingDeleted))) {
      const error = 'some NodeClaims of the group were deleted before its launch';
      await this.#answer({ launch, pairs: [], failed: open, error }, signal);
      return undefined;
    }
    if (open.every(isBeingDeleted)) return this.#abandon(open, launch, ABANDONED, signal);
    if (keeper === undefined) return this.#abandon(open, launch, REQUEST_LOST, signal);
    const answer = await this.#ask(open, launch, signal);
    if (answer === undefined) return { requeueAfterMillis: this.#context.settings.pollMillis };
    return this.#carryOut(open, launch, answer, signal);
  }

  /** undefined: ask again later. */
  async #ask(
    open: readonly NodeClaim[],
    launch: LaunchStatus,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const { cloud, cluster, clusterName } = this.#context;
    const [first] = open;
    if (first === undefined) return undefined;
    if (!this.#tokens.isOwn(launch.token)) {
      const instances = await this.#unownedInstances(launch, signal);
      if (instances.length >= open.length) return { instances, failures: [] };
    }
    this.#tokens.sent(launch.token);
    const call = launchCall(first, launch, { uid: clusterUID(cluster), name: clusterName });
    try {
      return await cloud.launch(call, signal);
    } catch (error) {
      if (hasCode(error, 'TokenMismatch')) return this.#adopt(open, launch, signal);
      if (hasCode(error, ...REFUSALS))
        return { instances: [], failures: allFailed(launch.request, error.code, error.message) };
      if (hasCode(error, ...DELAYS)) this.#tell(open, 'LaunchDelayed', error.message);
      throw error;
    }
  }

  /** The launch happened with other words; what it launched shows up within the time that the cloud takes to be consistent. */
  async #adopt(
    open: readonly NodeClaim[],
    launch: LaunchStatus,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const instances = await this.#unownedInstances(launch, signal);
    const isLast = this.#isSearchOver(launch);
    return instances.length >= open.length || isLast ? { instances, failures: [], isLast } : undefined;
  }

  /**
   * The call is not repeated: all its claims are being deleted, or what was asked for is no longer known. They get what was
   * launched; after the time in which the cloud shows everything, nothing was, and another token can buy nothing twice.
   */
  async #abandon(
    open: readonly NodeClaim[],
    launch: LaunchStatus,
    why: string,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const isOver = this.#isSearchOver(launch);
    const { pairs, rest } = this.#assign(open, await this.#unownedInstances(launch, signal));
    const failed = isOver ? rest : [];
    await this.#answer({ launch, pairs, failed, error: why }, signal);
    if (failed.length < rest.length) return { requeueAfterMillis: this.#context.settings.pollMillis };
    this.#tokens.forget(launch.token);
    return undefined;
  }

  async #carryOut(
    open: readonly NodeClaim[],
    launch: LaunchStatus,
    { instances, failures, isLast = false }: Answer,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const { pairs, rest } = this.#assign(open, instances);
    const isSilent = failures.length === 0 && (rest.length === 0 || isLast);
    const isAnyMarked = !isSilent && this.#mark(open, launch, failures);
    const error = isLast ? TOKEN_USED : describeFailures(failures);
    await this.#answer({ launch, pairs, failed: rest, error }, signal);
    this.#tokens.forget(launch.token);
    // Another token could buy the same instances twice.
    if (isLast) await inParallel(rest, (claim) => endClaim(this.#context, claim, UNKNOWN_LAUNCH, signal));
    if (rest.length === 0 || isLast || isAnyMarked) return undefined;
    const isGivenUp = isOfPool(failures) && (await giveUpPool(this.#context, rest, error, signal));
    return isGivenUp ? undefined : this.#again(rest, launch, error);
  }

  /** Answers whether any offerings were marked as unavailable, so that the next attempt is another one. */
  #mark(
    [claim]: readonly NodeClaim[],
    { request }: LaunchStatus,
    failures: readonly LaunchFailure[],
  ): boolean {
    const { clock, metrics, unavailableOfferings } = this.#context;
    for (const { code, zone, capacityType } of failures) {
      metrics.launchFailures.inc({ code });
      metrics.launchFailuresByZone.inc({ zone, capacity_type: capacityType, reason: code });
    }
    const unavailable = unavailableAfter(request, failures, claim?.labels);
    for (const offering of unavailable) unavailableOfferings.mark(offering, clock.now());
    return unavailable.length > 0;
  }

  /** No offering is to blame, so the next attempt will be the same: it is delayed and reported. */
  #again(rest: readonly NodeClaim[], { attempt }: LaunchStatus, error: string): Requeue {
    this.#tell(rest, 'LaunchFailed', error);
    const { pollMillis } = this.#context.settings;
    return { requeueAfterMillis: Math.min(pollMillis * 2 ** (attempt - 1), LONGEST_PAUSE_MILLIS) };
  }

  /** Instances in the order of their ids to claims in theirs; `rest` are the claims that are left without. */
  #assign(open: readonly NodeClaim[], instances: readonly CloudInstance[]): Assignment {
    const free = this.#unowned(instances);
    const pairs = open.flatMap((claim, index) => {
      const instance = free[index];
      return instance === undefined ? [] : { claim, instance };
    });
    return { pairs, rest: open.slice(pairs.length) };
  }

  /** The claim that keeps the request comes last: as long as any other waits for its answer, the call can be repeated. */
  async #answer({ launch, pairs, failed, error }: Outcome, signal: AbortSignal): Promise<void> {
    const writes = [
      ...pairs.map(({ claim, instance }) => ({
        claim,
        write: () => this.#give(claim, launch, instance, signal),
      })),
      ...failed.map((claim) => ({ claim, write: () => this.#fail(claim, error, signal) })),
    ];
    const isKeeper = ({ claim }: (typeof writes)[number]): boolean =>
      claim.status.launch?.requestKeptBy === undefined;
    await inParallel(
      writes.filter((each) => !isKeeper(each)),
      ({ write }) => write(),
    );
    await inParallel(writes.filter(isKeeper), ({ write }) => write());
  }

  async #give(
    claim: NodeClaim,
    launch: LaunchStatus,
    instance: CloudInstance,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, catalogue, overlaid, nodeClass, writer, cloud, logger, recorder, metrics } = this.#context;
    const now = clock.now();
    const source = nodeClass(claim.spec.nodeClassRef);
    const types = source ? overlaid.typesOfClaim(source, claim) : catalogue().instanceTypes;
    await writer.updateStatus(
      claim,
      {
        ...instanceFacts({ instance, launch, types, requests: claim.spec.requests }),
        launch: {
          ...launch,
          request: shortRequest(launch.request, instance),
          requestKeptBy: undefined,
          answeredAt: now,
        },
        conditions: withConditions(claim, [{ type: 'Launched', status: 'True' }], now),
      },
      signal,
    );
    const { id, instanceType, zone, capacityType } = instance;
    metrics.launches.inc({ nodepool: claim.spec.nodePool, outcome: 'launched' });
    const message = `${instanceType} in ${zone}, ${capacityType}: ${id}`;
    recordClaim(recorder, claim, { action: 'Launch', reason: 'Launched', message, event: 'Normal' });
    settleClaim(recorder, claim, 'Place', `launched as ${message}`);
    const tags = claimTags(claim.name, launch.request.tags);
    // The claim's status is what counts; the garbage collector adds a tag that is missing.
    await cloud.tagInstances([id], tags, signal).catch((error: unknown) => {
      logger.warn('Failed to tag instance', { instance: id, nodeClaim: claim.name, error });
    });
  }

  async #fail(claim: NodeClaim, error: string, signal: AbortSignal): Promise<void> {
    const { clock, writer, metrics } = this.#context;
    const now = clock.now();
    const change = { type: 'Launched', status: 'False', reason: 'LaunchFailed', message: error } as const;
    const { launch } = claim.status;
    if (launch === undefined) return;
    metrics.launches.inc({ nodepool: claim.spec.nodePool, outcome: 'failed' });
    const conditions = withConditions(claim, [change], now);
    await writer.updateStatus(claim, { launch: { ...launch, answeredAt: now, error }, conditions }, signal);
  }

  #tell(claims: readonly NodeClaim[], reason: EventReason<'Warning', 'NodeClaim'>, why: string): void {
    const message = `${why.replace(/\.$/, '')}; the launch will be retried`;
    for (const claim of claims)
      recordClaim(this.#context.recorder, claim, { action: 'Refuse', reason, message, event: 'Warning' });
  }

  async #unownedInstances({ group }: LaunchStatus, signal: AbortSignal): Promise<readonly CloudInstance[]> {
    const { cloud, cluster } = this.#context;
    const tags = new Map([
      [CLUSTER_TAG, clusterUID(cluster)],
      [LAUNCH_GROUP_TAG, group],
    ]);
    return this.#unowned(await cloud.instances(tags, signal));
  }

  #unowned(instances: readonly CloudInstance[]): readonly CloudInstance[] {
    const { cluster } = this.#context;
    return instances
      .filter(({ state }) => state === 'pending' || state === 'running')
      .filter(({ providerID }) => cluster.claimByProviderID(providerID) === undefined)
      .sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  #isSearchOver({ token }: LaunchStatus): boolean {
    const { clock, settings } = this.#context;
    return this.#tokens.searchedMillis(token, clock.monotonic()) >= settings.consistencyMillis;
  }
}

/** What certainly launched nothing, and is an answer. */
const REFUSALS = ['InsufficientCapacity', 'QuotaExceeded', 'Invalid', 'NotFound', 'Forbidden'] as const;

/** Whether it launched anything is not known, or it did not yet: the same call again will tell. */
const DELAYS = ['RateLimited', 'Unavailable', 'TimedOut'] as const;

/** Between attempts that fail for the same reason: what the user mends is noticed within it. */
const LONGEST_PAUSE_MILLIS = 60_000;

const TOKEN_USED = 'the cloud provider used the client token for another request';
const ABANDONED = 'abandoned before the cloud provider answered; no instance was launched';
const REQUEST_LOST =
  'the NodeClaim that kept the request of the launch group was removed, and no instance of that launch was found';

const UNKNOWN_LAUNCH: ClaimNews = {
  action: 'Launch',
  reason: 'LaunchUnknown',
  message: `${TOKEN_USED}, and no instance of that launch was found`,
  event: 'Warning',
};

function isBeingDeleted({ deletionTimestamp }: NodeClaim): boolean {
  return deletionTimestamp !== undefined;
}

interface InstanceFactsQuestion {
  readonly instance: CloudInstance;
  readonly launch: Pick<LaunchStatus, 'request'>;
  /** What the claim asks for. */
  readonly requests: ResourceList;
  /** Those of the claim's node class for its pool. */
  readonly types: readonly InstanceType[];
}

/** The part of a claim's status that an instance settles. */
function instanceFacts(question: InstanceFactsQuestion): Partial<NodeClaimStatus> {
  const { instance, launch, requests, types } = question;
  const { request } = launch;
  const { providerID, instanceType, zone, capacityType, imageID } = instance;
  const type = types.find(({ name }) => name === instanceType);
  const asked = request.overrides.find(
    (override) => override.instanceType === instanceType && override.zone === zone,
  );
  const offered = offeringIn(type, instance);
  return {
    providerID,
    instanceType,
    zone,
    capacityType,
    // A cloud that has only just launched it may not say.
    imageID: imageID === '' ? asked?.imageID : imageID,
    hourlyPrice: asked?.price ?? (offered && paidPrice(offered)),
    ...(type === undefined ? NO_FACTS : launchedResources(type, requests)),
  };
}

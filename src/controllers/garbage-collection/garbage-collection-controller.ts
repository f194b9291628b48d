/** Removes orphaned objects, periodically and at the start. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import type { OwnDecisionReason } from '../../domain/records/decision-reasons.js';
import { claimTags, NODECLAIM_TAG, type Cloud, type CloudInstance } from '../../ports/cloud.js';
import type { Clock } from '../../ports/clock.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import type { Recorder } from '../../ports/recorder.js';
import { withDeadline } from '../../runtime/time/deadline.js';
import { inParallel } from '../../runtime/concurrency/in-parallel.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { clusterUID } from '../../state/cluster/cluster-uid.js';
import { ClusterWriter } from '../cluster-writer.js';
import { endClaim, type EndContext } from '../node-claim/end-claim.js';
import { OwnedInstances } from '../owned-instances.js';
import { FEW_ORPHANS } from '../safeguards/safety-limits.js';
import { Safeguards } from '../safeguards/safeguards.js';
import { findGarbage, isAlive, type Garbage } from './garbage.js';

/** All in milliseconds. */
export interface GarbageCollectionSettings {
  /** From the end of one collection to the next; 120,000 by default. */
  readonly everyMillis: number;
  /** Younger instances are left alone, and so long is an instance seen without a claim before it is ended; 30,000 by default. */
  readonly youngMillis: number;
  /** Within this time the cloud shows everything that happened; 60,000 by default. */
  readonly consistencyMillis: number;
}

export interface GarbageCollectionOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings?: Partial<GarbageCollectionSettings> | undefined;
  /** Its own, with the default limits, unless they are shared. */
  readonly safeguards?: Safeguards | undefined;
  /** Listed for it alone unless they are shared. */
  readonly instances?: OwnedInstances | undefined;
}

const DEFAULT_SETTINGS: GarbageCollectionSettings = {
  everyMillis: 120_000,
  youngMillis: 30_000,
  consistencyMillis: 60_000,
};
const TIMEOUT_MILLIS = 120_000;
/** Of the listing: at the start others have one under way. */
const MOST_AGE_MILLIS = 30_000;
/** Instances ended by one call. */
const BATCH = 100;

export class GarbageCollectionController {
  readonly #options: GarbageCollectionOptions;
  readonly #settings: GarbageCollectionSettings;
  readonly #context: EndContext;
  readonly #safeguards: Safeguards;
  readonly #owned: OwnedInstances;
  /** `<what> <claim's uid>` → since when it is missed; monotonic. */
  #missed = new Map<string, number>();
  /** Instance without a claim → when it was first seen as one; monotonic. */
  #orphans = new Map<string, number>();

  constructor(options: GarbageCollectionOptions) {
    const { cluster, kube, clock, recorder, logger, metrics } = options;
    this.#options = options;
    this.#safeguards = options.safeguards ?? new Safeguards(options);
    this.#owned = options.instances ?? new OwnedInstances(options);
    this.#settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const writer = new ClusterWriter({ kube, cluster });
    this.#context = { cluster, clock, recorder, logger, metrics, writer };
  }

  /** Works until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, cluster, logger } = this.#options;
    const deadline = { clock, millis: TIMEOUT_MILLIS, signal, operation: 'collect garbage' };
    await cluster.whenSynced(['NodeClaim', 'Node', 'Namespace'], signal).catch(() => undefined);
    while (!signal.aborted) {
      try {
        await withDeadline(deadline, (ownSignal) => this.collect(ownSignal));
      } catch (error) {
        if (!hasCode(error, 'Cancelled')) logger.warn('Failed to collect garbage', { error });
      }
      await clock.sleep(this.#nextMillis(), signal).catch(() => undefined);
    }
  }

  /** One collection. @throws PortError, after everything that could be done was. */
  async collect(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    if (this.#safeguards.isPaused()) return;
    const listed = await this.#owned.list(MOST_AGE_MILLIS);
    const instances = [...listed.instances.values()];
    const garbage = findGarbage({
      instances,
      claims: [...cluster.nodeClaims.values()],
      nodes: [...cluster.nodes.values()],
      clusterUID: clusterUID(cluster),
      // The listing tells nothing of what happened since it began.
      now: listed.asOf,
      ...this.#settings,
    });
    const orphans = this.#endable(this.#seenBefore(garbage.orphans), instances.filter(isAlive).length);
    const mine = { ...garbage, orphans };
    await inParallel(this.#work(mine, signal), async (work) => {
      if (!this.#safeguards.isPaused()) await work();
    });
  }

  /**
   * Those that were seen without a claim a while ago, too: the watch of a busy process tells of a claim late, and an instance that is
   * adopted is old when its claim is new. Nor does a wall clock that was set forward make an instance an orphan.
   */
  #seenBefore(orphans: readonly CloudInstance[]): readonly CloudInstance[] {
    const now = this.#options.clock.monotonic();
    const seen = new Map(orphans.map(({ id }) => [id, this.#orphans.get(id) ?? now]));
    this.#orphans = seen;
    return orphans.filter(({ id }) => now - (seen.get(id) ?? now) >= this.#settings.youngMillis);
  }

  /** Whether the API server has the NodeClaim that the instance is tagged with, for this instance; without an answer it may. */
  async #isClaimed({ id, providerID, tags }: CloudInstance, signal: AbortSignal): Promise<boolean> {
    const { kube, logger } = this.#options;
    const nodeClaim = tags.get(NODECLAIM_TAG);
    if (nodeClaim === undefined) return false;
    const claim = await kube.readNodeClaim(nodeClaim, signal).catch((error: unknown) => {
      logger.warn('Failed to read the NodeClaim of an instance; it is kept', {
        instance: id,
        nodeClaim,
        error,
      });
      return 'unknown' as const;
    });
    if (claim === 'unknown') return true;
    const isClaimed = claim?.status.providerID === providerID;
    if (isClaimed)
      logger.warn('An instance has a NodeClaim that was not seen yet; it is kept', {
        instance: id,
        nodeClaim,
      });
    return isClaimed;
  }

  /**
   * Those that this round ends. So many at once are rather a sign that the claims were lost than the instances: a CRD that was
   * deleted, an etcd that was restored.
   */
  #endable(orphans: readonly CloudInstance[], instances: number): readonly CloudInstance[] {
    const { orphanPercent, orphansPerRound } = this.#safeguards.limits;
    const ended = orphans.slice(0, orphansPerRound);
    const isBraked = orphans.length > FEW_ORPHANS && orphans.length * 100 > instances * orphanPercent;
    const count = `${String(orphans.length)} of ${String(instances)} instances have no NodeClaim`;
    if (isBraked)
      this.#tellHeld(
        'max-orphan-percent',
        'OrphansBraked',
        `${count}, more than ${String(orphanPercent)} % (--max-orphan-percent): none is terminated. If NodeClaims were lost, restore them; else terminate the instances or raise the limit`,
      );
    else if (ended.length < orphans.length)
      this.#tellHeld(
        'max-orphans-per-round',
        'OrphansLimited',
        `${count}; ${String(ended.length)} are terminated in this round (--max-orphans-per-round)`,
      );
    return isBraked ? [] : ended;
  }

  #tellHeld(limit: string, reason: EventReason<'Warning', 'Namespace'>, message: string): void {
    const { cluster, logger, recorder } = this.#options;
    this.#safeguards.hit(limit);
    logger.warn('Limited the termination of instances without a NodeClaim', { reason, message });
    recorder.record({
      subject: { kind: 'Namespace', namespace: '', name: 'kube-system', uid: clusterUID(cluster) },
      action: 'Refuse',
      reason,
      message,
      trigger: 'garbage collection',
      considered: '',
      saving: undefined,
      event: { type: 'Warning', reason },
    });
  }

  #work(garbage: Garbage, signal: AbortSignal): readonly (() => Promise<unknown>)[] {
    const missed = this.#overdue(garbage);
    const { orphans } = garbage;
    const batches = Array.from({ length: Math.ceil(orphans.length / BATCH) }, (_, index) =>
      orphans.slice(index * BATCH, (index + 1) * BATCH),
    );
    return [
      ...batches.map((instances) => () => this.#terminate(instances, signal)),
      ...garbage.ended.map((claim) => () => this.#end(claim, 'InstanceGone', signal)),
      ...missed.unlisted.map((claim) => () => this.#end(claim, 'InstanceGone', signal)),
      ...missed.nodeless.map((claim) => () => this.#end(claim, 'NodeGone', signal)),
      ...garbage.nodes.map((node) => () => this.#release(node, signal)),
      ...garbage.untagged.map(
        ({ instance, claim }) =>
          () =>
            this.#tag(instance, claim, signal),
      ),
    ];
  }

  /** One look is not enough to say that something is not there: it has to be missed for as long as the cloud may lag. */
  #overdue({ unlisted, nodeless }: Garbage): Pick<Garbage, 'unlisted' | 'nodeless'> {
    const now = this.#options.clock.monotonic();
    const missed = new Map<string, number>();
    const isOverdue =
      (what: string) =>
      ({ uid }: NodeClaim): boolean => {
        const since = this.#missed.get(`${what} ${uid}`) ?? now;
        missed.set(`${what} ${uid}`, since);
        return now - since >= this.#settings.consistencyMillis;
      };
    const overdue = {
      unlisted: unlisted.filter(isOverdue('instance')),
      nodeless: nodeless.filter(isOverdue('node')),
    };
    this.#missed = missed;
    return overdue;
  }

  /** What is missed is looked for again sooner, and so is what may be an orphan. */
  #nextMillis(): number {
    const { everyMillis, consistencyMillis, youngMillis } = this.#settings;
    if (this.#orphans.size > 0) return Math.min(everyMillis, youngMillis);
    return this.#missed.size > 0 ? Math.min(everyMillis, consistencyMillis) : everyMillis;
  }

  /** Those whose claim the API server does not know either. */
  async #terminate(instances: readonly CloudInstance[], signal: AbortSignal): Promise<void> {
    const { cloud, recorder, logger } = this.#options;
    const claimed = new Set<CloudInstance>();
    await inParallel(instances, async (instance) => {
      if (await this.#isClaimed(instance, signal)) claimed.add(instance);
    });
    const ids = instances.filter((instance) => !claimed.has(instance)).map(({ id }) => id);
    if (ids.length === 0) return;
    await cloud.terminate(ids, signal);
    logger.warn('Terminated instances without a NodeClaim', { instances: ids });
    for (const id of ids) {
      recorder.record({
        subject: { kind: 'Instance', namespace: '', name: id, uid: id },
        action: 'Terminate',
        reason: 'OrphanedInstance' satisfies OwnDecisionReason,
        message: "it has this cluster's tag, but no NodeClaim",
        trigger: 'garbage collection',
        considered: '',
        saving: undefined,
        event: undefined,
      });
    }
  }

  async #end(claim: NodeClaim, reason: 'InstanceGone' | 'NodeGone', signal: AbortSignal): Promise<void> {
    const message =
      reason === 'InstanceGone'
        ? `instance ${claim.status.providerID ?? ''} is gone, and Berth did not terminate it`
        : `node ${claim.status.nodeName ?? ''} is gone, but its instance is not`;
    const trigger = 'garbage collection';
    await endClaim(
      this.#context,
      claim,
      { action: 'Terminate', reason, message, trigger, event: 'Warning' },
      signal,
    );
  }

  async #release(node: ObservedNode, signal: AbortSignal): Promise<void> {
    const { writer, logger } = this.#context;
    await writer.releaseNode(node, signal);
    logger.warn('Released a node without a NodeClaim', { node: node.name });
  }

  async #tag({ id }: CloudInstance, { name, status }: NodeClaim, signal: AbortSignal): Promise<void> {
    await this.#options.cloud.tagInstances([id], claimTags(name, status.launch?.request.tags), signal);
  }
}

/**
 * Termination: a claim that is being deleted takes its pods, their volumes, its instance and its node with it, in this order, and
 * only then goes itself.
 */
import {
  DISRUPTED_TAINT,
  drainSeconds,
  instanceID,
  isLaunchOpen,
  UNREGISTERED_TAINT,
  type NodeClaim,
} from '../../../domain/nodes/node-claim.js';
import { hasTaint } from '../../../domain/values/taint.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import type { CloudInstance } from '../../../ports/cloud.js';
import type { NodePatch } from '../../../ports/kube-writer.js';
import { hasCode } from '../../../ports/port-error.js';
import type { Requeue } from '../../../runtime/concurrency/work-queue.js';
import { PAUSE_LOOK_MILLIS } from '../../safeguards/safeguards.js';
import { ZONE } from '../../../domain/values/labels.js';
import { countDisrupted } from '../../count-disrupted.js';
import { type ConditionChange, is, since, withConditions } from '../claim-conditions.js';
import { Drainer, isDrained } from './drain.js';
import type { LifecycleContext } from '../lifecycle-context.js';
import { Surges } from './surges.js';
import { listed } from '../../../domain/values/text.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { recordClaim, settleClaim } from '../record-claim.js';
import { takenBackAt } from '../taken-back.js';

/** Load balancers of the cloud's controller leave out nodes with it (Kubernetes well-known labels page). */
const NO_LOAD_BALANCER_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';

export class Termination {
  readonly #context: LifecycleContext;
  readonly #drainer: Drainer;
  readonly #surges: Surges;

  constructor(context: LifecycleContext) {
    this.#context = context;
    this.#surges = new Surges(context);
    this.#drainer = new Drainer(context, this.#surges);
  }

  /** One step of a claim whose deletion was asked for. */
  async reconcile(claim: NodeClaim, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, settings } = this.#context;
    const { providerID, disruption } = claim.status;
    // The launch has to be answered first: it may have bought something.
    if (isLaunchOpen(claim)) return { requeueAfterMillis: settings.pollMillis };
    if (providerID === undefined) return this.#release(claim, undefined, signal);
    if (disruption === undefined) return this.#begin(claim, signal);
    const node = cluster.nodeOfClaim(claim.name);
    if (node === undefined || is(claim, 'InstanceTerminating')) {
      await this.#surges.advance(claim, [], signal);
      if (this.#surges.isOutdated(claim)) return { requeueAfterMillis: 1 };
    }
    if (is(claim, 'InstanceTerminating')) return this.#awaitEnd(claim, node, signal);
    const heldMillis = this.#heldMillis(claim);
    if (heldMillis !== undefined) return { requeueAfterMillis: heldMillis };
    const end = (drained: Drained, detached: Detached): Promise<Requeue> =>
      this.#endInstance({ claim, providerID, drained, detached }, signal);
    return node === undefined
      ? end({ type: 'Drained', ...NODE_NOT_FOUND }, { type: 'VolumesDetached', ...NODE_NOT_FOUND })
      : this.#drain({ claim, node, end }, signal);
  }

  /** The claim is gone. */
  forget(claim: NodeClaim): void {
    this.#drainer.forget(claim);
  }

  /** For how long nothing is done about it: while Berth is paused, and while as many others end as may. */
  #heldMillis(claim: NodeClaim): number | undefined {
    const { safeguards, settings, recorder, clock } = this.#context;
    if (safeguards.isPaused()) return PAUSE_LOOK_MILLIS;
    // An instance that the cloud takes back is drained as long as it is there.
    const isUrgent = is(claim, 'Interrupted') || (hardStop(claim) ?? Infinity) <= clock.now();
    if (safeguards.mayEnd(claim, isUrgent)) return undefined;
    const { concurrentTerminations } = safeguards.limits;
    recordClaim(recorder, claim, {
      action: 'Refuse',
      reason: 'TerminationsLimited',
      message: `${String(concurrentTerminations)} other NodeClaims are being drained or terminated (--max-concurrent-terminations); the termination is delayed`,
      event: 'Normal',
    });
    return settings.pollMillis;
  }

  /** The deletion was asked for by another client than Berth. */
  async #begin(claim: NodeClaim, signal: AbortSignal): Promise<undefined> {
    const { writer, clock, recorder } = this.#context;
    const reason = 'Deleted';
    await writer.updateStatus(claim, { disruption: { reason, decidedAt: clock.now() } }, signal);
    countDisrupted(this.#context, claim, reason);
    const message = 'another client deleted the NodeClaim';
    recordClaim(recorder, claim, { action: 'Disrupt', reason, message, event: 'Normal' });
    return undefined;
  }

  /** `end` takes the instance away once there is nothing left to wait for. */
  async #drain(step: DrainStep, signal: AbortSignal): Promise<Requeue | undefined> {
    const { claim, node, end } = step;
    if (!isMarkedDisrupted(node) && (await this.#mark(node, signal))) return undefined;
    if (!node.ready && isGone(await this.#instanceOf(claim)))
      return end({ type: 'Drained', ...INSTANCE_GONE }, { type: 'VolumesDetached', ...INSTANCE_GONE });
    const deadline = hardStop(claim);
    const reason = claim.status.disruption?.reason ?? 'Deleted';
    const progress = await this.#drainer.drain(claim, node, { reason, deadline }, signal);
    switch (progress.kind) {
      case 'drained': {
        const latePodsMillis = this.#latePodsMillis(claim, deadline);
        return latePodsMillis > 0
          ? { requeueAfterMillis: latePodsMillis }
          : this.#detach(step, DRAINED, deadline, signal);
      }
      case 'stopped':
        return this.#detach(step, STOPPED, deadline, signal);
      case 'draining':
        return { requeueAfterMillis: progress.requeueAfterMillis };
    }
  }

  /** Answers whether it was allowed: where it is not, a node goes unmarked that keeps all pods away as it is. */
  async #mark(node: ObservedNode, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#context.writer.patchNode(node, disruptedPatch(node), signal);
      return true;
    } catch (error) {
      const isClosed = hasTaint(node.taints, UNREGISTERED_TAINT);
      if (!isClosed || !hasCode(error, 'Forbidden', 'Invalid')) throw error;
      return false;
    }
  }

  /** For how long pods may still be bound to the node, by a scheduler that does not know its taint yet. */
  #latePodsMillis({ status }: NodeClaim, deadline = Infinity): number {
    const { clock, settings } = this.#context;
    const decidedAt = status.disruption?.decidedAt ?? -Infinity;
    return Math.min(decidedAt + settings.leastDrainMillis, deadline) - clock.now();
  }

  /** A node without volumes is written to once only, when its instance is asked to end. */
  async #detach(
    { claim, node, end }: DrainStep,
    drained: Drained,
    deadline: number | undefined,
    signal: AbortSignal,
  ): Promise<Requeue> {
    const { cluster, clock, writer, recorder, settings } = this.#context;
    const now = clock.now();
    const volumes = awaitedVolumes(cluster, node.name, now);
    if (volumes.length === 0) return end(drained, DETACHED);
    if (deadline !== undefined && now >= deadline) return end(drained, STILL_ATTACHED);
    const message = describeAwaited(volumes);
    const known = claim.status.conditions.find(({ type }) => type === 'VolumesDetached');
    if (known?.message !== message) {
      const conditions = withConditions(claim, [drained, { ...AWAITED, message }], now);
      await writer.updateStatus(claim, { conditions }, signal);
    }
    if (known === undefined)
      recordClaim(recorder, claim, { action: 'Drain', reason: AWAITED.reason, message, event: 'Normal' });
    return { requeueAfterMillis: Math.max(1, Math.min(settings.pollMillis, (deadline ?? Infinity) - now)) };
  }

  /** A process that starts after a kill in between finds the node drained again, and asks again: both change nothing. */
  async #endInstance(
    { claim, providerID, drained, detached }: EndStep,
    signal: AbortSignal,
  ): Promise<Requeue> {
    const { writer, clock, settings, logger, metrics, recorder } = this.#context;
    const instance = instanceID(providerID);
    await this.#terminate(claim, instance, signal);
    const changes: readonly ConditionChange[] = [
      drained,
      detached,
      { type: 'InstanceTerminating', status: 'True' },
    ];
    await writer.updateStatus(claim, { conditions: withConditions(claim, changes, clock.now()) }, signal);
    const { status, reason = 'Drained', message = 'all pods of the node terminated' } = drained;
    logger.info('Drained node', { nodeClaim: claim.name, drained: status, reason });
    logger.info('Terminating instance', { nodeClaim: claim.name, instance });
    metrics.nodesDrained.inc({ nodepool: claim.spec.nodePool });
    settleClaim(recorder, claim, 'Drain', message);
    recordClaim(recorder, claim, { action: 'Drain', reason, message, event: 'Normal' });
    return { requeueAfterMillis: settings.pollMillis };
  }

  async #terminate({ status }: NodeClaim, instance: string, signal: AbortSignal): Promise<void> {
    const { cloud, metrics } = this.#context;
    try {
      await cloud.terminate([instance], signal);
    } catch (error) {
      if (!signal.aborted) metrics.terminationFailures.inc({ zone: status.zone ?? '' });
      throw error;
    }
  }

  async #awaitEnd(
    claim: NodeClaim,
    node: ObservedNode | undefined,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const { settings } = this.#context;
    const instance = await this.#instanceOf(claim);
    if (instance === undefined ? this.#isOldEnoughToBeMissed(claim) : isGone(instance))
      return this.#release(claim, node, signal);
    const isAlive = instance?.state === 'pending' || instance?.state === 'running';
    if (isAlive && !this.#context.safeguards.isPaused()) await this.#terminate(claim, instance.id, signal);
    return { requeueAfterMillis: settings.pollMillis };
  }

  /** The instance is gone, or never was. The node goes before the claim, whose finalizer is what remembers it. */
  async #release(
    claim: NodeClaim,
    node: ObservedNode | undefined,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const { writer, metrics, clock, settings } = this.#context;
    const { nodePool: nodepool } = claim.spec;
    // The claim is what remembers the replica more.
    if (this.#surges.isAny(claim)) return { requeueAfterMillis: settings.pollMillis };
    if (node !== undefined && (await writer.releaseNode(node, signal))) {
      metrics.nodesTerminated.inc({ nodepool, zone: zoneOf(node) });
      metrics.nodesLifetime.observe({ nodepool }, (clock.now() - node.createdAt) / 1000);
      const millis = clock.now() - (claim.deletionTimestamp ?? clock.now());
      metrics.nodesTermination.observe({ nodepool }, millis / 1000);
    }
    if (await writer.releaseClaim(claim, signal)) this.#gone(claim);
    return undefined;
  }

  #gone(claim: NodeClaim): void {
    const { metrics, recorder, logger, clock } = this.#context;
    const { nodeName = '(none registered)', providerID, disruption } = claim.status;
    const { nodePool: nodepool } = claim.spec;
    const now = clock.now();
    const millis = now - (claim.deletionTimestamp ?? now);
    const reason = disruption?.reason ?? 'Deleted';
    this.#context.safeguards.ended(claim);
    const { capacityType: capacity_type = '', zone = '' } = claim.status;
    metrics.nodeClaimsTerminated.inc({ nodepool, capacity_type, zone });
    metrics.nodeClaimsTermination.observe({ nodepool }, millis / 1000);
    logger.info('Removed NodeClaim', { nodeClaim: claim.name, reason });
    if (providerID === undefined) return;
    const end = since(claim, 'InstanceTerminating') ?? now;
    metrics.instanceTermination.observe({ nodepool }, (now - end) / 1000);
    const outcome = `terminated instance and removed node after ${String(Math.round(millis / 1000))} s`;
    for (const action of ['Disrupt', 'Terminate'] as const) settleClaim(recorder, claim, action, outcome);
    recordClaim(recorder, claim, {
      action: 'Terminate',
      reason: 'Terminated',
      message: `terminated instance ${instanceID(providerID)} and removed node ${nodeName}: ${reason}`,
      event: 'Normal',
    });
  }

  async #instanceOf({ status: { providerID } }: NodeClaim): Promise<CloudInstance | undefined> {
    return providerID === undefined ? undefined : this.#context.instances.one(providerID);
  }

  /** An instance that was just launched may not be listed yet. */
  #isOldEnoughToBeMissed(claim: NodeClaim): boolean {
    const { clock, settings } = this.#context;
    return clock.now() - (since(claim, 'Launched') ?? claim.createdAt) >= settings.consistencyMillis;
  }
}

type Drained = Extract<ConditionChange, { type: 'Drained' }>;
type Detached = Extract<ConditionChange, { type: 'VolumesDetached' }>;

interface DrainStep {
  readonly claim: NodeClaim;
  readonly node: ObservedNode;
  /** Asks for the end of the instance. */
  readonly end: (drained: Drained, detached: Detached) => Promise<Requeue>;
}

interface EndStep {
  readonly claim: NodeClaim;
  readonly providerID: string;
  readonly drained: Drained;
  readonly detached: Detached;
}

const DRAINED: Drained = { type: 'Drained', status: 'True' };
const DETACHED: Detached = { type: 'VolumesDetached', status: 'True' };
const AWAITED = { type: 'VolumesDetached', status: 'Unknown', reason: 'AwaitingVolumeDetachment' } as const;
const STILL_ATTACHED: Detached = {
  type: 'VolumesDetached',
  status: 'False',
  reason: 'TerminationGracePeriodElapsed',
  message: 'volumes were attached when the termination grace period ended',
};

const STOPPED: Drained = {
  type: 'Drained',
  status: 'False',
  reason: 'TerminationGracePeriodElapsed',
  message: 'pods were left when the termination grace period ended',
};
const NODE_NOT_FOUND = {
  status: 'True',
  reason: 'NodeNotFound',
  message: 'the instance has no node',
} as const;
const INSTANCE_GONE = {
  status: 'True',
  reason: 'InstanceGone',
  message: 'the instance terminated before its pods',
} as const;

function zoneOf({ labels }: ObservedNode): string {
  return labels.get(ZONE) ?? '';
}

function isMarkedDisrupted({ taints, labels }: ObservedNode): boolean {
  return hasTaint(taints, DISRUPTED_TAINT) && labels.has(NO_LOAD_BALANCER_LABEL);
}

/** Whatever taint there is of the same key says less, or wrong. */
function disruptedPatch({ taints }: ObservedNode): NodePatch {
  const others = taints.filter(({ key }) => key === DISRUPTED_TAINT.key);
  return {
    taints: { remove: others, add: [DISRUPTED_TAINT] },
    labels: { [NO_LOAD_BALANCER_LABEL]: 'berth' },
  };
}

/**
 * When the grace period of the claim or of the reason for which it goes is over, counted from its deletionTimestamp; and at the
 * latest when its instance is taken back: pods that are deleted a little before have their own grace period, those that are not
 * have none.
 */
function hardStop(claim: NodeClaim): number | undefined {
  const { deletionTimestamp = Infinity } = claim;
  const own = deletionTimestamp + (drainSeconds(claim) ?? Infinity) * 1000;
  const stop = Math.min(own, takenBackAt(claim) ?? Infinity);
  return stop === Infinity ? undefined : stop;
}

function isGone(instance: CloudInstance | undefined): boolean {
  return instance?.state === 'terminated';
}

/** Volumes named in one sentence. */
const NAMED_VOLUMES = 5;

/**
 * Which volumes keep the instance of a node that was drained, by the sorted names of PersistentVolumes: those that its pods used and
 * that are still attached to it. Volumes of pods that stay are detached only when the node is gone.
 */
function awaitedVolumes(cluster: Cluster, node: string, now: number): readonly string[] {
  const attached = cluster.volumesAttachedTo(node);
  if (attached.length === 0) return [];
  const kept = new Set(
    cluster
      .podsOn(node)
      .filter((pod) => !isDrained(pod, now))
      .flatMap(({ spec }) => spec.volumes)
      .map(({ claim }) => cluster.persistentVolumeClaims.get(claim)?.volumeName),
  );
  return attached.filter((volume) => !kept.has(volume)).sort();
}

/** `2 volumes are detached: pv-1, pv-2`, of which as many are named as may be. */
function describeAwaited(volumes: readonly string[]): string {
  const count = volumes.length === 1 ? '1 volume is' : `${String(volumes.length)} volumes are`;
  return `waiting until ${count} detached: ${listed(volumes, NAMED_VOLUMES)}`;
}

/**
 * Keeps the conditions of every claim that give reasons to disrupt it: Consolidatable, Drifted, Expired, Unhealthy, on which the
 * disruption controller acts; and ConsistentStateFound, which is only told.
 */
import { currentReboot } from '../../../domain/nodes/claim-reboot.js';
import { describeNodeClass, type NodeClass } from '../../../domain/policies/node-class.js';
import {
  ADOPTED_ANNOTATION,
  ADOPTED_RESOURCES_ANNOTATION,
  isChangingHands,
} from '../../../domain/nodes/handover.js';
import { conditionsText, isTrue } from '../../../domain/values/condition.js';
import {
  CA_HASH_ANNOTATION,
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
  NODEPOOL_FIELDS_ANNOTATION,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  type NodeClaim,
} from '../../../domain/nodes/node-claim.js';
import { launchedResources } from '../../../domain/nodes/launched-resources.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { ResourceList } from '../../../domain/values/resources.js';
import { policyStatusName } from '../../../domain/policies/policy.js';
import { quietSeconds } from '../../../planning/disrupt/methods/consolidation-terms.js';
import type { Cloud, CloudInstance, InstanceCatalogue } from '../../../ports/cloud.js';
import type { Clock } from '../../../ports/clock.js';
import type { ObservedKind } from '../../../ports/cluster-feed.js';
import type { KubeWriter } from '../../../ports/kube-writer.js';
import type { Logger } from '../../../ports/logger.js';
import type { Random } from '../../../ports/random.js';
import type { Recorder } from '../../../ports/recorder.js';
import { periodic } from '../../../runtime/concurrency/periodic.js';
import type { Metrics } from '../../../runtime/metrics/metrics.js';
import { WorkQueue, type Requeue } from '../../../runtime/concurrency/work-queue.js';
import { acceptedNodeClass } from '../../../state/policies/accepted-node-class.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { isLeaving } from '../../../state/nodes/node-state.js';
import { ClusterWriter } from '../../cluster-writer.js';
import { is } from '../../node-claim/claim-conditions.js';
import { tellInconsistent } from '../../node-claim/consistency.js';
import { OwnedInstances } from '../../owned-instances.js';
import type { ResolvedNodeClasses } from '../../policies/resolved-node-classes.js';
import { whileObserving } from '../../while-observing.js';
import { wantedState } from './claim-state.js';
import type { DriftRollouts } from '../rollout/drift-rollouts.js';
import { driftOf, driftTarget, knownAuthority, resolvedHash, type Drift } from './drift.js';
import type { PodEvents } from './pod-events.js';
import { hasFingerprint, hashAnnotations } from '../../fingerprint/template-hash.js';

export interface ConditionsControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly cloud: Pick<Cloud, 'instances' | 'repairPolicies'>;
  /** Listed for it alone unless they are shared. */
  readonly instances?: OwnedInstances | undefined;
  readonly catalogue: () => InstanceCatalogue;
  readonly resolved: ResolvedNodeClasses;
  readonly podEvents: PodEvents;
  /** Told which claims were compared with what; without it no drift is rolled out in stages. */
  readonly driftRollouts?: DriftRollouts | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
}

interface Comparison {
  readonly drift: Drift | undefined;
  /** What the claim was compared with, where its pool rolls drift out in stages and all of that is known. */
  readonly target: string | undefined;
}

const KINDS: readonly ObservedKind[] = ['NodeClaim', 'Node', 'Pod', 'Namespace', 'PolicyStatus'];
const CLAIMS_AT_ONCE = 10;
/** Images, subnets and prices change unseen. */
const LOOK_MILLIS = 60_000;
/** For what is found on instances alone. */
const LIST_MILLIS = 300_000;
/** Garbage is collected more often than that: its listings will do. */
const MOST_AGE_MILLIS = 150_000;
/** Pods of a node come together: their events are one look. */
const GATHER_MILLIS = 1000;

export class ConditionsController {
  readonly #options: ConditionsControllerOptions;
  readonly #writer: ClusterWriter;
  readonly #queue: WorkQueue;
  readonly #owned: OwnedInstances;
  #instances: ReadonlyMap<string, CloudInstance> = new Map();
  #hasListed = false;

  constructor(options: ConditionsControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#owned = options.instances ?? new OwnedInstances(options);
    this.#queue = new WorkQueue({
      ...options,
      name: 'nodeclaim.disruption',
      handle: (name, signal) => this.reconcile(name, signal),
      concurrency: CLAIMS_AT_ONCE,
      baseDelayMillis: 200,
      maxDelayMillis: 60_000,
      timeoutMillis: 60_000,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    const task = (): Promise<void> => this.#list();
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      this.#compareAgain();
      const listing = periodic({
        everyMillis: LIST_MILLIS,
        clock,
        signal,
        task,
        logger,
        name: 'list instances',
      });
      await Promise.all([this.#queue.run(signal), listing]);
    });
  }

  /** Brings the conditions of the claim of this name up to date. */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, driftRollouts } = this.#options;
    const claim = cluster.nodeClaims.get(name);
    const node = cluster.nodeOfClaim(name);
    if (claim !== undefined && !hasNoConditions(claim, node)) return this.#bringUpToDate(claim, node, signal);
    driftRollouts?.compared(name, undefined);
    return undefined;
  }

  async #bringUpToDate(
    claim: NodeClaim,
    node: ObservedNode | undefined,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const { cluster, clock, cloud, podEvents, recorder, driftRollouts } = this.#options;
    const pool = this.#pool(claim);
    const source = acceptedNodeClass(cluster, claim.spec.nodeClassRef);
    if (await this.#fingerprintAll(claim, pool, source, signal)) return undefined;
    const found = pool && (await this.#compare(claim, pool, source, signal));
    const state = wantedState({
      claim,
      node,
      pool,
      drift: found?.drift,
      lastPodEvent: node && podEvents.last(node.name),
      now: clock.now(),
      repairPolicies: cloud.repairPolicies,
      expected: this.#expected(claim, source),
    });
    const { conditions, lastPodEventTime } = state;
    const isNews =
      lastPodEventTime !== claim.status.lastPodEventTime ||
      conditionsText(conditions) !== conditionsText(claim.status.conditions);
    if (isNews) {
      const event = lastPodEventTime === undefined ? {} : { lastPodEventTime };
      await this.#writer.updateStatus(claim, { conditions, ...event }, signal);
      tellInconsistent(recorder, claim, conditions);
    }
    // What is written says what became of the comparison.
    driftRollouts?.compared(claim.name, found?.target);
    return { requeueAfterMillis: Math.max(1, Math.min(LOOK_MILLIS, state.nextAt - clock.now())) };
  }

  /** Answers whether any was written. */
  async #fingerprintAll(
    claim: NodeClaim,
    pool: NodePool | undefined,
    source: NodeClass | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (pool !== undefined && (await this.#fingerprint(claim, pool, source, signal))) return true;
    return source !== undefined && this.#fingerprintResolved(claim, source, signal);
  }

  /** A claim without fingerprints of today's kind gets them: from now on changes are drift. Answers whether it did. */
  async #fingerprint(
    claim: NodeClaim,
    pool: NodePool,
    source: NodeClass | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const isOfPoolCurrent = hasFingerprint(claim, NODEPOOL_HASH_VERSION_ANNOTATION, NODEPOOL_HASH_ANNOTATION);
    const isOfClassCurrent = hasFingerprint(
      claim,
      NODECLASS_HASH_VERSION_ANNOTATION,
      NODECLASS_HASH_ANNOTATION,
    );
    const isWhole = isOfPoolCurrent && (source === undefined || isOfClassCurrent);
    // What has drifted stays so: its fingerprint is not to be renewed.
    if (isWhole || isTrue(claim.status.conditions, 'Drifted')) return false;
    const wanted = [...hashAnnotations(pool, source)].filter(([key]) => {
      const isOfPool = key === NODEPOOL_FIELDS_ANNOTATION || key.startsWith(NODEPOOL_HASH_ANNOTATION);
      return isOfPool ? !isOfPoolCurrent : !isOfClassCurrent;
    });
    return this.#writer.annotateClaim(claim, Object.fromEntries(wanted), signal);
  }

  /**
   * What the node class of an adopted claim amounts to at first sight is no drift, nor is the CA bundle of the cluster, which
   * other launches have written down. Answers whether any was written.
   */
  async #fingerprintResolved(claim: NodeClaim, source: NodeClass, signal: AbortSignal): Promise<boolean> {
    const { annotations } = claim;
    const isNew = annotations.has(ADOPTED_ANNOTATION) && !annotations.has(ADOPTED_RESOURCES_ANNOTATION);
    const isTrusting = knownAuthority(claim) === undefined;
    if (!isNew && !isTrusting) return false;
    const resolved = await this.#options.resolved.resolve(source, signal).catch(() => undefined);
    if (resolved === undefined || resolved.problems.length > 0) return false;
    const { certificateAuthority } = resolved;
    const change = {
      ...(isNew && { [ADOPTED_RESOURCES_ANNOTATION]: resolvedHash(resolved) }),
      ...(isTrusting && certificateAuthority !== undefined && { [CA_HASH_ANNOTATION]: certificateAuthority }),
    };
    return Object.keys(change).length > 0 && this.#writer.annotateClaim(claim, change, signal);
  }

  /** What its instance type has, as it is launched for the claim. */
  #expected({ spec, status }: NodeClaim, source: NodeClass | undefined): ResourceList | undefined {
    const types = source === undefined ? [] : this.#options.catalogue().forNodeClass(source);
    const type = types.find(({ name }) => name === status.instanceType);
    return type && launchedResources(type, spec.requests).capacity;
  }

  async #compare(
    claim: NodeClaim,
    pool: NodePool,
    source: NodeClass | undefined,
    signal: AbortSignal,
  ): Promise<Comparison> {
    const { cluster, catalogue, resolved, logger } = this.#options;
    const question = {
      claim,
      pool,
      // Before it has registered it lacks the labels that registration gives it.
      node: is(claim, 'Registered') ? cluster.nodeOfClaim(claim.name) : undefined,
      nodeClass: source,
      instance: this.#instances.get(claim.status.providerID ?? ''),
      types: source === undefined ? [] : catalogue().forNodeClass(source),
    };
    if (source === undefined)
      return { drift: driftOf({ ...question, resolved: undefined }), target: undefined };
    // Asked first: what the claim is compared with is this or newer.
    const target = await this.#target(pool, signal);
    try {
      return { drift: driftOf({ ...question, resolved: await resolved.resolve(source, signal) }), target };
    } catch (error) {
      if (signal.aborted) throw error;
      logger.debug('Failed to resolve the node class', { nodeClass: describeNodeClass(source), error });
      return { drift: driftOf({ ...question, resolved: undefined }) ?? knownDrift(claim), target: undefined };
    }
  }

  /** undefined where the pool has no stages, while the cloud does not answer, and until instances with their groups are known. */
  async #target(pool: NodePool, signal: AbortSignal): Promise<string | undefined> {
    const { driftRollouts, cluster, resolved } = this.#options;
    if (driftRollouts === undefined || pool.disruption.driftRollout === undefined || !this.#hasListed)
      return undefined;
    // Not that of the claim, which may be another.
    const nodeClass = acceptedNodeClass(cluster, pool.template.nodeClassRef);
    const answer = nodeClass && (await resolved.resolve(nodeClass, signal).catch(() => undefined));
    if (nodeClass === undefined || answer === undefined) return undefined;
    const target = driftTarget(pool, nodeClass, answer);
    driftRollouts.aim(pool.name, target);
    return target;
  }

  /** As it was last accepted; a document that is gone is frozen, and its nodes do not drift. */
  #pool({ spec }: NodeClaim): NodePool | undefined {
    const status = this.#options.cluster.policyStatuses.get(policyStatusName('NodePool', spec.nodePool));
    const value = status?.lastAccepted?.value;
    return value?.kind === 'NodePool' ? value.nodePool : undefined;
  }

  async #list(): Promise<void> {
    if (this.#options.cluster.nodeClaims.size > 0)
      this.#instances = (await this.#owned.list(MOST_AGE_MILLIS)).instances;
    if (!this.#hasListed) this.#compareAgain();
    this.#hasListed = true;
  }

  /** Claims of all node classes, unless one is named, are to be compared with what has changed. */
  #compareAgain(nodeClass?: string): void {
    const { cluster, driftRollouts } = this.#options;
    for (const { name, spec } of cluster.nodeClaims.values()) {
      if (nodeClass !== undefined && spec.nodeClassRef.name !== nodeClass) continue;
      driftRollouts?.changed(name);
      this.#queue.add(name);
    }
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      this.#options.podEvents.follow(cluster, (nodeName) => {
        const claim = cluster.claimOfNode(nodeName);
        const pool = claim && this.#pool(claim);
        if (claim === undefined || pool === undefined || quietSeconds(pool) === undefined) return;
        this.#queue.addAfter(claim.name, GATHER_MILLIS);
      }),
      cluster.nodeClaims.subscribe(({ key, after }) => {
        if (after !== undefined) this.#queue.add(key);
      }),
      cluster.nodes.subscribe(({ key, before, after }) => {
        if (before?.conditions === after?.conditions && before?.labels === after?.labels) return;
        const claim = after && cluster.claimOfNode(key);
        if (claim !== undefined) this.#queue.add(claim.name);
      }),
      cluster.policyStatuses.subscribe(({ before, after }) => {
        if (before?.lastAccepted?.hash !== after?.lastAccepted?.hash) this.#compareAgain();
      }),
      // All at once: pods of the first node that is found drifted are not to go to one that will be.
      this.#options.resolved.onChange((nodeClass) => {
        this.#compareAgain(nodeClass);
      }),
    ];
  }
}

/** Whether nothing is to be said about it: it has no instance yet, goes, or changes hands. */
function hasNoConditions(claim: NodeClaim, node: ObservedNode | undefined): boolean {
  // What a node says while it is drained and boots is no reason to disrupt it.
  if (currentReboot(claim) !== undefined) return true;
  return isLeaving(claim, node) || !is(claim, 'Launched') || isChangingHands(claim);
}

/** While the cloud does not answer, what was found before still holds. */
function knownDrift({ status }: NodeClaim): Drift | undefined {
  const known = status.conditions.find(({ type }) => type === 'Drifted');
  if (known?.status !== 'True') return undefined;
  return { reason: known.reason as Drift['reason'], message: known.message };
}

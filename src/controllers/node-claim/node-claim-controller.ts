/** The life of every claim, step by step: what changes in the cluster leads to the claims and launch groups it is about. */
import { isChangingHands, isKarpenters } from '../../domain/nodes/handover.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { launchGroupOf, TERMINATION_FINALIZER } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Reservation } from '../../domain/records/reservation.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import { hasCode } from '../../ports/port-error.js';
import { WorkQueue, type Requeue, type WorkQueueOptions } from '../../runtime/concurrency/work-queue.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import type { Change } from '../../state/cluster/store.js';
import { ClaimsInWork } from '../claims-in-work.js';
import { ClusterWriter } from '../cluster-writer.js';
import { OwnedInstances } from '../owned-instances.js';
import { Safeguards } from '../safeguards/safeguards.js';
import { whileObserving } from '../while-observing.js';
import { endClaim } from './end-claim.js';
import { initialize } from './initialization.js';
import { Launcher } from './launch/launch.js';
import {
  DEFAULT_LIFECYCLE_SETTINGS,
  type LifecycleContext,
  type LifecycleSettings,
} from './lifecycle-context.js';
import { checkLiveness } from './liveness.js';
import { recordClaim } from './record-claim.js';
import { isRegistered, register } from './registration.js';
import { Termination } from './termination/termination.js';

export interface NodeClaimControllerOptions extends Omit<
  LifecycleContext,
  'writer' | 'settings' | 'clusterName' | 'overlaid' | 'safeguards' | 'claimsInWork' | 'instances'
> {
  readonly kube: KubeWriter;
  readonly clusterName?: string | undefined;
  /** One of its own unless it is shared. */
  readonly overlaid?: OverlaidCatalogue | undefined;
  readonly settings?: Partial<LifecycleSettings> | undefined;
  /** Its own, with the default limits, unless they are shared. */
  readonly safeguards?: Safeguards | undefined;
  /** None are in work unless it is shared with the loops that create claims. */
  readonly claimsInWork?: ClaimsInWork | undefined;
  /** Listed for it alone unless they are shared. */
  readonly instances?: OwnedInstances | undefined;
}

/** Everything that the steps look at. */
const KINDS = [
  'NodeClaim',
  'Node',
  'Pod',
  'PersistentVolumeClaim',
  'VolumeAttachment',
  'HorizontalPodAutoscaler',
  'Workload',
  'Reservation',
  'Namespace',
  'PolicyConfigMap',
  'PolicyStatus',
] as const;
const CLAIMS_AT_ONCE = 20;
const GROUPS_AT_ONCE = 5;

export class NodeClaimController {
  readonly #context: LifecycleContext;
  readonly #launcher: Launcher;
  readonly #termination: Termination;
  readonly #claims: WorkQueue;
  readonly #groups: WorkQueue;

  constructor(given: NodeClaimControllerOptions) {
    const { kube, settings, clusterName, safeguards, claimsInWork = new ClaimsInWork(), ...options } = given;
    this.#context = {
      ...options,
      overlaid: options.overlaid ?? new OverlaidCatalogue(options),
      clusterName,
      writer: new ClusterWriter({ kube, cluster: options.cluster }),
      settings: { ...DEFAULT_LIFECYCLE_SETTINGS, ...settings },
      safeguards: safeguards ?? new Safeguards(options),
      instances: options.instances ?? new OwnedInstances(options),
      claimsInWork,
    };
    this.#launcher = new Launcher(this.#context);
    this.#termination = new Termination(this.#context);
    this.#claims = this.#queue('nodeclaim.lifecycle', CLAIMS_AT_ONCE, (name, signal) =>
      this.reconcile(name, signal),
    );
    this.#groups = this.#queue('nodeclaim.launch', GROUPS_AT_ONCE, (name, signal) =>
      this.#launcher.reconcile(name, signal),
    );
  }

  /** Works until the signal is aborted, and for as long as what is in work takes to end. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#context;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      for (const claim of cluster.nodeClaims.values()) this.#add(claim);
      await Promise.all([this.#claims.run(signal), this.#groups.run(signal)]);
    });
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      cluster.nodeClaims.subscribe((change) => {
        this.#onClaim(change);
      }),
      cluster.nodes.subscribe(({ before, after }) => {
        this.#onNode(after ?? before);
      }),
      cluster.pods.subscribe((change) => {
        this.#onLeaving(change);
      }),
      cluster.volumeAttachments.subscribe((change) => {
        this.#onLeaving(change);
      }),
      cluster.reservations.subscribe((change) => {
        this.#onReservation(change);
      }),
    ];
  }

  /** One step of one claim; the change that it makes leads to the next. */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const claim = this.#context.cluster.nodeClaims.get(name);
    const node = this.#context.cluster.nodeOfClaim(name);
    if (claim === undefined || isOfAnother(claim, node)) return undefined;
    if (!claim.finalizers.includes(TERMINATION_FINALIZER)) return this.#hold(claim, signal);
    if (claim.deletionTimestamp !== undefined) return this.#termination.reconcile(claim, signal);
    if (node?.deletionTimestamp !== undefined) {
      await endClaim(this.#context, claim, nodeDeleted(node), signal);
      return undefined;
    }
    try {
      if (node !== undefined) await this.#prepare(claim, node, signal);
    } catch (error) {
      // What fails in every round must not keep a late claim.
      if (!signal.aborted) await this.#checkLiveness(claim, signal);
      throw error;
    }
    return this.#checkLiveness(claim, signal);
  }

  /** One step until the node can hold what it was launched for. */
  async #prepare(claim: NodeClaim, node: ObservedNode, signal: AbortSignal): Promise<void> {
    const isNew = !isRegistered(claim, node);
    try {
      await (isNew ? register : initialize)(this.#context, claim, signal);
    } catch (error) {
      tellRefused(this.#context, claim, `the node cannot be ${isNew ? 'registered' : 'initialized'}`, error);
      throw error;
    }
  }

  /** Of the claim as it is now: the step before may have changed it. */
  #checkLiveness(claim: NodeClaim, signal: AbortSignal): Promise<Requeue | undefined> {
    const current = this.#context.cluster.nodeClaims.get(claim.name) ?? claim;
    return checkLiveness(this.#context, current, signal);
  }

  /**
   * A claim that was created by hand is led as any other: first it gets what keeps it until its instance is gone. One that has an
   * instance already has lost it, for its instance is left to the user.
   */
  async #hold(claim: NodeClaim, signal: AbortSignal): Promise<undefined> {
    const isReleased = claim.status.providerID !== undefined;
    if (claim.deletionTimestamp === undefined && !isReleased)
      await this.#context.writer.holdClaim(claim, signal);
    return undefined;
  }

  #queue(name: string, concurrency: number, handle: WorkQueueOptions['handle']): WorkQueue {
    const { clock, random, logger, metrics } = this.#context;
    return new WorkQueue({
      name,
      clock,
      random,
      handle,
      concurrency,
      baseDelayMillis: 200,
      timeoutMillis: 120_000,
      logger,
      metrics,
    });
  }

  #add(claim: NodeClaim): void {
    this.#claims.add(claim.name);
    if (claim.status.providerID === undefined) this.#groups.add(launchGroupOf(claim));
  }

  #onClaim({ before, after }: Change<NodeClaim>): void {
    if (after !== undefined) {
      this.#add(after);
      return;
    }
    if (before === undefined) return;
    this.#launcher.forget(before);
    this.#termination.forget(before);
    this.#groups.add(launchGroupOf(before));
  }

  #onNode(node: ObservedNode | undefined): void {
    const claim = node?.providerID && this.#context.cluster.claimByProviderID(node.providerID);
    if (claim) this.#claims.add(claim.name);
  }

  /** Pods and volumes matter to a claim that waits for them to leave. */
  #onLeaving({ before, after }: Change<Pick<ObservedPod, 'nodeName'>>): void {
    const nodeName = after?.nodeName ?? before?.nodeName;
    const claim = nodeName === undefined ? undefined : this.#context.cluster.claimOfNode(nodeName);
    if (claim?.deletionTimestamp !== undefined) this.#claims.add(claim.name);
  }

  #onReservation({ before, after }: Change<Reservation>): void {
    const target = (after ?? before)?.target;
    if (target?.kind !== 'NodeClaim') return;
    const claim = this.#context.cluster.nodeClaims.get(target.name);
    if (claim !== undefined && claim.status.providerID === undefined) this.#groups.add(launchGroupOf(claim));
  }
}

/** Whether another controller owns the node, or is about to. */
function isOfAnother(claim: NodeClaim, node: ObservedNode | undefined): boolean {
  return isChangingHands(claim) || (node !== undefined && isKarpenters(node));
}

/** Of a refusal that asking again does not change. Recorded in each round, and told once, as it is a refusal. */
function tellRefused(
  { recorder }: Pick<LifecycleContext, 'recorder'>,
  claim: NodeClaim,
  what: string,
  error: unknown,
): void {
  if (!hasCode(error, 'Forbidden', 'Invalid')) return;
  recordClaim(recorder, claim, {
    action: 'Refuse',
    reason: 'RegistrationRefused',
    message: `${what}: ${error.message}`,
    trigger: 'Node',
    event: 'Warning',
  });
}

function nodeDeleted({ name }: ObservedNode): Parameters<typeof endClaim>[2] {
  return {
    action: 'Disrupt',
    reason: 'Deleted',
    message: `another client deleted node ${name}`,
    trigger: 'Node',
    event: 'Normal',
  };
}

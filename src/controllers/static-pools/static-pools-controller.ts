/**
 * Static NodePools: keeps as many nodes as spec.replicas or the scale of their PolicyStatus says, whatever pods want. What is missing is launched, and what is too much is
 * drained, within limits.nodes and no other budget: it is a user who changes the number. Dynamic pools with berth.minimumNodes get what is
 * missing, too, and keep what is more.
 */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import { policyStatusName } from '../../domain/policies/policy.js';
import { replicaClaims, type ReplicaQuestion } from '../../planning/replicas/replica-claims.js';
import { fillPool, scalePool, type ScaleDecision } from '../../planning/replicas/scale-pool.js';
import { describeReason } from '../../planning/describe-reason.js';
import type { PoolReason } from '../../planning/plan.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../planning/plan-options.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { inParallel } from '../../runtime/concurrency/in-parallel.js';
import { Mutex } from '../../runtime/concurrency/mutex.js';
import { type Requeue, WorkQueue } from '../../runtime/concurrency/work-queue.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { poolResources } from '../../state/nodes/pool-resources.js';
import { replicasOf } from '../../state/planning/replicas.js';
import type { Change } from '../../state/cluster/store.js';
import { acceptedPolicies } from '../../state/policies/accepted-policies.js';
import { ClusterWriter } from '../cluster-writer.js';
import { endClaim } from '../node-claim/end-claim.js';
import { PoolOffers, type PoolOffersOptions } from '../provisioning/pool-offers.js';
import { PAUSE_LOOK_MILLIS, type Safeguards } from '../safeguards/safeguards.js';
import { whileObserving } from '../while-observing.js';
import { createReplicas } from './create-replicas.js';

export interface StaticPoolsControllerOptions extends PoolOffersOptions {
  readonly kube: KubeWriter;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  readonly safeguards: Safeguards;
  readonly planOptions?: PlanOptions | undefined;
  /** Shared with provisioning and disruption: while they look for room, none of it is taken away. */
  readonly mutex?: Mutex | undefined;
}

const KINDS: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'Namespace',
  'DaemonSet',
  'NodeClaim',
  'Reservation',
  'PolicyConfigMap',
  'PolicyStatus',
];
/** How many nodes there are, among the limits. */
const NODES = 'nodes';
/** Nodes that cannot be launched now are tried again after so long. */
const AGAIN_MILLIS = 10_000;
/** Claims of a failed launch go one by one: what became of them is looked at together. */
const GATHER_MILLIS = 250;
/** The turn may be a batch of pods, which may take its time. */
const TIMEOUT_MILLIS = 180_000;

export class StaticPoolsController {
  readonly #options: StaticPoolsControllerOptions;
  readonly #offers: PoolOffers;
  readonly #writer: ClusterWriter;
  readonly #mutex: Mutex;
  readonly #queue: WorkQueue;
  /** Names of the pools with a number of nodes; undefined when a policy has changed. */
  #names: ReadonlySet<string> | undefined;

  constructor(options: StaticPoolsControllerOptions) {
    this.#options = options;
    this.#offers = new PoolOffers(options);
    this.#writer = new ClusterWriter(options);
    this.#mutex = options.mutex ?? new Mutex();
    this.#queue = new WorkQueue({
      ...options,
      name: 'static-pools',
      handle: (name, signal) => this.reconcile(name, signal),
      concurrency: 2,
      timeoutMillis: TIMEOUT_MILLIS,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const all = (): void => {
      this.#names = undefined;
      for (const name of this.#counted()) this.#queue.add(name);
    };
    const subscribe = (): readonly (() => void)[] => [
      cluster.policyConfigMaps.subscribe(all),
      cluster.policyStatuses.subscribe(({ before, after }) => {
        const isScaled = before?.scale?.replicas !== after?.scale?.replicas;
        if (isScaled || before?.lastAccepted?.hash !== after?.lastAccepted?.hash) all();
      }),
      cluster.nodeClaims.subscribe((change) => {
        const name = (change.after ?? change.before)?.spec.nodePool;
        if (name === undefined || !changesCount(change) || !this.#counted().has(name)) return;
        this.#queue.addAfter(name, GATHER_MILLIS);
      }),
    ];
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      all();
      await this.#queue.run(signal);
    });
  }

  /** One step of the pool of this name. @throws PortError, when something could not be written. */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, clock, safeguards } = this.#options;
    if (!this.#counted().has(name)) return undefined;
    if (safeguards.isPaused()) return { requeueAfterMillis: PAUSE_LOOK_MILLIS };
    const offer = (await this.#offers.now(signal)).find(({ pool }) => pool.name === name);
    if (offer === undefined || offer.frozen === true) return undefined;
    const { replicas, minimumNodes, limits } = offer.pool;
    return this.#mutex.runExclusive(signal, async () => {
      if (safeguards.isPaused()) return { requeueAfterMillis: PAUSE_LOOK_MILLIS };
      const nodes = replicasOf(cluster, name, clock.now());
      const most = limits.get(NODES);
      const decision =
        replicas === undefined ? fillPool(minimumNodes, nodes, most) : scalePool(replicas, nodes, most);
      await this.#scaleDown(offer.pool, decision, signal);
      const isShort = await this.#scaleUp(offer, decision, signal);
      return isShort ? { requeueAfterMillis: AGAIN_MILLIS } : undefined;
    });
  }

  async #scaleDown(
    { name, replicas }: NodePool,
    { remove }: ScaleDecision,
    signal: AbortSignal,
  ): Promise<void> {
    const { cluster } = this.#options;
    const context = { ...this.#options, writer: this.#writer };
    const news = {
      action: 'Disrupt',
      reason: 'ScaledDown',
      message: `static NodePool ${name} is scaled to ${String(replicas)} nodes`,
      trigger: 'static-pools',
      event: 'Normal',
    } as const;
    const claims = remove.flatMap((each) => cluster.nodeClaims.get(each) ?? []);
    await inParallel(claims, (claim) => endClaim(context, claim, news, signal), { signal });
  }

  /** Answers whether nodes are missing that could not be asked for. */
  async #scaleUp(
    offer: PoolOffer,
    { launch, withheld }: ScaleDecision,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { cluster, planOptions = DEFAULT_PLAN_OPTIONS } = this.#options;
    if (launch === 0 && withheld === 0) return false;
    const daemonSets = [...cluster.daemonSets.values()];
    const namespaces = new Map([...cluster.namespaces.values()].map(({ name, labels }) => [name, labels]));
    const asked = this.#askedNow(offer, launch);
    const { claims, reasons } = replicaClaims({ offer, ...asked, daemonSets, namespaces }, planOptions);
    await createReplicas({ ...this.#options, writer: this.#writer }, offer, claims, signal);
    const missing = launch + withheld - claims.length;
    if (withheld > 0 || reasons.length > 0) this.#tellMissing(offer.pool, missing, reasons);
    return missing > 0;
  }

  /**
   * How many nodes may be asked for now. What a dynamic pool's limits say of cpu or memory is known once an instance has been launched, so
   * that such nodes are launched one after the other.
   */
  #askedNow({ pool }: PoolOffer, launch: number): Pick<ReplicaQuestion, 'count' | 'used'> {
    const { cluster } = this.#options;
    if ([...pool.limits.keys()].every((name) => name === NODES)) return { count: launch };
    const isPending = ({ spec, status }: NodeClaim): boolean =>
      spec.nodePool === pool.name && status.providerID === undefined;
    const isKnown = ![...cluster.nodeClaims.values()].some(isPending);
    return { count: isKnown ? Math.min(1, launch) : 0, used: poolResources(cluster, pool.name) };
  }

  #tellMissing(pool: NodePool, missing: number, reasons: readonly PoolReason[]): void {
    const { cluster, recorder } = this.#options;
    const status = cluster.policyStatuses.get(policyStatusName('NodePool', pool.name));
    if (status === undefined) return;
    const [why] = reasons;
    const field = pool.replicas === undefined ? 'berth.minimumNodes' : 'spec.replicas';
    const cause =
      why === undefined
        ? `limits.nodes is ${String(pool.limits.get(NODES) ?? 0)}; raise it, or lower ${field}`
        : describeReason(why.reason);
    recorder.record({
      subject: { kind: 'PolicyStatus', namespace: '', name: status.name, uid: status.uid },
      action: 'Refuse',
      reason: 'ReplicasMissing',
      message: `${String(missing)} of ${String(wantedNodes(pool))} nodes (${field}) of NodePool ${pool.name} cannot be launched now: ${cause}`,
      trigger: 'static-pools',
      considered: '',
      saving: undefined,
      event: { type: 'Warning', reason: 'ReplicasMissing' },
    });
  }

  #counted(): ReadonlySet<string> {
    const { policyConfigMaps, policyStatuses } = this.#options.cluster;
    if (this.#names !== undefined) return this.#names;
    const { pools } = acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
    const counted = pools.filter(({ nodePool }) => wantedNodes(nodePool) !== undefined);
    this.#names = new Set(counted.map(({ nodePool }) => nodePool.name));
    return this.#names;
  }
}

/** Whether the change makes the claim count otherwise for its pool; its status is written far more often. */
function changesCount({ before, after }: Change<NodeClaim>): boolean {
  if (before?.uid !== after?.uid || before === undefined || after === undefined) return true;
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    (before.status.disruption === undefined) !== (after.status.disruption === undefined)
  );
}

/** How many nodes the pool has whatever pods want; undefined where only pods decide. */
function wantedNodes({ replicas, minimumNodes }: NodePool): number | undefined {
  return replicas ?? (minimumNodes > 0 ? minimumNodes : undefined);
}

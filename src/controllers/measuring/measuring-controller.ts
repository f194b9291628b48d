/**
 * Karpenter's gauges of the cluster, counted when metrics are scraped, and how long pods take to start. On the leader only,
 * so that sums over replicas are right.
 */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PolicyStatus } from '../../domain/policies/policy.js';
import { CPU, type ResourceList } from '../../domain/values/resources.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import { untilAborted } from '../../runtime/time/deadline.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { poolResources } from '../../state/nodes/pool-resources.js';
import type { Change } from '../../state/cluster/store.js';
import { whileObserving } from '../while-observing.js';

export interface MeasuringControllerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation', 'PolicyStatus'];
const PHASES: readonly ObservedPod['phase'][] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

export class MeasuringController {
  readonly #options: MeasuringControllerOptions;

  constructor(options: MeasuringControllerOptions) {
    this.#options = options;
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, metrics } = this.#options;
    const subscribe = (): readonly (() => void)[] => [
      cluster.pods.subscribe((change) => {
        this.#timeStart(change);
      }),
    ];
    const stop = metrics.onScrape(() => {
      this.#collect();
    });
    try {
      const forever = (): Promise<void> => untilAborted(signal, 'measure', never);
      await whileObserving({ cluster, kinds: KINDS, signal, subscribe }, forever);
    } finally {
      stop();
      this.#reset();
    }
  }

  #collect(): void {
    const { cluster, metrics } = this.#options;
    this.#reset();
    metrics.clusterStateSynced.set(cluster.isSynced(...KINDS) ? 1 : 0);
    metrics.clusterStateNodes.set(cluster.nodes.size);
    this.#countPods();
    this.#countReservations();
    for (const status of cluster.policyStatuses.values()) this.#measurePool(status);
  }

  /** What was counted may not be there any more. */
  #reset(): void {
    const { metrics } = this.#options;
    for (const gauge of [metrics.podsState, metrics.nodePoolUsage, metrics.nodePoolLimit]) gauge.reset();
    for (const gauge of [metrics.clusterStateSynced, metrics.clusterStateNodes]) gauge.reset();
    for (const gauge of [metrics.reservations, metrics.reservedPods]) gauge.reset();
  }

  #countPods(): void {
    const { cluster, metrics } = this.#options;
    const counts = new Map(PHASES.map((phase) => [phase, 0]));
    for (const { phase } of cluster.pods.values()) counts.set(phase, (counts.get(phase) ?? 0) + 1);
    for (const [phase, count] of counts) metrics.podsState.set({ phase }, count);
  }

  #countReservations(): void {
    const { cluster, metrics } = this.#options;
    let pods = 0;
    for (const { entries } of cluster.reservations.values()) for (const { count } of entries) pods += count;
    metrics.reservations.set(cluster.reservations.size);
    metrics.reservedPods.set(pods);
  }

  #measurePool({ policy, lastAccepted }: PolicyStatus): void {
    const { cluster, metrics } = this.#options;
    const value = lastAccepted?.value;
    if (value?.kind !== 'NodePool') return;
    const { limits } = value.nodePool;
    const usage = poolResources(cluster, policy);
    const unused = [...limits.keys()].filter((resource) => !usage.has(resource));
    const set = (gauge: Metrics['nodePoolUsage'], amounts: ResourceList): void => {
      for (const [resource, amount] of amounts)
        gauge.set({ nodepool: policy, resource_type: resource }, resource === CPU ? amount / 1000 : amount);
    };
    set(metrics.nodePoolLimit, limits);
    set(metrics.nodePoolUsage, new Map([...usage, ...unused.map((resource) => [resource, 0] as const)]));
  }

  /** Pods that ran already when they were first seen are left out. */
  #timeStart({ before, after }: Change<ObservedPod>): void {
    if (before === undefined || after?.uid !== before.uid) return;
    if (before.phase !== 'Pending' || after.phase !== 'Running') return;
    const { clock, metrics } = this.#options;
    metrics.podsStartupDuration.observe(Math.max(0, clock.now() - after.createdAt) / 1000);
  }
}

function never(): Promise<void> {
  return new Promise(() => undefined);
}

/**
 * Karpenter's gauges of the cluster, counted when metrics are scraped, and how long pods and conditions take. On the leader
 * only, so that sums over replicas are right.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import { untilAborted } from '../../runtime/time/deadline.js';
import { whileObserving } from '../while-observing.js';
import { ConditionGauges, followConditions } from './condition-times.js';
import type { GaugeGroup, MeasuringContext } from './measuring-context.js';
import { CostGauges } from './cost-gauges.js';
import { PodsOnNodes } from './pods-on-nodes.js';
import { NodeGauges } from './node-gauges.js';
import { OFFERING_GAUGES } from './offering-gauges.js';
import { PodGauges } from './pod-gauges.js';
import type { PodTimes } from './pod-times.js';
import { POOL_GAUGES } from './pool-gauges.js';

export interface MeasuringControllerOptions extends MeasuringContext {
  /** Shared with provisioning, which tells what it has planned. */
  readonly podTimes: PodTimes;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation', 'PolicyStatus'];

export class MeasuringController {
  readonly #options: MeasuringControllerOptions;
  readonly #groups: readonly GaugeGroup[];
  readonly #nodes = new PodsOnNodes();
  /** Monotonic; undefined while the caches are synced. */
  #unsyncedSince: number | undefined;

  constructor(options: MeasuringControllerOptions) {
    this.#options = options;
    this.#groups = [
      new NodeGauges(this.#nodes),
      new CostGauges(this.#nodes),
      POOL_GAUGES,
      new PodGauges(this.#nodes),
      options.podTimes.gauges,
      new ConditionGauges(),
      OFFERING_GAUGES,
    ];
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, metrics, podTimes } = this.#options;
    const subscribe = (): readonly (() => void)[] => {
      podTimes.begin(cluster.pods.values());
      const pods = cluster.pods.subscribe((change) => {
        podTimes.changed(change);
      });
      return [pods, ...this.#nodes.follow(cluster), ...followConditions(this.#options)];
    };
    const stop = metrics.onScrape(() => this.#collect(signal));
    try {
      const forever = (): Promise<void> => untilAborted(signal, 'measure', never);
      await whileObserving({ cluster, kinds: KINDS, signal, subscribe }, forever);
    } finally {
      stop();
      this.#reset();
    }
  }

  /** Each group in a turn of its own; its gauges are never seen half set. */
  async #collect(signal: AbortSignal): Promise<void> {
    const { metrics } = this.#options;
    this.#measureSync();
    for (const group of this.#groups) {
      await nextTurn();
      if (signal.aborted) return;
      group.reset(metrics);
      group.measure(this.#options);
    }
  }

  #reset(): void {
    const { metrics } = this.#options;
    for (const gauge of [metrics.clusterStateSynced, metrics.clusterStateUnsynced]) gauge.reset();
    for (const group of this.#groups) group.reset(metrics);
  }

  #measureSync(): void {
    const { cluster, clock, metrics } = this.#options;
    const isSynced = cluster.isSynced(...KINDS);
    const now = clock.monotonic();
    this.#unsyncedSince = isSynced ? undefined : (this.#unsyncedSince ?? now);
    metrics.clusterStateSynced.set(isSynced ? 1 : 0);
    metrics.clusterStateUnsynced.set((now - (this.#unsyncedSince ?? now)) / 1000);
  }
}

function never(): Promise<void> {
  return new Promise(() => undefined);
}

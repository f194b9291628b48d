/** What gauges of the cluster are measured from, and how much detail they have. */
import type { InstanceCatalogue } from '../../ports/cloud.js';
import type { Clock } from '../../ports/clock.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';

/** `full`: a series for each object, as Karpenter has them. `bounded`: as few as dashboards need in a large cluster. */
export const METRICS_DETAILS = ['bounded', 'full'] as const;
export type MetricsDetail = (typeof METRICS_DETAILS)[number];

export interface MeasuringContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly catalogue: () => Pick<InstanceCatalogue, 'instanceTypes'>;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly detail: MetricsDetail;
}

/** With more nodes than these, `bounded` adds them up. */
const MOST_NODES = 100;

/** Whether nodes, NodeClaims and their conditions have a series each. */
export function hasSeriesForEach({ cluster, detail }: Pick<MeasuringContext, 'cluster' | 'detail'>): boolean {
  return detail === 'full' || Math.max(cluster.nodes.size, cluster.nodeClaims.size) <= MOST_NODES;
}

/**
 * Gauges that are set again at every scrape, each group in one turn of the thread that answers kube-scheduler: what is the same as
 * long as an object stays as it is has to be kept from one scrape to the next.
 */
export interface GaugeGroup {
  /** What was counted may not be there any more. */
  reset(metrics: Metrics): void;
  measure(context: MeasuringContext): void;
}

/** Equal labels as the same object, so that they can be the key of a Map. */
export class SameLabels<Labels extends object> {
  readonly #known = new Map<string, Labels>();

  of(labels: Labels): Labels {
    const key = Object.values(labels).join('\n');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, labels);
    return labels;
  }
}

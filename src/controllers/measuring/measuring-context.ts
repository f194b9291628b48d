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
const MOST_NODES = 200;

/** Whether nodes, NodeClaims and their conditions have a series each. */
export function hasSeriesForEach({ cluster, detail }: Pick<MeasuringContext, 'cluster' | 'detail'>): boolean {
  return detail === 'full' || Math.max(cluster.nodes.size, cluster.nodeClaims.size) <= MOST_NODES;
}

/** Gauges that are set again at every scrape. */
export interface GaugeGroup {
  /** What was counted may not be there any more. */
  reset(metrics: Metrics): void;
  measure(context: MeasuringContext): void;
}

/** A sum, or another value, for each combination of labels. */
export class LabelledValues<Labels extends object> {
  readonly #values = new Map<string, { readonly labels: Labels; value: number }>();

  /** `combine` makes one value of two. */
  put(labels: Labels, value: number, combine: (one: number, other: number) => number = add): void {
    const key = Object.values(labels).join('\n');
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, { labels, value });
    else known.value = combine(known.value, value);
  }

  values(): Iterable<{ readonly labels: Labels; readonly value: number }> {
    return this.#values.values();
  }
}

function add(one: number, other: number): number {
  return one + other;
}

/** Everything Berth measures: Karpenter's names where Karpenter has them, `berth_` before the others. */
import { Gauge, Registry } from 'prom-client';
import { CLAIM_METRICS } from './claim-metrics.js';
import { CLOUD_METRICS } from './cloud-metrics.js';
import { CONDITION_METRICS } from './condition-metrics.js';
import { makeAll, type Made } from './metric-factory.js';
import { DISRUPTION_METRICS, INTERRUPTION_METRICS } from './metrics-disruption.js';
import { SAFETY_METRICS } from './metrics-safety.js';
import { NODE_METRICS } from './node-metrics.js';
import { POD_METRICS } from './pod-metrics.js';
import { CLUSTER_METRICS, RECORD_METRICS, SERVER_METRICS } from './process-metrics.js';
import { QUEUE_METRICS } from './queue-metrics.js';
import { SCHEDULER_METRICS } from './scheduler-metrics.js';

export interface MetricsOptions {
  /** Berth's, for berth_build_info. */
  readonly version?: string | undefined;
}

const TABLE = {
  ...SAFETY_METRICS,
  ...CLAIM_METRICS,
  ...NODE_METRICS,
  ...POD_METRICS,
  ...QUEUE_METRICS,
  ...SCHEDULER_METRICS,
  ...CONDITION_METRICS,
  ...SERVER_METRICS,
  ...CLUSTER_METRICS,
  ...CLOUD_METRICS,
  ...DISRUPTION_METRICS,
  ...INTERRUPTION_METRICS,
  ...RECORD_METRICS,
};

/** The metrics of one process, each a property; on a registry of their own. */
export interface Metrics extends Made<typeof TABLE> {
  readonly registry: Registry;
  /**
   * Called before every scrape, to set gauges that are cheaper to count then than to keep up to date. Answers what ends
   * that.
   */
  onScrape(collect: () => void): () => void;
}

/** New metrics, all zero. */
export function createMetrics({ version = 'development' }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const collectors = new Set<() => void>();
  // Metrics are read in the order in which they were made: this one first, so that it can have the others set.
  const build = new Gauge({
    name: 'berth_build_info',
    help: 'Build information: always 1, by version.',
    labelNames: ['version'],
    registers: [registry],
    collect: () => {
      for (const collect of collectors) collect();
    },
  });
  build.set({ version }, 1);
  return {
    registry,
    onScrape: (collect) => {
      collectors.add(collect);
      return () => collectors.delete(collect);
    },
    ...makeAll(registry, TABLE),
  };
}

/** Everything Berth measures: Karpenter's names where Karpenter has them, `berth_` before the others. */
import { Gauge, Registry } from 'prom-client';
import { CLAIM_METRICS } from './claim-metrics.js';
import { CLOUD_METRICS } from './cloud-metrics.js';
import { CONDITION_METRICS } from './condition-metrics.js';
import { makeAll, type Made } from './metric-factory.js';
import { DISRUPTION_METRICS, INTERRUPTION_METRICS } from './metrics-disruption.js';
import { SAFETY_METRICS } from './metrics-safety.js';
import { NODE_METRICS } from './node-metrics.js';
import { OBSERVATION_METRICS } from './observation-metrics.js';
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
  ...OBSERVATION_METRICS,
};

/** What takes long is done in several turns of the thread, so that calls of kube-scheduler come in between. */
type Collect = () => void | Promise<void>;

/** The metrics of one process, each a property; on a registry of their own. */
export interface Metrics extends Made<typeof TABLE> {
  readonly registry: Registry;
  /**
   * Called before every scrape, to set gauges that are cheaper to count then than to keep up to date. Answers what ends
   * that.
   */
  onScrape(collect: Collect): () => void;
}

/** New metrics, all zero. */
export function createMetrics({ version = 'development' }: MetricsOptions = {}): Metrics {
  const collectors = new Set<Collect>();
  const registry = new ScrapedRegistry(collectors);
  const name = 'berth_build_info';
  const help = 'Build information: always 1, by version.';
  const build = new Gauge({ name, help, labelNames: ['version'], registers: [registry] });
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

/** Has everything counted before it is read. */
class ScrapedRegistry extends Registry {
  readonly #collectors: ReadonlySet<Collect>;

  constructor(collectors: ReadonlySet<Collect>) {
    super();
    this.#collectors = collectors;
  }

  override async metrics(): Promise<string> {
    for (const collect of [...this.#collectors]) await collect();
    return super.metrics();
  }
}

/** A MeasuringController beside a cluster in memory, and what Prometheus reads of it. */
import type { MetricsDetail } from '../../../src/controllers/measuring/measuring-context.js';
import { MeasuringController } from '../../../src/controllers/measuring/measuring-controller.js';
import { PodTimes } from '../../../src/controllers/measuring/pod-times.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const stops: AbortController[] = [];

interface Overrides {
  readonly detail?: MetricsDetail;
  readonly instanceTypes?: readonly InstanceType[];
  readonly isSynced?: boolean;
}

/** What a test works with. */
interface Scene {
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  readonly podTimes: PodTimes;
  readonly unavailableOfferings: UnavailableOfferings;
  /** The series of a metric, without its name and the labels that have no value. */
  readonly read: (name: string) => Promise<readonly string[]>;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** All caches are in sync from now on. */
  readonly sync: () => void;
}

export async function measured({
  detail = 'bounded',
  instanceTypes = [],
  isSynced = true,
}: Overrides = {}): Promise<Scene> {
  const clock = new VirtualClock();
  const cluster = new Cluster();
  const metrics = createMetrics();
  const podTimes = new PodTimes({ clock, metrics });
  const unavailableOfferings = new UnavailableOfferings();
  const stop = new AbortController();
  stops.push(stop);
  const sync = (): void => {
    for (const kind of ['Pod', 'Node', 'NodeClaim', 'Reservation', 'PolicyStatus'] as const)
      cluster.synced(kind);
  };
  if (isSynced) sync();
  const catalogue = () => ({ instanceTypes });
  const options = { cluster, clock, metrics, podTimes, catalogue, unavailableOfferings, detail };
  const ended = new MeasuringController(options).run(stop.signal);
  await clock.settle();
  const read = async (name: string): Promise<readonly string[]> => {
    const lines = (await metrics.registry.metrics()).split('\n');
    const own = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return own.map((line) =>
      line
        .slice(name.length)
        .replace(/\w+="",?/g, '')
        .replace(/,}/, '}')
        .replace('{}', '')
        .trim(),
    );
  };
  return { clock, cluster, podTimes, unavailableOfferings, read, stop, ended, sync };
}

export function stopMeasuring(): void {
  for (const stop of stops.splice(0)) stop.abort();
}

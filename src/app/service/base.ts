/** What every long-running command of Berth stands on: clock, log, metrics, the API server, and the cluster as it is seen. */
import { setMaxListeners } from 'node:events';
import { kubeFeed, type FeedCounters, type KubeFeed } from '../../adapters/kube/feed/index.js';
import { KubeClient, KubeconfigSource } from '../../adapters/kube/transport/index.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import { createMetrics, type Metrics } from '../../runtime/metrics.js';
import { pinoLogger } from '../../runtime/pino-logger.js';
import { systemClock } from '../../runtime/system-clock.js';
import { systemRandom } from '../../runtime/system-random.js';
import { Cluster } from '../../state/cluster.js';
import { RoomLedger } from '../../state/room-ledger.js';
import type { ServiceOptions } from './service-options.js';

export interface Base {
  readonly options: ServiceOptions;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly feed: KubeFeed;
  /** Kinds that are watched. */
  readonly kinds: readonly ObservedKind[];
  readonly ledger: RoomLedger;
}

export interface BaseOptions {
  readonly options: ServiceOptions;
  readonly version: string;
  readonly kinds: readonly ObservedKind[];
}

/** Connects nothing yet: the feed begins with its `run`. */
export function createBase({ options, version, kinds }: BaseOptions): Base {
  const clock = systemClock;
  const random = systemRandom;
  const logger = pinoLogger({ level: options.logLevel, clock });
  const metrics = createMetrics({ version });
  const connection = new KubeconfigSource({ clock, file: options.kubeconfig, context: options.context });
  const userAgent = `berth/${version}`;
  const { kubeQps: qps, kubeBurst: burst, namespace } = options;
  const client = new KubeClient({ connection, clock, userAgent, qps, burst });
  const cluster = new Cluster();
  const counters = feedCounters(metrics);
  const watching = logger.child({ component: 'watch' });
  const feed = kubeFeed({
    client,
    feed: cluster,
    kinds,
    namespace,
    clock,
    random,
    logger: watching,
    counters,
  });
  const ledger = new RoomLedger({ cluster, clock });
  return { options, version, clock, random, logger, metrics, client, cluster, feed, kinds, ledger };
}

/** A signal that any number may wait for. */
export function sharedSignal(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

function feedCounters(metrics: Metrics): FeedCounters {
  return {
    increment: (kind, counter) => {
      if (counter === 'relists') metrics.watchRelists.inc({ kind });
      else if (counter === 'handlerErrors' || counter === 'malformedLines')
        metrics.watchHandlerErrors.inc({ kind });
      else if (counter !== 'lists') metrics.watchRestarts.inc({ kind });
    },
    findings: (kind, count) => {
      metrics.decodeFindings.inc({ kind }, count);
    },
    contact: () => undefined,
  };
}

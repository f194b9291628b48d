/** What every long-running command of Berth stands on: clock, log, metrics, the API server, and the cluster as it is seen. */
import { setMaxListeners } from 'node:events';
import { kubeFeed, type FeedCounters, type KubeFeed } from '../../adapters/kube/feed/index.js';
import {
  KubeClient,
  KubeconfigSource,
  type KubeConnectionSource,
  type Send,
} from '../../adapters/kube/transport/index.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import { createMetrics, type Metrics } from '../../runtime/metrics.js';
import { pinoLogger } from '../../runtime/pino-logger.js';
import { ScaledClock } from '../../runtime/scaled-clock.js';
import { systemClock } from '../../runtime/system-clock.js';
import { systemRandom } from '../../runtime/system-random.js';
import { Cluster } from '../../state/cluster.js';
import { RoomLedger } from '../../state/room-ledger.js';
import type { ServiceOptions } from './service-options.js';

export interface Base {
  readonly options: ServiceOptions;
  readonly version: string;
  /** The cluster's time. */
  readonly clock: Clock;
  /** The machine's time, for sockets and certificates; the same as the cluster's but beside an embedded world. */
  readonly wall: Clock;
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

/** What of the outside a process stands on; the machine's own unless given. */
export interface Outside {
  readonly clock: Clock;
  readonly wall: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly connection: KubeConnectionSource;
  /** How requests reach the API server; over sockets unless given. */
  readonly send: Send | undefined;
}

export interface BaseOptions {
  readonly options: ServiceOptions;
  readonly version: string;
  readonly kinds: readonly ObservedKind[];
  readonly outside?: Outside | undefined;
}

/** Connects nothing yet: the feed begins with its `run`. */
export function createBase({ options, version, kinds, outside = machine(options) }: BaseOptions): Base {
  const { clock, wall, random, logger, connection, send } = outside;
  const metrics = createMetrics({ version });
  const userAgent = `berth/${version}`;
  const { kubeQps: qps, kubeBurst: burst, namespace } = options;
  const client = new KubeClient({ connection, clock: wall, userAgent, qps, burst, send });
  const cluster = new Cluster();
  const counters = feedCounters(metrics);
  const watching = logger.child({ component: 'watch' });
  const feed = kubeFeed({
    client,
    feed: cluster,
    kinds,
    namespace,
    clock: wall,
    random,
    logger: watching,
    counters,
  });
  const ledger = new RoomLedger({ cluster, clock });
  return { options, version, clock, wall, random, logger, metrics, client, cluster, feed, kinds, ledger };
}

function machine({ virtualTime, logLevel, kubeconfig, context }: ServiceOptions): Outside {
  const wall = systemClock;
  const clock = virtualTime === undefined ? wall : new ScaledClock({ clock: wall, ...virtualTime });
  return {
    clock,
    wall,
    random: systemRandom,
    logger: pinoLogger({ level: logLevel, clock }),
    connection: new KubeconfigSource({ clock: wall, file: kubeconfig, context }),
    send: undefined,
  };
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

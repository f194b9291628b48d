/** What every long-running command of Berth stands on: clock, log, metrics, the API server, and the cluster as it is seen. */
import '../clouds.js';
import { setMaxListeners } from 'node:events';
import process from 'node:process';
import { kubeFeed, type FeedCounters, type KubeFeed } from '../../adapters/kube/feed/kube-feed.js';
import {
  KubeClient,
  KubeconfigSource,
  type KubeConnectionSource,
  type KubeExchange,
  type Send,
} from '../../adapters/kube/transport/index.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import { createMetrics, type Metrics } from '../../runtime/metrics/metrics.js';
import { pinoLogger, type LogThreshold } from '../../runtime/process/pino-logger.js';
import { FailureMemory } from '../../runtime/concurrency/failure-memory.js';
import { followTime } from '../../runtime/time/follow-time.js';
import type { HoldTime } from '../../runtime/time/holds.js';
import { systemClock } from '../../runtime/time/system-clock.js';
import { systemRandom } from '../../runtime/process/system-random.js';
import { Cluster } from '../../state/cluster/cluster.js';
import { RoomLedger } from '../../state/ledger/room-ledger.js';
import { EXIT_ERROR } from '../command/exit-codes.js';
import { customPolicyKinds } from '../custom-policy-kinds.js';
import { apiResource } from './api-resource.js';
import { modeGuard, type ModeGuard } from './mode-guard.js';
import type { ServiceOptions } from './options/service-options.js';
import { ThreadPolicyReader } from '../../adapters/policies/index.js';
import type { ReadPolicyConfigMap } from '../../apis/berth/read-policy-config-map.js';

/** kube-apiserver waits 2 s for the webhook (manifests/base/webhooks.yaml). */
const SUBMITTED_MILLIS = 1700;
const WATCHED_MILLIS = 30_000;
const MOST_SUBMITTED = 16;
/** The list of all of a cluster is asked one by one. */
const MOST_WATCHED = 4;

export interface Base {
  readonly options: ServiceOptions;
  readonly version: string;
  /** The cluster's time. */
  readonly clock: Clock;
  /** The host's time, for certificates and the dashboard; the same as the cluster's, except in an embedded world. */
  readonly wall: Clock;
  /** Has the time of an embedded world wait for what is computed outside of it. */
  readonly holdTime: HoldTime;
  readonly random: Random;
  readonly logger: Logger;
  /** The failures that `logger` has logged. */
  readonly failures: FailureMemory;
  readonly metrics: Metrics;
  /** Refuses what the mode forbids; the client asks it already. */
  readonly guard: ModeGuard;
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly feed: KubeFeed;
  /** Kinds that are watched. */
  readonly kinds: readonly ObservedKind[];
  readonly ledger: RoomLedger;
  /** What reads policies: for the cluster in memory, and for the webhook, neither waiting for the other. */
  readonly policyReaders: PolicyReaders;
}

/** What of the outside a process stands on; the host's own unless given. */
export interface Outside {
  readonly clock: Clock;
  readonly wall: Clock;
  /** Absent where time waits for nothing. */
  readonly holdTime?: HoldTime | undefined;
  readonly random: Random;
  readonly logger: Logger;
  /** What of its lines is written; absent where that cannot change. */
  readonly logThreshold?: LogThreshold | undefined;
  readonly connection: KubeConnectionSource;
  /** How requests reach the API server; over sockets unless given. */
  readonly send: Send | undefined;
}

export interface BaseOptions {
  readonly options: ServiceOptions;
  readonly version: string;
  readonly kinds: readonly ObservedKind[];
  readonly outside: Outside;
  /** The program's own module, for threads that read policies; without it this thread reads them. */
  readonly entry?: URL | undefined;
}

/** Connects nothing yet: the feed begins with its `run`. */
export function createBase({ options, version, kinds, outside, entry }: BaseOptions): Base {
  const { clock, wall, holdTime = unheld, random, connection, send } = outside;
  const failures = new FailureMemory(clock);
  const logger = failures.listening(outside.logger);
  const metrics = createMetrics({ version });
  const userAgent = `berth/${version}`;
  const { kubeQps: qps, kubeBurst: burst, namespace } = options;
  const onExchange = (exchange: KubeExchange): void => {
    countExchange(metrics, exchange);
  };
  const guard = modeGuard(options, metrics);
  const client = new KubeClient({
    ...{ connection, clock, userAgent, qps, burst, onExchange, send },
    refuse: guard.kube,
  });
  const { schedulers, leastPriority, plansDevices } = options;
  const cluster = new Cluster({ schedulers, leastPriority, plansDevices });
  const counters = feedCounters(metrics);
  const watching = logger.child({ component: 'watch' });
  const policyReaders = policyReadersOf({ entry, clock: wall, logger });
  const feed = kubeFeed({
    readPolicies: policyReaders.watched?.read,
    customPolicies: options.mode === 'observe' ? customPolicyKinds() : undefined,
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
  const outer = { clock, wall, holdTime, random, logger, failures };
  const kept = { metrics, guard, client, cluster, feed, kinds, ledger, policyReaders };
  return { options, version, ...outer, ...kept };
}

/**
 * The host's own time, log and sockets; beside an embedded world, that world's time.
 * @throws Error where there is no such world.
 */
export async function openOutside(options: ServiceOptions): Promise<Outside> {
  const { virtualTime, logLevel, kubeconfig, context } = options;
  const wall = systemClock;
  const followed = virtualTime === undefined ? undefined : await followTime({ ...virtualTime, wall });
  const clock = followed?.clock ?? wall;
  const logThreshold = { level: logLevel };
  const logger = pinoLogger({ threshold: logThreshold, clock });
  void followed?.lost.then(() => {
    // Nothing that waits for the world's time ends any more.
    logger.error('the embedded world is gone, and its time with it');
    process.exit(EXIT_ERROR);
  });
  return {
    clock,
    wall,
    holdTime: followed?.holds.during,
    random: systemRandom,
    logger,
    logThreshold,
    connection: new KubeconfigSource({ clock: wall, file: kubeconfig, context }),
    send: undefined,
  };
}

function unheld<T>(_: unknown, work: Promise<T>): Promise<T> {
  return work;
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

function countExchange(metrics: Metrics, { method, path, status, millis }: KubeExchange): void {
  metrics.kubeRequests.inc({ code: String(status), method });
  metrics.kubeRequestDuration.observe({ verb: method, ...apiResource(path) }, millis / 1000);
}

interface PolicyReader {
  readonly read: ReadPolicyConfigMap;
  /** Makes ready for the first question. */
  start(): void;
}

interface PolicyReaders {
  /** For the watch, with much time; undefined where this thread reads. */
  readonly watched: PolicyReader | undefined;
  /** For the webhook, within its 2 s. */
  readonly submitted: PolicyReader | undefined;
  close(): Promise<void>;
}

/** The threads that read policy ConfigMaps: each starts on request, or with its first question. */
function policyReadersOf(options: {
  readonly entry: URL | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}): PolicyReaders {
  const { entry, clock, logger } = options;
  if (entry === undefined)
    return { watched: undefined, submitted: undefined, close: () => Promise.resolve() };
  const threads = [
    { deadlineMillis: WATCHED_MILLIS, maxWaiting: MOST_WATCHED },
    { deadlineMillis: SUBMITTED_MILLIS, maxWaiting: MOST_SUBMITTED },
  ].map((limits) => new ThreadPolicyReader({ entry, clock, logger, ...limits }));
  const [watched, submitted] = threads.map((thread) => ({
    read: (configMap: unknown) => thread.read(configMap),
    start: () => {
      thread.start();
    },
  }));
  return {
    watched,
    submitted,
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

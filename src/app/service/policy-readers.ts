/** The threads that read policy ConfigMaps: each starts on request, or with its first question. */
import { ThreadPolicyReader } from '../../adapters/policies/index.js';
import type { ReadPolicyConfigMap } from '../../apis/berth/read-policy-config-map.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

export interface PolicyReader {
  readonly read: ReadPolicyConfigMap;
  /** Makes ready for the first question. */
  start(): void;
}

export interface PolicyReaders {
  /** For the watch, with much time; undefined where this thread reads. */
  readonly watched: PolicyReader | undefined;
  /** For the webhook, within its 2 s. */
  readonly submitted: PolicyReader | undefined;
  close(): Promise<void>;
}

/** kube-apiserver waits 2 s for the webhook (manifests/base/webhooks.yaml). */
const SUBMITTED_MILLIS = 1700;
const WATCHED_MILLIS = 30_000;
const MOST_SUBMITTED = 16;
/** The list of all of a cluster is asked one by one. */
const MOST_WATCHED = 4;

export function policyReadersOf(options: {
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

/** One look at a cluster for a command that only reads: what is listed now, and nothing is watched any longer. */
import { kubeFeed, type KubeFeed } from '../adapters/kube/feed/kube-feed.js';
import { KubeClient, KubeconfigSource, pathSegment } from '../adapters/kube/transport/index.js';
import { decodeObservedNamespace } from '../apis/kubernetes/object/observed-namespace.js';
import { readPause, type Pause } from '../domain/records/pause.js';
import type { ObservedKind } from '../ports/cluster-feed.js';
import { hasCode, PortError } from '../ports/port-error.js';
import { withDeadline } from '../runtime/time/deadline.js';
import { systemClock } from '../runtime/time/system-clock.js';
import { SILENT_LOGGER } from '../runtime/process/silent-logger.js';
import { systemRandom } from '../runtime/process/system-random.js';
import { Cluster } from '../state/cluster/cluster.js';

export interface ClusterLook {
  /** undefined: kubectl's order. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly kinds: readonly ObservedKind[];
  /** Berth's own namespace. */
  readonly systemNamespace: string;
}

/** A cluster that has been listed, and the time. */
export interface SeenCluster {
  readonly cluster: Cluster;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** undefined: Berth is not paused, or its namespace may not be read. */
  readonly pause?: Pause | undefined;
}

/** How commands look at a cluster. @throws PortError saying what could not be read and why. */
export type ReadCluster = (look: ClusterLook) => Promise<SeenCluster>;

const DEADLINE_MILLIS = 30_000;
const OPERATION = 'read the cluster';
/** A server that refused so often in a row is not waited for. */
const MOST_FAILURES = 2;
const LOOK_MILLIS = 100;

/** Lists the kinds through the Kubernetes API. */
export async function readCluster({
  kubeconfig,
  context,
  kinds,
  systemNamespace,
}: ClusterLook): Promise<SeenCluster> {
  const clock = systemClock;
  const connection = new KubeconfigSource({ clock, file: kubeconfig, context });
  const client = new KubeClient({ connection, clock, userAgent: 'berth-cli' });
  const cluster = new Cluster();
  const feed = kubeFeed({
    ...{ client, feed: cluster, kinds, clock, random: systemRandom, logger: SILENT_LOGGER },
    namespace: systemNamespace,
  });
  const watching = new AbortController();
  const watched = feed.run(watching.signal);
  // The clock's timers do not keep a process alive, and between two attempts there is no socket that would.
  const awake = setInterval(() => undefined, DEADLINE_MILLIS);
  try {
    const deadline = { clock, millis: DEADLINE_MILLIS, operation: OPERATION };
    await withDeadline(deadline, (signal) => listed(cluster, kinds, feed, signal));
    return { cluster, now: clock.now(), pause: await pauseAt(client, systemNamespace) };
  } catch (error) {
    throw hasCode(error, 'TimedOut') ? unread(feed, error) : error;
  } finally {
    clearInterval(awake);
    watching.abort();
    await watched;
    client.close();
  }
}

/** A user who may read Berth's objects may lack the right to read its namespace. */
async function pauseAt(client: KubeClient, namespace: string): Promise<Pause | undefined> {
  try {
    const path = `/api/v1/namespaces/${pathSegment(namespace)}`;
    return readPause(
      decodeObservedNamespace(await client.request({ method: 'GET', path })).value?.annotations,
    );
  } catch {
    return undefined;
  }
}

async function listed(
  cluster: Cluster,
  kinds: readonly ObservedKind[],
  feed: KubeFeed,
  signal: AbortSignal,
): Promise<void> {
  while (!cluster.isSynced(...kinds)) {
    if (feed.health().some(({ synced, failures }) => !synced && failures >= MOST_FAILURES))
      throw unread(feed);
    await systemClock.sleep(LOOK_MILLIS, signal);
  }
}

/** Kinds with the same trouble are named together: mostly all have it. */
function unread(feed: KubeFeed, cause?: unknown): PortError {
  const kinds = new Map<string, string[]>();
  for (const { kind, synced, lastError = 'no answer' } of feed.health())
    if (!synced) kinds.set(lastError, [...(kinds.get(lastError) ?? []), kind]);
  const words = [...kinds].map(([error, names]) => `${names.join(', ')}: ${error}`);
  return new PortError('Unavailable', { operation: OPERATION, message: words.join('; '), cause });
}

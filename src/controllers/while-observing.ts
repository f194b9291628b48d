/** What every controller that follows the cluster does at its start and at its end. */
import type { ObservedKind } from '../ports/cluster-feed.js';
import { hasCode } from '../ports/port-error.js';
import type { Cluster } from '../state/cluster/cluster.js';

export interface Observation {
  readonly cluster: Cluster;
  /** Work begins when all of these have been listed. */
  readonly kinds: readonly ObservedKind[];
  readonly signal: AbortSignal;
  /** Answers what ends the subscriptions. */
  readonly subscribe: () => readonly (() => void)[];
}

/** Works while subscribed; resolves when the work has ended, or the signal was aborted. */
export async function whileObserving(
  { cluster, kinds, signal, subscribe }: Observation,
  work: () => Promise<void>,
): Promise<void> {
  let subscriptions: readonly (() => void)[] = [];
  try {
    await cluster.whenSynced(kinds, signal);
    subscriptions = subscribe();
    await work();
  } catch (error) {
    if (!hasCode(error, 'Cancelled')) throw error;
  } finally {
    for (const stop of subscriptions) stop();
  }
}

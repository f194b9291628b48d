/** Whether what is in memory is the cluster, and not a part of it. */
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { Probe } from './probe.js';

export interface SyncView {
  isSynced(...kinds: readonly ObservedKind[]): boolean;
}

/** Ready when the first list of each kind has been taken in; names those that were not. */
export function syncProbe(cluster: SyncView, kinds: readonly ObservedKind[]): () => Probe {
  return () => {
    const missing = kinds.filter((kind) => !cluster.isSynced(kind));
    if (missing.length === 0) return { name: 'synced', ready: true };
    return { name: 'synced', ready: false, detail: `not synced yet: ${missing.join(', ')}` };
  };
}

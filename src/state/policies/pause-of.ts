/** Whether Berth is paused, as its namespace says now. */
import { readPause, type Pause } from '../../domain/records/pause.js';
import type { Cluster } from '../cluster/cluster.js';

/** undefined: it is not; before the namespaces are listed neither, but then no loop runs. */
export function pauseOf(cluster: Cluster, namespace: string): Pause | undefined {
  return readPause(cluster.namespaces.get(namespace)?.annotations);
}

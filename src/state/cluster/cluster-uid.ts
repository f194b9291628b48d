/** What tells the instances of this cluster from those of others. */
import { PortError } from '../../ports/port-error.js';
import type { Cluster } from './cluster.js';

/**
 * The UID of the namespace kube-system, which lives as long as its cluster.
 * @throws PortError Unavailable, while it has not been seen.
 */
export function clusterUID(cluster: Cluster): string {
  const uid = cluster.namespaces.get('kube-system')?.uid;
  if (uid !== undefined) return uid;
  throw new PortError('Unavailable', {
    operation: 'read the cluster UID',
    message: 'the namespace kube-system has not been seen yet',
  });
}

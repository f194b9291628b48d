/** Which volumes keep the instance of a node that was drained: those that its pods used and that are still attached to it. */
import type { Cluster } from '../../../state/cluster/cluster.js';
import { isDrained } from './drain.js';

/** Volumes named in one sentence. */
const NAMED_VOLUMES = 5;

type Known = Pick<Cluster, 'podsOn' | 'volumesAttachedTo' | 'persistentVolumeClaims'>;

/** Names of PersistentVolumes, sorted. Volumes of pods that stay are detached only when the node is gone. */
export function awaitedVolumes(cluster: Known, node: string, now: number): readonly string[] {
  const attached = cluster.volumesAttachedTo(node);
  if (attached.length === 0) return [];
  const kept = new Set(
    cluster
      .podsOn(node)
      .filter((pod) => !isDrained(pod, now))
      .flatMap(({ spec }) => spec.volumes)
      .map(({ claim }) => cluster.persistentVolumeClaims.get(claim)?.volumeName),
  );
  return attached.filter((volume) => !kept.has(volume)).sort();
}

/** `2 volumes are detached: pv-1, pv-2`, of which as many are named as may be. */
export function describeAwaited(volumes: readonly string[]): string {
  const count = volumes.length === 1 ? '1 volume is' : `${String(volumes.length)} volumes are`;
  const more = volumes.length > NAMED_VOLUMES ? ` and ${String(volumes.length - NAMED_VOLUMES)} more` : '';
  return `waiting until ${count} detached: ${volumes.slice(0, NAMED_VOLUMES).join(', ')}${more}`;
}

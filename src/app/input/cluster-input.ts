/** What planning takes, made of manifests. */
import type { Catalogue } from '../../catalogue/index.js';
import type { Pod } from '../../domain/pod.js';
import type { ClusterInput } from '../../planning/snapshot/cluster-input.js';
import { decidedOverlays } from './decided-overlays.js';
import { poolOffers } from './pool-offers.js';
import type { Manifests } from './read-manifests.js';

/** `pods`: those to be counted, pending or bound. */
export function clusterInput(
  { policies, cluster }: Manifests,
  pods: readonly Pod[],
  catalogue: Catalogue,
): ClusterInput {
  const pools = poolOffers(
    policies.nodePools.map(({ pool }) => pool),
    policies.nodeClasses.map(({ nodeClass }) => nodeClass),
    catalogue,
    decidedOverlays(policies, catalogue).inForce,
  );
  return { ...cluster, pods, pools };
}

/** What planning takes, made of manifests. */
import type { Catalogue } from '../../clouds/aws/catalogue/index.js';
import type { NodeClassRef } from '../../domain/policies/node-pool.js';
import type { Pod } from '../../domain/pods/pod.js';
import type { ClusterInput } from '../../planning/snapshot/cluster-input.js';
import { decidedOverlays } from './decided-overlays.js';
import { poolOffers } from './pool-offers.js';
import type { Manifests } from './read-manifests.js';

/**
 * `pods`: those to be counted, pending or bound. As in Karpenter nothing is planned for a NodePool that is being deleted, nor
 * for one whose node class is.
 */
export function clusterInput(
  { policies, cluster }: Manifests,
  pods: readonly Pod[],
  catalogue: Catalogue,
): ClusterInput {
  const { beingDeleted } = policies;
  const pools = poolOffers(
    policies.nodePools.map(({ pool }) => pool).filter(({ name }) => !beingDeleted.has(`NodePool/${name}`)),
    policies.nodeClasses,
    catalogue,
    decidedOverlays(policies, catalogue).inForce,
  ).map((offer) =>
    beingDeleted.has(classKey(offer.pool.template.nodeClassRef))
      ? { pool: offer.pool, instanceTypes: undefined, nodeClassProblem: BEING_DELETED }
      : offer,
  );
  return { ...cluster, pods, pools };
}

/** As `Policies` names what is being deleted. */
function classKey({ kind, name }: NodeClassRef): string {
  return `${kind}/${name}`;
}

const BEING_DELETED = 'it is being deleted (metadata.deletionTimestamp)';

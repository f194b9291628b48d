/** What planning takes, made of manifests. */
import type { Catalogue } from '../../clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import type { NodeClassRef, NodePool } from '../../domain/policies/node-pool.js';
import type { Pod } from '../../domain/pods/pod.js';
import type { ClusterInput, PoolOffer } from '../../planning/snapshot/cluster-input.js';
import { decidedOverlays } from './decided-overlays.js';
import type { Manifests } from './read-manifests.js';
import type { InstanceCatalogue } from '../../ports/cloud.js';
import { describeNodeClass, type NodeClass } from '../../domain/policies/node-class.js';
import type { NodeOverlay } from '../../domain/policies/node-overlay.js';
import { overlaidTypes, overlaysOfPool } from '../../domain/nodes/overlaid-types.js';
import { labelledTenancy, tenancyOf, type Tenancy } from '../../domain/nodes/tenancy.js';
import { asksForDedicated } from '../../domain/pods/dedicated-demand.js';
import { demandStatus, type IgnoredReason } from '../../domain/pods/demand.js';

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
    {
      overlays: decidedOverlays(policies, catalogue).inForce,
      hasDedicated:
        pods.some(({ spec }) => asksForDedicated(spec)) ||
        cluster.nodes.some(({ labels }) => labelledTenancy(labels) === 'dedicated'),
    },
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

interface OfferTerms {
  /** Those in force, in the order of precedence. */
  readonly overlays?: readonly NodeOverlay[];
  /** Whether dedicated instances are offered as well. */
  readonly hasDedicated?: boolean;
}

/** Pools with the catalogue's types for their node class; a pool whose node class is not there offers nothing. */
export function poolOffers(
  pools: readonly NodePool[],
  nodeClasses: readonly NodeClass[],
  catalogue: Pick<InstanceCatalogue, 'forNodeClass'>,
  { overlays = [], hasDedicated = false }: OfferTerms = {},
): readonly PoolOffer[] {
  const byName = new Map(nodeClasses.map((nodeClass) => [describeNodeClass(nodeClass), nodeClass]));
  return pools.map((pool) => {
    const nodeClass = byName.get(describeNodeClass(pool.template.nodeClassRef));
    if (nodeClass === undefined) return { pool, instanceTypes: undefined };
    const concerned = overlaysOfPool(overlays, { name: pool.name, labels: pool.template.labels });
    const own = tenancyOf(pool.template);
    const typesOf = (tenancy: Tenancy): readonly InstanceType[] =>
      overlaidTypes(catalogue.forNodeClass(nodeClass, tenancy), concerned);
    return {
      pool,
      instanceTypes: typesOf(own),
      ...(hasDedicated && own === 'default' && { dedicatedTypes: typesOf('dedicated') }),
    };
  });
}

export interface Demand {
  /** Pods that need a place, and pods that have one. */
  readonly pods: readonly Pod[];
  /** How many pods without a place are not planned, by reason. */
  readonly ignored: ReadonlyMap<IgnoredReason, number>;
}

/** Sorts pods out; bound pods count regardless of their scheduler, since they take room. */
export function demandOf(all: readonly Pod[]): Demand {
  const pods: Pod[] = [];
  const ignored = new Map<IgnoredReason, number>();
  for (const pod of all) {
    const status = demandStatus(pod);
    if (status === 'demand' || pod.nodeName !== undefined) pods.push(pod);
    else ignored.set(status.ignored, (ignored.get(status.ignored) ?? 0) + 1);
  }
  return { pods, ignored };
}

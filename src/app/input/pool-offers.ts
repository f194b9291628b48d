/** What each pool may launch: its node class and NodeOverlays applied to the catalogue. */
import type { InstanceCatalogue } from '../../ports/cloud.js';
import { describeNodeClass, type NodeClass } from '../../domain/policies/node-class.js';
import type { NodeOverlay } from '../../domain/policies/node-overlay.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import { overlaidTypes, overlaysOfPool } from '../../domain/nodes/overlaid-types.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';

/**
 * Pools with the catalogue's types for their node class; a pool whose node class is not there offers nothing. The overlays
 * are those in force, in the order of precedence.
 */
export function poolOffers(
  pools: readonly NodePool[],
  nodeClasses: readonly NodeClass[],
  catalogue: Pick<InstanceCatalogue, 'forNodeClass'>,
  overlays: readonly NodeOverlay[] = [],
): readonly PoolOffer[] {
  const byName = new Map(nodeClasses.map((nodeClass) => [describeNodeClass(nodeClass), nodeClass]));
  return pools.map((pool) => {
    const nodeClass = byName.get(describeNodeClass(pool.template.nodeClassRef));
    if (nodeClass === undefined) return { pool, instanceTypes: undefined };
    const concerned = overlaysOfPool(overlays, { name: pool.name, labels: pool.template.labels });
    return { pool, instanceTypes: overlaidTypes(catalogue.forNodeClass(nodeClass), concerned) };
  });
}

/** What each pool may launch: its node class and NodeOverlays applied to the catalogue. */
import type { Catalogue } from '../../clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
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
  catalogue: Catalogue,
  overlays: readonly NodeOverlay[] = [],
): readonly PoolOffer[] {
  const byName = new Map(nodeClasses.map((nodeClass) => [nodeClass.name, nodeClass]));
  return pools.map((pool) => {
    const nodeClass = byName.get(pool.template.nodeClassRef.name);
    if (nodeClass === undefined) return { pool, instanceTypes: undefined };
    const concerned = overlaysOfPool(overlays, { name: pool.name, labels: pool.template.labels });
    const types = overlaidTypes(catalogue.forNodeClass(nodeClass), concerned);
    return { pool, instanceTypes: inZones(types, nodeClass) };
  });
}

/** A node class with subnets that are known launches only in their zones. */
function inZones(types: readonly InstanceType[], { zones }: NodeClass): readonly InstanceType[] {
  if (zones === undefined) return types;
  return types.map((type) => ({
    ...type,
    offerings: type.offerings.filter(({ zone }) => zones.has(zone)),
  }));
}

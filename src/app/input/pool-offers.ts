/** What each pool may launch: its node class applied to the catalogue. */
import type { Catalogue } from '../../catalogue/index.js';
import type { InstanceType } from '../../domain/instance-type.js';
import type { NodeClass } from '../../domain/node-class.js';
import type { NodePool } from '../../domain/node-pool.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';

/** Pools with the catalogue's types for their node class; a pool whose node class is not there offers nothing. */
export function poolOffers(
  pools: readonly NodePool[],
  nodeClasses: readonly NodeClass[],
  catalogue: Catalogue,
): readonly PoolOffer[] {
  const byName = new Map(nodeClasses.map((nodeClass) => [nodeClass.name, nodeClass]));
  return pools.map((pool) => {
    const nodeClass = byName.get(pool.template.nodeClassRef.name);
    return { pool, instanceTypes: nodeClass && typesFor(nodeClass, catalogue) };
  });
}

/** A node class with subnets that are known launches only in their zones. */
function typesFor(nodeClass: NodeClass, catalogue: Catalogue): readonly InstanceType[] {
  const types = catalogue.forNodeClass(nodeClass);
  const { zones } = nodeClass;
  if (zones === undefined) return types;
  return types.map((type) => ({
    ...type,
    offerings: type.offerings.filter(({ zone }) => zones.has(zone)),
  }));
}

/** What nodes that exist cost, by the catalogue. */
import type { Offering } from '../../domain/nodes/instance-type.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/values/labels.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Node → USD/h at the catalogue's price for its type, zone and capacity type; undefined where it has none. */
export function nodePrices({ nodes, pools }: Snapshot): readonly (number | undefined)[] {
  if (nodes.length === 0) return [];
  const wanted = new Set(nodes.map(({ labels }) => labels.get(INSTANCE_TYPE)));
  const offeringsOf = new Map<string, readonly Offering[]>();
  for (const { instanceTypes = [] } of pools)
    for (const { name, offerings } of instanceTypes)
      if (wanted.has(name)) offeringsOf.set(name, [...(offeringsOf.get(name) ?? []), ...offerings]);
  return nodes.map(({ labels }) => {
    const [zone, capacityType] = [labels.get(ZONE), labels.get(CAPACITY_TYPE)];
    const isSame = (each: Offering): boolean => each.zone === zone && each.capacityType === capacityType;
    // Where pools have different prices, the last one's counts.
    return offeringsOf.get(labels.get(INSTANCE_TYPE) ?? '')?.findLast(isSame)?.price;
  });
}

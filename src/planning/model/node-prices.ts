/** What nodes that exist cost, by the catalogue. */
import type { Offering } from '../../domain/nodes/instance-type.js';
import { labelledTenancy } from '../../domain/nodes/tenancy.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/values/labels.js';
import { allTypesOffered } from '../snapshot/cluster-input.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Node → USD/h at the catalogue's price for its type, tenancy, zone and capacity type; undefined where it has none. */
export function nodePrices({ nodes, pools }: Snapshot): readonly (number | undefined)[] {
  if (nodes.length === 0) return [];
  const wanted = new Set(nodes.map(({ labels }) => labels.get(INSTANCE_TYPE)));
  const offeringsOf = new Map<string, readonly Offering[]>();
  for (const offer of pools)
    for (const { name, labels, offerings } of allTypesOffered(offer)) {
      const key = `${name} ${labelledTenancy(labels)}`;
      if (wanted.has(name)) offeringsOf.set(key, [...(offeringsOf.get(key) ?? []), ...offerings]);
    }
  return nodes.map(({ labels }) => {
    const [zone, capacityType] = [labels.get(ZONE), labels.get(CAPACITY_TYPE)];
    const isSame = (each: Offering): boolean => each.zone === zone && each.capacityType === capacityType;
    // Where pools have different prices, the last one's counts.
    return offeringsOf.get(`${labels.get(INSTANCE_TYPE) ?? ''} ${labelledTenancy(labels)}`)?.findLast(isSame)
      ?.price;
  });
}

/** What nodes that exist cost, by the catalogue. */
import type { Offering } from '../../domain/nodes/instance-type.js';
import { labelledTenancy } from '../../domain/nodes/tenancy.js';
import { append } from '../../domain/values/lists.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/values/labels.js';
import { allTypesOffered } from '../snapshot/cluster-input.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Node → USD/h at the catalogue's price for its type, tenancy, zone and capacity type; undefined where it has none. */
export function nodePrices({ nodes, pools }: Snapshot): readonly (number | undefined)[] {
  if (nodes.length === 0) return [];
  const wanted = new Set(nodes.map(({ labels }) => labels.get(INSTANCE_TYPE)));
  const priced = { default: new Map<string, Offering[]>(), dedicated: new Map<string, Offering[]>() };
  for (const { name, labels, offerings } of pools.flatMap(allTypesOffered)) {
    if (!wanted.has(name)) continue;
    for (const offering of offerings) append(priced[labelledTenancy(labels)], name, offering);
  }
  return nodes.map(({ labels }) => {
    const [zone, capacityType] = [labels.get(ZONE), labels.get(CAPACITY_TYPE)];
    const isSame = (each: Offering): boolean => each.zone === zone && each.capacityType === capacityType;
    // Where pools have different prices, the last one's counts.
    return priced[labelledTenancy(labels)].get(labels.get(INSTANCE_TYPE) ?? '')?.findLast(isSame)?.price;
  });
}

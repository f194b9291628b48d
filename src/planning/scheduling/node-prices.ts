/** What nodes that exist cost, by the catalogue. */
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/labels.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Node → USD/h at the catalogue's price for its type, zone and capacity type; undefined where it has none. */
export function nodePrices({ nodes, pools }: Snapshot): readonly (number | undefined)[] {
  if (nodes.length === 0) return [];
  const wanted = new Set(nodes.map(({ labels }) => labels.get(INSTANCE_TYPE)));
  const prices = new Map<string, number>();
  for (const { instanceTypes = [] } of pools) {
    for (const { name, offerings } of instanceTypes) {
      if (!wanted.has(name)) continue;
      for (const { zone, capacityType, price } of offerings)
        prices.set(`${name} ${zone} ${capacityType}`, price);
    }
  }
  return nodes.map(({ labels }) => {
    const key = [INSTANCE_TYPE, ZONE, CAPACITY_TYPE].map((label) => labels.get(label) ?? '');
    return prices.get(key.join(' '));
  });
}

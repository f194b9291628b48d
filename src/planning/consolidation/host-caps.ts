/** How many items of a kind one host takes, as caps of groups. */
import { DisjointSets } from '../disjoint-sets.js';
import type { HostCap } from '../scheduling/guided/guided-rules.js';
import type { ItemKind } from './cluster-items.js';

export interface ClusterCaps {
  /** Kind → its cap group, or -1. */
  readonly ofKind: Int32Array;
  /** Cap group → most items on one host. */
  readonly cap: Int32Array;
}

/**
 * Groups that share a kind become one, with the least of their caps: stricter than asked where they overlap in part. Items
 * that stay count against the caps of those that would come to them.
 */
export function clusterCaps(kinds: readonly ItemKind[]): ClusterCaps {
  const capped = new Map<number, HostCap>();
  for (const { hostCaps } of kinds) for (const cap of hostCaps) capped.set(cap.group.index, cap);
  const capsOf = ({ mobility, hostCaps, memberOf }: ItemKind): readonly HostCap[] =>
    mobility === undefined ? memberOf.flatMap((group) => capped.get(group) ?? []) : hostCaps;
  const sets = new DisjointSets();
  const all = kinds.map(capsOf);
  for (const [first, ...others] of all)
    if (first !== undefined) for (const { group } of others) sets.join(first.group.index, group.index);
  const numbers = new Map<number, number>();
  const cap: number[] = [];
  const ofKind = new Int32Array(kinds.length).fill(-1);
  all.forEach((caps, kind) => {
    for (const { group, most } of caps) {
      const root = sets.find(group.index);
      const number = numbers.get(root) ?? numbers.size;
      numbers.set(root, number);
      cap[number] = Math.min(cap[number] ?? Infinity, most);
      ofKind[kind] = number;
    }
  });
  return { ofKind, cap: Int32Array.from(cap) };
}

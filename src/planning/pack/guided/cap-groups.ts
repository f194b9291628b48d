/** How many items of a kind one machine takes: hostname spread and self-anti-affinity, as caps. */
import { DisjointSets } from '../../disjoint-sets.js';
import type { HostCap } from './guided-rules.js';

export interface CapGroups {
  /** Index of the given lists → its cap group, or -1. */
  readonly of: Int32Array;
  /** Cap group → most items on one machine. */
  readonly cap: Int32Array;
}

/**
 * One list of caps per kind of items. Groups that share a list become one, with the least of their caps: stricter than asked
 * where they overlap in part.
 */
export function capGroups(lists: readonly (readonly HostCap[])[]): CapGroups {
  const sets = new DisjointSets();
  for (const [first, ...others] of lists)
    if (first !== undefined) for (const { group } of others) sets.join(first.group.index, group.index);
  const numbers = new Map<number, number>();
  const cap: number[] = [];
  const of = new Int32Array(lists.length).fill(-1);
  lists.forEach((caps, index) => {
    for (const { group, most } of caps) {
      const root = sets.find(group.index);
      const number = numbers.get(root) ?? numbers.size;
      numbers.set(root, number);
      cap[number] = Math.min(cap[number] ?? Infinity, most);
      of[index] = number;
    }
  });
  return { of, cap: Int32Array.from(cap) };
}

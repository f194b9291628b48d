/** How many items of a kind one machine takes: hostname spread and self-anti-affinity, as caps. */
import { DisjointSets } from '../../disjoint-sets.js';
import type { ItemDraft } from './item-draft.js';

export interface CapGroups {
  /** Draft → its cap group, or -1. */
  readonly ofDraft: Int32Array;
  /** Cap group → most items on one machine. */
  readonly cap: Int32Array;
}

/** Groups that share a class become one, with the least of their caps: stricter than asked where they overlap in part. */
export function capGroups(drafts: readonly ItemDraft[]): CapGroups {
  const sets = new DisjointSets();
  for (const { hostCaps } of drafts) {
    const [first, ...others] = hostCaps;
    if (first !== undefined) for (const { group } of others) sets.join(first.group.index, group.index);
  }
  const numbers = new Map<number, number>();
  const cap: number[] = [];
  const ofDraft = new Int32Array(drafts.length).fill(-1);
  drafts.forEach(({ hostCaps }, draft) => {
    for (const { group, most } of hostCaps) {
      const root = sets.find(group.index);
      const number = numbers.get(root) ?? numbers.size;
      numbers.set(root, number);
      cap[number] = Math.min(cap[number] ?? Infinity, most);
      ofDraft[draft] = number;
    }
  });
  return { ofDraft, cap: Int32Array.from(cap) };
}

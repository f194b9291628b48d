/** How many items of a kind one host takes, as caps of groups. */
import { capGroups, type CapGroups, type HostCap } from '../../pack/guided/guided-rules.js';
import type { ItemKind } from './cluster-items.js';

/** One list per kind. Items that stay count against the caps of those that would come to them. */
export function clusterCaps(kinds: readonly ItemKind[]): CapGroups {
  const capped = new Map<number, HostCap>();
  for (const { hostCaps } of kinds) for (const cap of hostCaps) capped.set(cap.group.index, cap);
  return capGroups(
    kinds.map(({ mobility, hostCaps, memberOf }) =>
      mobility === undefined ? memberOf.flatMap((group) => capped.get(group) ?? []) : hostCaps,
    ),
  );
}

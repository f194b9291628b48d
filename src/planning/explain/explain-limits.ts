/** Which limits of a pool keep a pod from a node of some type, and how much they lack. */
import type { ResourceList } from '../../domain/resources.js';
import type { LimitReached } from '../reason.js';
import { rowCapacity } from '../model/launch/launchables.js';
import type { Packing } from '../rules/packing.js';
import { PoolUsage } from '../model/pool-usage.js';

/**
 * Every limit that one more node of this capacity would break, but for those that are raised to enough of it; undefined
 * when none.
 */
export function limitReason(
  packing: Packing,
  pool: number,
  capacity: ResourceList,
  raised: ReadonlyMap<string, number>,
): LimitReached | undefined {
  const [first, ...others] = plannedUsage(packing)
    .shortages(pool, capacity)
    .filter(({ resource, inUse, needed }) => inUse + needed > (raised.get(resource) ?? -Infinity));
  if (first === undefined) return undefined;
  return { code: 'LimitReached', ...first, ...(others.length === 0 ? {} : { others }) };
}

const PLANNED = new WeakMap<Packing, PoolUsage>();

/** What nodes, claims in flight and the claims of this plan take as they were opened: what else they list may take more. */
function plannedUsage(packing: Packing): PoolUsage {
  const known = PLANNED.get(packing);
  if (known !== undefined) return known;
  const { snapshot, launchables } = packing.problem;
  const usage = new PoolUsage(snapshot);
  for (const { column } of packing.targets) {
    if (column < 0) continue;
    const row = launchables.columnRow[column] ?? 0;
    usage.take(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
  }
  PLANNED.set(packing, usage);
  return usage;
}

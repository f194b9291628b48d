/** Whether a claim is of a pool although one of a higher weight could have held all its pods, as may happen when others leave. */
import type { Ask } from '../model/classes/ask.js';
import { mayOpen } from '../rules/may-open.js';
import type { Packing } from '../rules/packing.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { openingsOf } from './openings.js';

/** What is on a claim, and under which asks it came there. */
interface Claimed {
  readonly column: number;
  readonly content: ReadonlyMap<number, number>;
  readonly asks: ReadonlySet<Ask>;
}

/**
 * Karpenter tries pools in the order of their weights (NodePool `spec.weight`). Pods whose place depends on other pods may
 * need a pool that each of them alone does not.
 */
export function passesOverAPool(packing: Packing, { column, content, asks }: Claimed): boolean {
  if (column < 0 || content.size === 0) return false;
  const { launchables, classes } = packing.problem;
  const openings = openingsOf(packing.problem);
  const template = launchables.rowTemplate[launchables.columnRow[column] ?? 0]?.index ?? -1;
  const tier = openings.tierOf(template);
  if (tier <= 0) return false;
  return [...content.keys()].every((index) => {
    const pods = classes[index];
    const own = pods?.asks.filter((ask) => asks.has(ask)) ?? [];
    return pods !== undefined && own.every((ask) => mayGoHigher(packing, pods, ask, tier));
  });
}

function mayGoHigher(packing: Packing, pods: PodClass, ask: Ask, tier: number): boolean {
  const { spread, affinity, antiAffinity } = ask;
  if (spread.length + affinity.length + antiAffinity.length + pods.repelledBy.length > 0) return false;
  const { columnRow } = packing.problem.launchables;
  const higher = openingsOf(packing.problem).of(pods, ask).slice(0, tier).flat();
  return higher.some(({ template, columns }) => {
    const allows = mayOpen(packing, pods, ask, template);
    return columns.some((column) => packing.isWithinLimits(columnRow[column] ?? 0) && allows(column));
  });
}

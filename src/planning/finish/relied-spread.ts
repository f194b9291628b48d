import type { SpreadRule } from '../model/classes/ask.js';
import { NO_DOMAIN } from '../model/constraints/domains.js';
import type { Problem } from '../model/problem.js';
import type { ReliedSpread } from '../offerings/usable-columns.js';
import type { Packing } from '../rules/packing.js';

/** Problem → group and domains → columns: packings of one problem share them. */
const KNOWN = new WeakMap<Problem, Map<string, Uint8Array>>();

/**
 * The spread that pods were placed under as a last resort, when only domains of nodes and claims that there are counted, and
 * that a claim would break which is launched in another domain, without a pod.
 */
export function reliedSpreads(packing: Packing): readonly ReliedSpread[] {
  const asks = packing.targets.flatMap(({ content, asks: all }) => (content.size === 0 ? [] : [...all]));
  const rules = new Set(
    asks.flatMap(({ strictness, spread }) => (strictness === 'last resort' ? spread : [])),
  );
  return [...rules]
    .filter((rule) => packing.counts.isBrokenByEmpty(rule))
    .map((rule) => ({ group: rule.group, columns: columnsWithin(packing, rule) }));
}

/** One byte per column: 1 where a new node would be no further domain for the rule. */
function columnsWithin({ problem, counts }: Packing, rule: SpreadRule): Uint8Array {
  const known = KNOWN.get(problem) ?? new Map<string, Uint8Array>();
  KNOWN.set(problem, known);
  const domains = rule.group.isHostname ? [] : counts.eligibleDomains(rule);
  const name = [rule.group.index, rule.reach?.key ?? '', ...domains].join();
  const made = known.get(name) ?? new Uint8Array(problem.launchables.columnRow.length);
  if (known.has(name)) return made;
  known.set(name, made);
  for (let column = 0; column < made.length; column++) {
    const domain = counts.newDomain(rule, column);
    if (domain === NO_DOMAIN || domains.includes(domain)) made[column] = 1;
  }
  return made;
}

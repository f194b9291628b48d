/** The least price of a tiny bin problem, by trying every way to share out its items; quotas and accounts left out. */
import type { BinProblem } from '../../../src/planning/optimize/problem/bin-problem.js';

/** USD/h; Infinity when some item goes nowhere. Exponential: for half a dozen items. */
export function leastPrice(problem: BinProblem, binTypes: Iterable<number>): number {
  const usable = [...binTypes];
  const items = Array.from(problem.classes.items).flatMap((count, item) => Array<number>(count).fill(item));
  const priceOf = new Map<string, number>();
  const priced = (content: readonly number[]): number => {
    const key = content.join();
    const price = priceOf.get(key) ?? cheapest(problem, usable, content);
    priceOf.set(key, price);
    return price;
  };
  const search = (next: number, bins: readonly (readonly number[])[]): number => {
    const item = items[next];
    if (item === undefined) return bins.reduce((sum, content) => sum + priced(content), 0);
    const choices = [...bins.keys(), bins.length].map((chosen) => {
      const grown = [...bins.slice(0, chosen), [...(bins[chosen] ?? []), item], ...bins.slice(chosen + 1)];
      return priced(grown[chosen] ?? []) === Infinity ? Infinity : search(next + 1, grown);
    });
    return Math.min(...choices);
  };
  return search(0, []);
}

/** The cheapest bin type and zone that hold these items together. */
function cheapest(problem: BinProblem, usable: readonly number[], content: readonly number[]): number {
  let least = Infinity;
  for (const binType of usable) {
    if (!holds(problem, binType, content)) continue;
    for (let zone = 0; zone < problem.zones; zone++) {
      if (content.every((item) => ((problem.classes.zoneMask[item] ?? 0) & (1 << zone)) !== 0))
        least = Math.min(least, problem.binTypes.price[binType * problem.zones + zone] ?? Infinity);
    }
  }
  return least;
}

/** Whether a bin type admits all these items and has room for them, within the caps. */
export function holds(problem: BinProblem, binType: number, content: readonly number[]): boolean {
  const { binTypes, classes, admits, requirementSets, resources, cap } = problem;
  const row = (binTypes.signature[binType] ?? 0) * requirementSets;
  if (!content.every((item) => admits[row + (classes.requirementSet[item] ?? 0)] === 1)) return false;
  const fits = Array.from({ length: resources }, (_, axis) => axis).every((axis) => {
    const asked = content.reduce((sum, item) => sum + (classes.requests[item * resources + axis] ?? 0), 0);
    return asked <= (binTypes.capacity[binType * resources + axis] ?? 0);
  });
  return (
    fits &&
    Array.from(cap).every(
      (most, group) => content.filter((item) => classes.capGroup[item] === group).length <= most,
    )
  );
}

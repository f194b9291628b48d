/** Says, from the contract alone, what is wrong with bins: an independent reading of what a bin may hold. */
import type { Bin, BinProblem, BinSolution } from '../../../src/planning/optimize/problem/bin-problem.js';

/** What the bins leave of everything that limits them. */
export interface Remains {
  readonly items: readonly number[];
  readonly quota: readonly number[];
  readonly account: readonly number[];
}

export function remainsAfter(problem: BinProblem, { bins }: BinSolution): Remains {
  const { classes, binTypes, accounts, zones } = problem;
  const items = [...classes.items];
  const quota = [...problem.quota];
  const account = [...accounts.left];
  for (const bin of bins) {
    bin.classes.forEach((item, i) => {
      const count = bin.items[i] ?? 0;
      items[item] = (items[item] ?? 0) - count;
      const group = classes.quotaGroup[item] ?? -1;
      if (group >= 0) quota[group * zones + bin.zone] = (quota[group * zones + bin.zone] ?? 0) - count;
    });
    account.forEach((left, limit) => {
      account[limit] = left - (binTypes.charge[bin.binType * accounts.limits + limit] ?? 0);
    });
  }
  return { items, quota, account };
}

/** Sentences on everything that is wrong; none for a solution that holds. */
export function violations(problem: BinProblem, solution: BinSolution): string[] {
  const { items, quota, account } = remainsAfter(problem, solution);
  const found = solution.bins.flatMap((bin, i) =>
    wrongIn(problem, bin).map((what) => `bin ${String(i)}: ${what}`),
  );
  if (quota.some((left) => left < 0)) found.push('a quota is exceeded');
  if (account.some((left) => left < 0)) found.push('an account is overdrawn');
  if (items.join() !== solution.left.join()) found.push('items are lost, doubled or not told as left');
  const price = solution.bins.reduce((sum, bin) => sum + priceOf(problem, bin), 0);
  if (Math.abs(price - solution.price) > 1e-6) found.push('the price is not the sum of the bins');
  return found;
}

function priceOf({ binTypes, zones }: BinProblem, { binType, zone }: Bin): number {
  return binTypes.price[binType * zones + zone] ?? Infinity;
}

function wrongIn(problem: BinProblem, bin: Bin): string[] {
  const { classes, binTypes, resources, admits, requirementSets, cap } = problem;
  const found: string[] = [];
  if (priceOf(problem, bin) === Infinity) found.push('the bin type is not offered in the zone');
  for (let axis = 0; axis < resources; axis++) {
    const used = sumOver(bin, (item) => classes.requests[item * resources + axis] ?? 0);
    if (used > (binTypes.capacity[bin.binType * resources + axis] ?? 0))
      found.push(`resource ${String(axis)}`);
  }
  const signature = binTypes.signature[bin.binType] ?? 0;
  for (const item of bin.classes) {
    const set = classes.requirementSet[item] ?? 0;
    if (admits[signature * requirementSets + set] !== 1) found.push('the bin type does not admit an item');
    if ((((classes.zoneMask[item] ?? 0) >> bin.zone) & 1) === 0) found.push('a zone is forbidden');
  }
  cap.forEach((most, group) => {
    const members = sumOver(bin, (item) => (classes.capGroup[item] === group ? 1 : 0));
    if (members > most) found.push(`cap group ${String(group)}`);
  });
  return [...found, ...wronglyListed(bin)];
}

function wronglyListed({ classes, items }: Bin): string[] {
  const ascending = classes.every((item, i) => i === 0 || item > (classes[i - 1] ?? Infinity));
  const found = ascending ? [] : ['classes are not ascending'];
  return items.every((count) => count > 0) ? found : [...found, 'a class is listed without items'];
}

function sumOver({ classes, items }: Bin, each: (item: number) => number): number {
  return classes.reduce((sum, item, i) => sum + (items[i] ?? 0) * each(item), 0);
}

/** Classes with items left of which one would fit on an empty bin that can still be bought. */
export function couldHaveHadABin(problem: BinProblem, solution: BinSolution): number[] {
  const { classes, binTypes, accounts, zones } = problem;
  const remains = remainsAfter(problem, solution);
  const found: number[] = [];
  remains.items.forEach((left, item) => {
    if (left === 0) return;
    const group = classes.quotaGroup[item] ?? -1;
    for (let binType = 0; binType < binTypes.count; binType++) {
      const canPay = remains.account.every(
        (rest, limit) => (binTypes.charge[binType * accounts.limits + limit] ?? 0) <= rest,
      );
      for (let zone = 0; zone < zones && canPay; zone++) {
        const share = group < 0 ? 1 : (remains.quota[group * zones + zone] ?? 0);
        const alone = { binType, zone, classes: [item], items: [1] };
        if (share > 0 && wrongIn(problem, alone).length === 0) found.push(item);
      }
    }
  });
  return found;
}

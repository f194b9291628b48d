import fc from 'fast-check';
import type { BinProblem } from '../../../src/planning/optimize/problem/bin-problem.js';
import { priceBinTypes, type BinTypePrices } from '../../../src/planning/optimize/prices/bin-type-prices.js';
import { holds, leastPrice } from './brute-force.js';
import { randomBinProblem } from './random-bin-problem.js';

const PIVOTS = 800;
const ROUNDING = 1e-9;
const wide = randomBinProblem({ classes: 8, items: 30, caps: true, small: false });
const tiny = randomBinProblem({ classes: 3, items: 2, caps: true, small: false });
/** Nothing is told apart by what it fits, and no slots come and go: the program is the same before and after a change. */
const simple = randomBinProblem({ classes: 8, items: 30, caps: false, small: true });

function zonesOf({ zones }: BinProblem): number[] {
  return Array.from({ length: zones }, (_, zone) => zone);
}

function classesOf({ classes }: BinProblem): number[] {
  return Array.from({ length: classes.count }, (_, item) => item);
}

function binTypesOf({ binTypes }: BinProblem): number[] {
  return Array.from({ length: binTypes.count }, (_, binType) => binType);
}

/** What an item is worth by the duals alone; undefined where it has no price. */
function worthOf(
  problem: BinProblem,
  { duals }: BinTypePrices,
  item: number,
  zone: number,
): number | undefined {
  const { resources, zones, classes } = problem;
  const group = duals.groupOf[item * zones + zone] ?? -1;
  if (group < 0) return undefined;
  const isSlot = duals.slotGroup >= 0 && classes.capGroup[item] === duals.slotGroup;
  return classes.requests
    .subarray(item * resources, (item + 1) * resources)
    .reduce(
      (sum, request, axis) => sum + request * (duals.perUnit[group * resources + axis] ?? 0),
      isSlot ? duals.slot : 0,
    );
}

/** More than anything that could be put into the bin is worth, items being divisible: each resource at its best price. */
function mostWorth(problem: BinProblem, { duals }: BinTypePrices, binType: number, zone: number): number {
  const { resources, zones, binTypes, classes, cap } = problem;
  const able = classesOf(problem).filter(
    (item) => (duals.groupOf[item * zones + zone] ?? -1) >= 0 && holds(problem, binType, [item]),
  );
  const hasSlot = able.some((item) => duals.slotGroup >= 0 && classes.capGroup[item] === duals.slotGroup);
  let worth = hasSlot ? duals.slot * (cap[duals.slotGroup] ?? 0) : 0;
  for (let axis = 0; axis < resources; axis++) {
    const best = able.map(
      (item) => duals.perUnit[(duals.groupOf[item * zones + zone] ?? 0) * resources + axis] ?? 0,
    );
    worth += Math.max(0, ...best) * (binTypes.capacity[binType * resources + axis] ?? 0);
  }
  return worth;
}

/** How many of one class a bin holds. */
function wholeFill(problem: BinProblem, binType: number, item: number): number {
  let content: number[] = [];
  while (content.length < 100 && holds(problem, binType, [...content, item])) content = [...content, item];
  return content.length;
}

function withClass(
  problem: BinProblem,
  item: number,
  change: { items?: number; zoneMask?: number },
): BinProblem {
  const { classes } = problem;
  const items = classes.items.with(item, change.items ?? classes.items[item] ?? 0);
  const zoneMask = classes.zoneMask.with(item, change.zoneMask ?? classes.zoneMask[item] ?? 0);
  return { ...problem, classes: { ...classes, items, zoneMask } };
}

/** The problem without the last bin type. */
function withoutLastBinType(problem: BinProblem): BinProblem {
  const { binTypes, resources, zones, accounts } = problem;
  const count = binTypes.count - 1;
  return {
    ...problem,
    binTypes: {
      ...binTypes,
      count,
      capacity: binTypes.capacity.slice(0, count * resources),
      price: binTypes.price.slice(0, count * zones),
      signature: binTypes.signature.slice(0, count),
      account: binTypes.account.slice(0, count),
      charge: binTypes.charge.slice(0, count * accounts.limits),
    },
  };
}

describe('prices of bin types', () => {
  it('let no bin hold more than it costs, whatever it is filled with', () => {
    fc.assert(
      fc.property(wide, (problem) => {
        fc.pre(problem.classes.count > 1);
        const prices = priceBinTypes(problem, PIVOTS);
        for (const binType of binTypesOf(problem)) {
          for (const zone of zonesOf(problem)) {
            const price = problem.binTypes.price[binType * problem.zones + zone] ?? Infinity;
            expect(mostWorth(problem, prices, binType, zone)).toBeLessThanOrEqual(price * (1 + ROUNDING));
          }
        }
      }),
    );
  });

  it('add up to the bound, every item taken where it is worth least', () => {
    fc.assert(
      fc.property(wide, (problem) => {
        const prices = priceBinTypes(problem, PIVOTS);
        const sum = classesOf(problem).reduce((total, item) => {
          const worths = zonesOf(problem).map((zone) => worthOf(problem, prices, item, zone) ?? Infinity);
          return total + Math.min(...worths) * (problem.classes.items[item] ?? 0);
        }, 0);
        expect(Math.abs(sum - prices.lowerBound)).toBeLessThanOrEqual(ROUNDING * (1 + sum));
      }),
    );
  });

  it('are there for an item in exactly the zones where some bin type takes it', () => {
    fc.assert(
      fc.property(wide, (problem) => {
        const { duals } = priceBinTypes(problem, PIVOTS);
        for (const item of classesOf(problem)) {
          for (const zone of zonesOf(problem)) {
            const isOpen =
              ((problem.classes.zoneMask[item] ?? 0) & (1 << zone)) !== 0 &&
              binTypesOf(problem).some(
                (binType) =>
                  holds(problem, binType, [item]) &&
                  (problem.binTypes.price[binType * problem.zones + zone] ?? Infinity) < Infinity,
              );
            expect((duals.groupOf[item * problem.zones + zone] ?? -1) >= 0).toBe(isOpen);
          }
        }
      }),
    );
  });

  it('give a bound that no way to share out the items undercuts', () => {
    fc.assert(
      fc.property(tiny, (problem) => {
        const { lowerBound } = priceBinTypes(problem, PIVOTS);
        const least = leastPrice(problem, binTypesOf(problem));
        expect(lowerBound).toBeGreaterThan(0);
        expect(lowerBound).toBeLessThanOrEqual(least * (1 + ROUNDING));
      }),
      { numRuns: 300 },
    );
  });

  it('keep every bin type that a cheapest way needs', () => {
    fc.assert(
      fc.property(tiny, (problem) => {
        const { kept } = priceBinTypes(problem, PIVOTS);
        expect(leastPrice(problem, kept)).toBeCloseTo(leastPrice(problem, binTypesOf(problem)), 9);
      }),
    );
  });

  it('are valid however few pivots were allowed', () => {
    fc.assert(
      fc.property(tiny, fc.integer({ min: 0, max: 4 }), (problem, pivots) => {
        const { lowerBound } = priceBinTypes(problem, pivots);
        expect(lowerBound).toBeLessThanOrEqual(leastPrice(problem, binTypesOf(problem)) * (1 + ROUNDING));
      }),
    );
  });

  it('guide with values that no bin type holds more of than it costs', () => {
    fc.assert(
      fc.property(wide, (problem) => {
        const { value, potential } = priceBinTypes(problem, PIVOTS);
        const { count } = problem.classes;
        for (const binType of binTypesOf(problem)) {
          for (const zone of zonesOf(problem)) {
            const at = binType * problem.zones + zone;
            for (const item of classesOf(problem)) {
              const worth = value[zone * count + item] ?? 0;
              const most = wholeFill(problem, binType, item) * worth;
              expect(most).toBeLessThanOrEqual((problem.binTypes.price[at] ?? Infinity) * (1 + ROUNDING));
            }
            expect(potential[at]).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });
});

describe('a kept bin type', () => {
  it('has a potential that no fill of one class exceeds', () => {
    fc.assert(
      fc.property(wide, (problem) => {
        const { value, potential, kept } = priceBinTypes(problem, PIVOTS);
        for (const binType of kept) {
          for (const zone of zonesOf(problem)) {
            const at = binType * problem.zones + zone;
            const price = problem.binTypes.price[at] ?? Infinity;
            const open = price === Infinity ? [] : classesOf(problem);
            for (const item of open) {
              const worth = value[zone * problem.classes.count + item] ?? 0;
              const share = (worth * wholeFill(problem, binType, item)) / price;
              expect(share).toBeLessThanOrEqual((potential[at] ?? 0) + ROUNDING);
            }
          }
        }
      }),
    );
  });
});

describe('the bound of a problem whose items fit everywhere', () => {
  /** What the program may stop short of the best prices by. */
  const SLACK = 1.002;

  it('does not rise when a class goes', () => {
    fc.assert(
      fc.property(simple, (problem) => {
        fc.pre(problem.classes.count > 2);
        const before = priceBinTypes(problem, PIVOTS).lowerBound;
        const after = priceBinTypes(withClass(problem, 0, { items: 0 }), PIVOTS).lowerBound;
        expect(after).toBeLessThanOrEqual(before * SLACK);
      }),
    );
  });

  it('does not rise when a class may go to more zones', () => {
    fc.assert(
      fc.property(simple, (problem) => {
        fc.pre(problem.classes.count > 1);
        const before = priceBinTypes(problem, PIVOTS).lowerBound;
        const wider = withClass(problem, 0, { zoneMask: 2 ** problem.zones - 1 });
        expect(priceBinTypes(wider, PIVOTS).lowerBound).toBeLessThanOrEqual(before * SLACK);
      }),
    );
  });

  it('does not rise when there is one bin type more', () => {
    fc.assert(
      fc.property(simple, (problem) => {
        const before = priceBinTypes(withoutLastBinType(problem), PIVOTS).lowerBound;
        expect(priceBinTypes(problem, PIVOTS).lowerBound).toBeLessThanOrEqual(before * SLACK);
      }),
    );
  });
});

describe('a problem of one class', () => {
  it('counts whole items: two of three cores share a bin of seven, not two and a third', () => {
    const problem: BinProblem = {
      resources: 3,
      zones: 1,
      zonesEqual: true,
      binTypes: {
        count: 1,
        capacity: Float64Array.of(7, 64, 100),
        price: Float64Array.of(1),
        signature: Int32Array.of(0),
        account: Int32Array.of(-1),
        charge: new Float64Array(0),
      },
      accounts: { limits: 0, width: 0, first: new Int32Array(0), left: new Float64Array(0) },
      requirementSets: 1,
      signatures: 1,
      admits: Uint8Array.of(1),
      classes: {
        count: 1,
        requests: Float64Array.of(3, 1, 1),
        items: Int32Array.of(100),
        requirementSet: Int32Array.of(0),
        zoneMask: Int32Array.of(1),
        capGroup: Int32Array.of(-1),
        quotaGroup: Int32Array.of(-1),
      },
      cap: new Int32Array(0),
      quota: new Int32Array(0),
    };
    const prices = priceBinTypes(problem, PIVOTS);
    expect(prices.lowerBound).toBeCloseTo(50, 9);
    expect(prices.value[0]).toBeCloseTo(0.5, 9);
    expect(prices.potential[0]).toBeCloseTo(1, 9);
  });
});

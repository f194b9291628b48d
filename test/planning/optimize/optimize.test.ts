import fc from 'fast-check';
import type { BinProblem, BinSolution } from '../../../src/planning/optimize/problem/bin-problem.js';
import { optimize } from '../../../src/planning/optimize/optimize.js';
import { couldHaveHadABin, violations } from './bin-checker.js';
import { binType, pods, problemOf } from './bin-problem-builder.js';
import { randomBinProblem } from './random-bin-problem.js';

const ROUNDING = 1e-9;
const wide = randomBinProblem({ classes: 8, items: 30, caps: true, small: false });
const many = randomBinProblem({ classes: 30, items: 12, caps: true, small: false });
const apart = randomBinProblem({ classes: 9, items: 12, caps: true, small: false, parts: true });
const work = fc.record({
  maxPivots: fc.constantFrom(0, 3, 800),
  maxFills: fc.constantFrom(1, 200),
  maxLooks: fc.constantFrom(1, 50_000),
  seed: fc.nat({ max: 9 }),
});
const options = { maxPivots: 800, maxFills: 500, maxLooks: 100_000, seed: 1 };

function solve(problem: BinProblem): BinSolution {
  return optimize(problem, options);
}

function itemsLeft({ left }: BinSolution): number {
  return left.reduce((sum, items) => sum + items, 0);
}

/** 1,100 classes of as many shapes; every `ruled`-th, if not 0, is capped and shared out over zones. */
function diverseProblem(isEqual: boolean, ruled: number): BinProblem {
  const classes = Array.from({ length: 1100 }, (_, i) => {
    const isRuled = ruled > 0 && i % ruled === 0;
    const groups = isRuled ? { capGroup: 0, quotaGroup: 0 } : {};
    return pods(1 + (i % 4), { requests: [10 + 5 * (i % 37), 20 + 10 * (i % 53), 1], ...groups });
  });
  const sizes = [8, 16, 32];
  const binTypes = sizes.flatMap((size) =>
    [2, 4].map((memory) => {
      const price = size * (0.03 + memory * 0.01);
      return binType({
        capacity: [100 * size, 100 * size * memory, 99],
        price: isEqual ? [price, price, price] : [price, price * 1.1, price * (0.8 + memory * 0.1)],
      });
    }),
  );
  return problemOf({ binTypes, classes, cap: [12], quota: [[400, 400, 400]] });
}

describe('optimize: laws', () => {
  it('every bin holds what is in it, and every item is in one bin or left', () => {
    fc.assert(
      fc.property(fc.oneof(wide, many, apart), work, (problem, given) => {
        expect(violations(problem, optimize(problem, given))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('leaves nothing that could have a bin of its own', () => {
    fc.assert(
      fc.property(fc.oneof(wide, many, apart), work, (problem, given) => {
        expect(couldHaveHadABin(problem, optimize(problem, given))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('gives the same answer to the same question', () => {
    fc.assert(
      fc.property(wide, work, (problem, given) => {
        expect(optimize(problem, given)).toEqual(optimize(problem, given));
      }),
    );
  });

  it('never costs less than the lower bound when everything is packed', () => {
    fc.assert(
      fc.property(fc.oneof(wide, many, apart), work, (problem, given) => {
        const solution = optimize(problem, given);
        fc.pre(itemsLeft(solution) === 0);
        expect(solution.price).toBeGreaterThanOrEqual(solution.lowerBound - ROUNDING);
      }),
    );
  });

  it('never packs fewer items, nor the same at a higher price, when it may work longer', () => {
    fc.assert(
      fc.property(wide, fc.nat({ max: 9 }), (problem, seed) => {
        const short = optimize(problem, { ...options, maxFills: 1, seed });
        const long = optimize(problem, { ...options, maxFills: 300, seed });
        expect(itemsLeft(long)).toBeLessThanOrEqual(itemsLeft(short));
        fc.pre(itemsLeft(long) === itemsLeft(short));
        expect(long.price).toBeLessThanOrEqual(short.price + ROUNDING);
      }),
    );
  });
});

describe('optimize: scenarios', () => {
  it('buys nothing when there is nothing to pack', () => {
    const solution = solve(problemOf({ binTypes: [binType()], classes: [] }));
    expect(solution).toMatchObject({ bins: [], price: 0 });
  });

  it('fills bins of equal pods completely and the last with what is left', () => {
    const { bins } = solve(problemOf({ binTypes: [binType()], classes: [pods(18)] }));
    expect(bins.map(({ items }) => items)).toEqual([[8], [8], [2]]);
  });

  it('gives the last few pods a smaller bin', () => {
    const small = binType({ capacity: [2, 4, 10], price: [0.3] });
    const solution = solve(problemOf({ binTypes: [binType(), small], classes: [pods(10)] }));
    expect(solution.price).toBeCloseTo(1.3);
  });

  it('puts pods that want cpu beside pods that want memory', () => {
    const hungry = pods(12, { requests: [1, 0.5, 1] });
    const thirsty = pods(12, { requests: [0.25, 7.5, 1] });
    const wideBinType = binType({ capacity: [5, 32, 20] });
    expect(solve(problemOf({ binTypes: [wideBinType], classes: [hungry, thirsty] })).bins).toHaveLength(3);
  });

  it('buys in the cheaper of two zones, and in the other where a pod must go there', () => {
    const binTypes = [binType({ price: [1, 2] })];
    const classes = [pods(8), pods(8, { zoneMask: 0b10 })];
    const solution = solve(problemOf({ binTypes, classes }));
    expect(solution.bins.map(({ zone }) => zone).sort()).toEqual([0, 1]);
  });

  it('puts no more of a cap group in one bin than the cap, whatever class they are of', () => {
    const classes = [pods(3, { capGroup: 0 }), pods(3, { capGroup: 0, requests: [0.5, 1, 1] })];
    const { bins } = solve(problemOf({ binTypes: [binType()], classes, cap: [2] }));
    expect(bins).toHaveLength(3);
  });

  it.each([true, false])(
    'spreads a quota group over zones as its quotas say (zones equal: %s)',
    (isEqual) => {
      const binTypes = [binType({ price: isEqual ? [1, 1, 1] : [1, 1.1, 1.2] })];
      const problem = problemOf({ binTypes, classes: [pods(12, { quotaGroup: 0 })], quota: [[4, 4, 4]] });
      const perZone = [0, 0, 0];
      for (const { zone, items } of solve(problem).bins)
        perZone[zone] = (perZone[zone] ?? 0) + (items[0] ?? 0);
      expect(perZone).toEqual([4, 4, 4]);
    },
  );

  it('leaves what no bin type admits or holds, and packs the rest', () => {
    const classes = [pods(2, { requirementSet: 1 }), pods(3, { requests: [99, 1, 1] }), pods(8)];
    const solution = solve(problemOf({ binTypes: [binType()], classes, admits: [[true, false]] }));
    expect([...solution.left]).toEqual([2, 3, 0]);
    expect(solution.bins).toHaveLength(1);
  });

  it('buys no more than the account can take, and then from a more expensive account', () => {
    const cheap = binType({ account: 0, charge: [8, 0] });
    const expensive = binType({ account: 1, charge: [0, 8], price: [3] });
    const problem = problemOf({ binTypes: [cheap, expensive], classes: [pods(40)], accounts: [16, 8] });
    const solution = solve(problem);
    expect(solution.bins.map(({ binType: bought }) => bought).sort()).toEqual([0, 0, 1]);
    expect([...solution.left]).toEqual([16]);
  });

  it('keeps GPUs of two kinds apart', () => {
    const binTypes = [
      binType({ capacity: [8, 16, 10, 2, 0], price: [5] }),
      binType({ capacity: [8, 16, 10, 0, 2], price: [4] }),
      binType({ capacity: [8, 16, 10, 0, 0] }),
    ];
    const classes = [
      pods(3, { requests: [1, 1, 1, 1, 0] }),
      pods(3, { requests: [1, 1, 1, 0, 1] }),
      pods(8, { requests: [2, 2, 1, 0, 0] }),
    ];
    const solution = solve(problemOf({ binTypes, classes }));
    expect(violations(problemOf({ binTypes, classes }), solution)).toEqual([]);
    expect(solution.price).toBe(18);
  });

  it('packs pods that ask for nothing but their place', () => {
    const { bins } = solve(
      problemOf({ binTypes: [binType()], classes: [pods(45, { requests: [0, 0, 1] })] }),
    );
    expect(bins.map(({ items }) => items[0])).toEqual([20, 20, 5]);
  });

  it('tries no bins beyond the first pass when no more classes may be looked at', () => {
    const classes = [pods(30), pods(30, { requests: [0.5, 1, 1] })];
    const problem = problemOf({
      binTypes: [binType(), binType({ capacity: [16, 40, 30], price: [2.1] })],
      classes,
    });
    const once = optimize(problem, { ...options, maxLooks: 1 });
    const often = optimize(problem, options);
    expect(once.work.looks).toBeLessThan(often.work.looks);
    expect(once.work.fills).toBeLessThan(often.work.fills);
    expect(once.left).toEqual(often.left);
  });

  it.each([
    { isEqual: true, ruled: 0 },
    { isEqual: true, ruled: 3 },
    { isEqual: false, ruled: 0 },
    { isEqual: false, ruled: 3 },
  ])('packs a thousand shapes near the bound (zones equal: $isEqual, every $ruled-th ruled)', (kind) => {
    const problem = diverseProblem(kind.isEqual, kind.ruled);
    const solution = solve(problem);
    expect(violations(problem, solution)).toEqual([]);
    expect(itemsLeft(solution)).toBe(0);
    expect(solution.price / solution.lowerBound).toBeLessThan(1.05);
  });

  it('comes near the lower bound with many shapes', () => {
    const shapes = Array.from({ length: 60 }, (_, i) =>
      pods(5 + (i % 7), { requests: [0.25 + (i % 11) * 0.125, 0.5 + (i % 13) * 0.25, 1] }),
    );
    const binTypes = [1, 2, 4].flatMap((size) =>
      [1, 2, 4].map((memory) =>
        binType({ capacity: [8 * size, 8 * memory * size, 99], price: [size * (0.5 + memory * 0.1)] }),
      ),
    );
    const solution = solve(problemOf({ binTypes, classes: shapes }));
    expect(itemsLeft(solution)).toBe(0);
    expect(solution.price / solution.lowerBound).toBeLessThan(1.04);
  });
});

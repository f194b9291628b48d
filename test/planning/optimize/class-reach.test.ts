import fc from 'fast-check';
import { classReach, takes } from '../../../src/planning/optimize/prices/price-groups.js';
import type { BinProblem } from '../../../src/planning/optimize/problem/bin-problem.js';
import { binType, pods, problemOf } from './bin-problem-builder.js';
import { randomBinProblem } from './random-bin-problem.js';

const problems = fc.oneof(
  randomBinProblem({ classes: 8, items: 30, caps: true, small: false }),
  randomBinProblem({ classes: 9, items: 12, caps: true, small: false, parts: true }),
);

function allBinTypes({ binTypes }: BinProblem): Int32Array {
  return Int32Array.from({ length: binTypes.count }, (_, binType) => binType);
}

/** The zones of a class, bin type by bin type. */
function zonesTaking(problem: BinProblem, item: number): number {
  const { classes, cap, binTypes, zones } = problem;
  const group = classes.capGroup[item] ?? -1;
  if (classes.items[item] === 0 || cap[group] === 0) return 0;
  let mask = 0;
  for (let binType = 0; binType < binTypes.count; binType++) {
    if (!takes(problem, binType, item)) continue;
    for (let zone = 0; zone < zones; zone++)
      if ((binTypes.price[binType * zones + zone] ?? 0) < Infinity) mask |= 1 << zone;
  }
  return mask & (classes.zoneMask[item] ?? 0);
}

test('a class reaches each zone in which some bin type takes its items', () => {
  fc.assert(
    fc.property(problems, (problem) => {
      const reach = classReach(problem, allBinTypes(problem));
      expect([...reach]).toEqual([...reach.keys()].map((item) => zonesTaking(problem, item)));
    }),
  );
});

test('a class reaches a zone that only a later bin type than the first that takes it is offered in', () => {
  const small = binType({ capacity: [0, 16, 20], price: [1, 1] });
  const here = binType({ price: [1, Infinity] });
  const there = binType({ price: [Infinity, 1] });
  const problem = problemOf({ binTypes: [small, here, there], classes: [pods(1)] });
  expect([...classReach(problem, allBinTypes(problem))]).toEqual([0b11]);
});

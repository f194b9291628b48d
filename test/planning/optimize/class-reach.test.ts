import fc from 'fast-check';
import { classReach, takes } from '../../../src/planning/optimize/prices/price-groups.js';
import type { BinProblem } from '../../../src/planning/optimize/problem/bin-problem.js';
import { machine, pods, problemOf } from './bin-problem-builder.js';
import { randomBinProblem } from './random-bin-problem.js';

const problems = fc.oneof(
  randomBinProblem({ classes: 8, items: 30, caps: true, small: false }),
  randomBinProblem({ classes: 9, items: 12, caps: true, small: false, parts: true }),
);

function allMachines({ machines }: BinProblem): Int32Array {
  return Int32Array.from({ length: machines.count }, (_, machine) => machine);
}

/** The zones of a class, machine by machine. */
function zonesTaking(problem: BinProblem, item: number): number {
  const { classes, cap, machines, zones } = problem;
  const group = classes.capGroup[item] ?? -1;
  if (classes.items[item] === 0 || cap[group] === 0) return 0;
  let mask = 0;
  for (let machine = 0; machine < machines.count; machine++) {
    if (!takes(problem, machine, item)) continue;
    for (let zone = 0; zone < zones; zone++)
      if ((machines.price[machine * zones + zone] ?? 0) < Infinity) mask |= 1 << zone;
  }
  return mask & (classes.zoneMask[item] ?? 0);
}

test('a class reaches each zone in which some machine takes its items', () => {
  fc.assert(
    fc.property(problems, (problem) => {
      const reach = classReach(problem, allMachines(problem));
      expect([...reach]).toEqual([...reach.keys()].map((item) => zonesTaking(problem, item)));
    }),
  );
});

test('a class reaches a zone that only a later machine than the first that takes it is offered in', () => {
  const small = machine({ capacity: [0, 16, 20], price: [1, 1] });
  const here = machine({ price: [1, Infinity] });
  const there = machine({ price: [Infinity, 1] });
  const problem = problemOf({ machines: [small, here, there], classes: [pods(1)] });
  expect([...classReach(problem, allMachines(problem))]).toEqual([0b11]);
});

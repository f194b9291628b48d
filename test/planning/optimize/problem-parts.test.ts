import fc from 'fast-check';
import type { BinProblem } from '../../../src/planning/optimize/problem/bin-problem.js';
import { takes } from '../../../src/planning/optimize/prices/price-groups.js';
import { optimize } from '../../../src/planning/optimize/optimize.js';
import { problemParts, type ProblemPart } from '../../../src/planning/optimize/problem/problem-parts.js';
import { binType, pods, problemOf } from './bin-problem-builder.js';
import { randomBinProblem } from './random-bin-problem.js';

const options = { maxPivots: 800, maxFills: 500, maxLooks: 100_000, seed: 1 };
/** Requirement set n is admitted by signature n alone. */
const APART = [
  [true, false],
  [false, true],
];

/** Classes and bin types of each part, as numbered in the whole. */
function membersOf(problem: BinProblem): readonly (readonly [number[], number[]])[] {
  return problemParts(problem).map(({ classes, binTypes }) => [[...classes], [...binTypes]]);
}

describe('parts of a problem', () => {
  const first = binType();
  const second = binType({ signature: 1 });

  it('are those whose pods share no bin type', () => {
    const classes = [pods(3), pods(4, { requirementSet: 1 }), pods(5, { requests: [2, 1, 1] })];
    const problem = problemOf({ binTypes: [second, first], classes, admits: APART });
    expect(membersOf(problem)).toEqual([
      [[0, 2], [1]],
      [[1], [0]],
    ]);
  });

  it.each([
    { what: 'a limit', problem: { binTypes: [1, 2], accounts: [99] } },
    { what: 'a cap', problem: { capGroup: 0, cap: [2] } },
    { what: 'a quota', problem: { quotaGroup: 0, quota: [[4]] } },
  ])('are one where they share $what', ({ problem: { binTypes: charges = [], ...groups } }) => {
    const charged = [first, second].map((each, index) =>
      charges[index] === undefined ? each : { ...each, account: 0, charge: [charges[index]] },
    );
    const { capGroup = -1, quotaGroup = -1 } = groups;
    const rules = { capGroup, quotaGroup };
    const classes = [pods(3, rules), pods(4, { requirementSet: 1, ...rules })];
    expect(membersOf(problemOf({ ...groups, binTypes: charged, classes, admits: APART }))).toEqual([
      [
        [0, 1],
        [0, 1],
      ],
    ]);
  });

  it('have neither classes without items nor those that nothing admits, nor bin types that no item needs', () => {
    const classes = [pods(0), pods(2), pods(3, { requirementSet: 1 })];
    const admits = [
      [true, false],
      [false, false],
    ];
    expect(membersOf(problemOf({ binTypes: [first, second], classes, admits }))).toEqual([[[1], [0]]]);
  });

  it('are not joined by limits of bin types that no item may go on', () => {
    const useless = [0, 1].map((account) => binType({ signature: 2, account, charge: [1] }));
    const useful = [0, 1].map((account) => binType({ signature: account, account, charge: [1] }));
    const problem = problemOf({
      binTypes: [...useless, ...useful],
      classes: [pods(3), pods(4, { requirementSet: 1 })],
      admits: [...APART, [false, false]],
      accounts: [99, 99],
    });
    expect(membersOf(problem)).toEqual([
      [[0], [2]],
      [[1], [3]],
    ]);
  });

  it('know that zones cost the same for them, though elsewhere they do not', () => {
    const binTypes = [binType({ price: [1, 1] }), binType({ signature: 1, price: [1, 2] })];
    const classes = [pods(3), pods(4, { requirementSet: 1 })];
    const parts = problemParts(problemOf({ binTypes, classes, admits: APART }));
    expect(parts.map(({ problem }) => problem.zonesEqual)).toEqual([true, false]);
  });

  it('are solved for themselves: the pass that is best for one need not be so for another', () => {
    const shapes = Array.from({ length: 40 }, (_, i) =>
      pods(2 + (i % 5), { requests: [0.5 + (i % 7) * 0.5, 1 + (i % 11) * 0.75, 1], requirementSet: i % 2 }),
    );
    const binTypes = [0, 1].flatMap((signature) => [
      binType({ signature }),
      binType({ signature, capacity: [16, 64, 40], price: [2.3] }),
    ]);
    const both = problemOf({ binTypes, classes: shapes, admits: APART });
    const alone = [0, 1].map((set) =>
      problemOf({
        binTypes,
        classes: shapes.filter(({ requirementSet }) => requirementSet === set),
        admits: APART,
      }),
    );
    const half = { ...options, maxFills: 250, maxLooks: 50_000 };
    const apart = alone.reduce((sum, problem) => sum + optimize(problem, half).price, 0);
    expect(problemParts(both)).toHaveLength(2);
    expect(optimize(both, options).price).toBeCloseTo(apart, 1);
  });
});

describe('parts of a problem: laws', () => {
  const apart = randomBinProblem({ classes: 9, items: 12, caps: true, small: false, parts: true });
  const placeOf = (parts: readonly ProblemPart[], kind: 'classes' | 'binTypes', of: number): number =>
    parts.findIndex((part) => part[kind].includes(of));

  it('every class with items is in one part, with every bin type that takes it', () => {
    fc.assert(
      fc.property(apart, (problem) => {
        const parts = problemParts(problem);
        const members = parts.flatMap(({ classes }) => [...classes]);
        expect(new Set(members).size).toBe(members.length);
        for (let item = 0; item < problem.classes.count; item++) {
          for (let each = 0; each < problem.binTypes.count; each++) {
            if (!takes(problem, each, item)) continue;
            expect(placeOf(parts, 'binTypes', each)).toBe(placeOf(parts, 'classes', item));
            expect(placeOf(parts, 'classes', item)).toBeGreaterThanOrEqual(0);
          }
        }
      }),
    );
  });

  it('what is so in the whole is so in the part', () => {
    fc.assert(
      fc.property(apart, (problem) => {
        for (const part of problemParts(problem)) {
          const own = part.problem;
          part.classes.forEach((of, item) => {
            expect(own.classes.items[item]).toBe(problem.classes.items[of]);
            part.binTypes.forEach((all, each) => {
              expect(takes(own, each, item)).toBe(takes(problem, all, of));
            });
          });
        }
      }),
    );
  });
});

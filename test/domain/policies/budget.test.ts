/** Disruption budgets allow what Karpenter's allow. */
import fc from 'fast-check';
import {
  allowedDisruptions,
  BUDGET_REASONS,
  budgetedNodes,
  isBudgetActive,
  type BudgetQuestion,
  type DisruptionBudget,
} from '../../../src/domain/policies/budget.js';
import { parseSchedule } from '../../../src/domain/values/schedule.js';

const NOON = Date.UTC(2027, 5, 1, 12);
const HOUR = 3_600_000;

function budget(overrides: Partial<DisruptionBudget> = {}): DisruptionBudget {
  return { nodes: { percent: 10 }, reasons: undefined, window: undefined, ...overrides };
}

function question(overrides: Partial<BudgetQuestion> = {}): BudgetQuestion {
  return { reason: 'Underutilized', now: NOON, total: 100, used: 0, ...overrides };
}

const anyBudget: fc.Arbitrary<DisruptionBudget> = fc.record({
  nodes: fc.oneof(fc.record({ count: fc.nat({ max: 200 }) }), fc.record({ percent: fc.nat({ max: 100 }) })),
  reasons: fc.option(fc.subarray([...BUDGET_REASONS]), { nil: undefined }),
  window: fc.option(
    fc.record({
      schedule: fc.constantFrom(parseSchedule('0 12 * * *'), parseSchedule('@weekly')),
      durationSeconds: fc.constantFrom(0, 600, 86_400),
    }),
    { nil: undefined },
  ),
});
const anyQuestion: fc.Arbitrary<BudgetQuestion> = fc
  .record({
    reason: fc.constantFrom(...BUDGET_REASONS),
    now: fc.integer({ min: 0, max: 10_000 }).map((minutes) => NOON + minutes * 60_000),
    total: fc.nat({ max: 500 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...rest }) => ({ ...rest, used: Math.floor(rest.total * share) }));

describe('budgetedNodes', () => {
  test.each([
    [10, 0, 0],
    [10, 1, 1],
    [10, 10, 1],
    [10, 11, 2],
    [5, 10, 1],
    [50, 3, 2],
    [0, 100, 0],
    [100, 7, 7],
    [29, 100, 29],
    [7, 100, 7],
  ])('rounds %d %% of %d nodes up to %d', (percent, total, nodes) => {
    expect(budgetedNodes(budget({ nodes: { percent } }), total)).toBe(nodes);
  });

  test('is the least whole number that is at least the percentage', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.nat({ max: 100_000 }), (percent, total) => {
        const nodes = budgetedNodes(budget({ nodes: { percent } }), total);
        expect(nodes * 100).toBeGreaterThanOrEqual(percent * total);
        expect((nodes - 1) * 100).toBeLessThan(percent * total);
      }),
    );
  });

  test('is the count where a count is given', () => {
    expect(budgetedNodes(budget({ nodes: { count: 5 } }), 3)).toBe(5);
  });
});

describe('isBudgetActive', () => {
  const lunch = { schedule: parseSchedule('0 12 * * *'), durationSeconds: 3600 };

  test('minds the reasons that it names, all when it names none', () => {
    expect(isBudgetActive(budget(), 'Drifted', NOON)).toBe(true);
    expect(isBudgetActive(budget({ reasons: ['Drifted'] }), 'Drifted', NOON)).toBe(true);
    expect(isBudgetActive(budget({ reasons: ['Drifted'] }), 'Empty', NOON)).toBe(false);
    expect(isBudgetActive(budget({ reasons: [] }), 'Empty', NOON)).toBe(false);
  });

  test('holds within its window, from its start until before its end', () => {
    const active = [NOON - 1, NOON, NOON + HOUR - 1, NOON + HOUR].map((now) =>
      isBudgetActive(budget({ window: lunch }), 'Empty', now),
    );
    expect(active).toEqual([false, true, true, false]);
  });
});

describe('allowedDisruptions', () => {
  test('is the least of the active budgets less the nodes in use', () => {
    const budgets = [
      budget({ nodes: { percent: 20 } }),
      budget({ nodes: { count: 5 } }),
      budget({ nodes: { count: 0 }, reasons: ['Drifted'] }),
    ];
    expect(allowedDisruptions(budgets, question())).toBe(5);
    expect(allowedDisruptions(budgets, question({ used: 2 }))).toBe(3);
    expect(allowedDisruptions(budgets, question({ used: 7 }))).toBe(0);
    expect(allowedDisruptions(budgets, question({ total: 10 }))).toBe(2);
    expect(allowedDisruptions(budgets, question({ reason: 'Drifted' }))).toBe(0);
  });

  test('is every remaining node when no budget is active', () => {
    expect(allowedDisruptions([], question({ total: 8, used: 3 }))).toBe(5);
    expect(allowedDisruptions([budget({ reasons: ['Empty'] })], question({ total: 8 }))).toBe(8);
  });

  test('follows a blocking window in and out', () => {
    const freeze = budget({
      nodes: { count: 0 },
      window: { schedule: parseSchedule('@daily'), durationSeconds: 8 * 3600 },
    });
    const midnight = Date.UTC(2027, 5, 1);
    const allowed = [midnight - 1, midnight, midnight + 8 * HOUR - 1, midnight + 8 * HOUR].map((now) =>
      allowedDisruptions([freeze, budget()], question({ now })),
    );
    expect(allowed).toEqual([10, 0, 0, 10]);
  });

  test('is never negative and never more than the nodes not in use', () => {
    fc.assert(
      fc.property(fc.array(anyBudget, { maxLength: 4 }), anyQuestion, (budgets, asked) => {
        const allowed = allowedDisruptions(budgets, asked);
        expect(allowed).toBeGreaterThanOrEqual(0);
        expect(allowed).toBeLessThanOrEqual(asked.total - asked.used);
      }),
    );
  });

  test('never grows by another budget, nor by another node in use', () => {
    fc.assert(
      fc.property(fc.array(anyBudget, { maxLength: 4 }), anyBudget, anyQuestion, (budgets, more, asked) => {
        const allowed = allowedDisruptions(budgets, asked);
        expect(allowedDisruptions([more, ...budgets], asked)).toBeLessThanOrEqual(allowed);
        const later = allowedDisruptions(budgets, { ...asked, used: asked.used + 1 });
        expect(later).toBe(Math.max(0, allowed - 1));
      }),
    );
  });

  test('does not depend on the order of the budgets', () => {
    fc.assert(
      fc.property(fc.array(anyBudget, { maxLength: 4 }), anyQuestion, (budgets, asked) => {
        expect(allowedDisruptions([...budgets].reverse(), asked)).toBe(allowedDisruptions(budgets, asked));
      }),
    );
  });
});

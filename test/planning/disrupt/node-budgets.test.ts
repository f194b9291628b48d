/** What is left of budgets, minimums and windows of NodePools while one answer takes nodes. */
import type { BudgetReason } from '../../../src/domain/policies/budget.js';
import { parseSchedule } from '../../../src/domain/values/schedule.js';
import type { DisruptionAnswer, ManagedNode } from '../../../src/planning/disrupt/question/disruption.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import {
  disruptionTerms,
  fleet,
  withClaimCondition,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { answerTo, commandsOf, wasteful } from './answers.js';

/** The first nodes of a to f, which are empty. */
function named(count: number, managed: Partial<ManagedNode> = {}): readonly FleetNode[] {
  return ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, count).map((name) => ({ name, managed }));
}

test('a budget in USD per hour lets nodes go that cost exactly as much, though sums of prices are off in the last digit', () => {
  const nodes = named(6, { hourlyPrice: 0.192 });
  const loadBudgets = [{ pods: undefined, usdPerHour: 0.576, reasons: undefined, window: undefined }];
  expect(commandsOf(answerTo(fleet(nodes, { terms: { loadBudgets } })))).toEqual(['Empty a b c']);
});

test('a pool keeps its minimum where nodes that go are NotReady, too', () => {
  const pools = [poolOffer({ minimumNodes: 4, disruption: disruptionTerms() })];
  const answerWith = (notReady: number): DisruptionAnswer => {
    const nodes = [...named(notReady, { ready: false }), ...named(5).slice(notReady)];
    return answerTo(fleet(nodes, { cluster: clusterInput({ pools }) }));
  };
  expect(commandsOf(answerWith(0))).toEqual(['Empty a']);
  expect(commandsOf(answerWith(2))).toEqual(['Empty a']);
});

test('windows of a pool and of its budgets are asked about the moment once for all nodes', () => {
  let asked = 0;
  const afternoon = {
    allow: ['Empty'] as const,
    schedule: parseSchedule('0 15 * * *'),
    get durationSeconds() {
      asked++;
      return 3600;
    },
  };
  const askedFor = (reason: BudgetReason, nodes: readonly FleetNode[]): number => {
    const loadBudgets = [{ pods: 0, usdPerHour: 0, reasons: [reason], window: afternoon }];
    const windows = reason === 'Empty' ? [afternoon] : [];
    asked = 0;
    answerTo(fleet(nodes, { terms: { windows, loadBudgets } }));
    return asked;
  };
  const drifted = (count: number): readonly FleetNode[] =>
    named(count).map(({ name }) => wasteful(name, withClaimCondition('Drifted')));
  for (const [reason, nodes] of [
    ['Empty', named],
    ['Drifted', drifted],
  ] as const) {
    expect(askedFor(reason, nodes(2))).toBeGreaterThan(0);
    expect(askedFor(reason, nodes(6))).toBe(askedFor(reason, nodes(2)));
  }
});

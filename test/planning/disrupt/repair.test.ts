import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionCommand } from '../../../src/planning/disrupt/question/disruption.js';
import {
  disruptionOptions,
  fleet,
  NOW,
  withClaimCondition,
  type FleetNode,
} from '../../support/builders/disruption-input.js';

const ONE_UNHEALTHY = [{ nodes: { count: 1 }, reasons: ['Unhealthy' as const], window: undefined }];

function ill(name: string, minutes: number, priority: number): FleetNode {
  const since = NOW - minutes * 60_000;
  const repair = { priority, terminationGracePeriodSeconds: 300 };
  return { name, managed: { ...withClaimCondition('Unhealthy', since), ready: false, repair }, pods: [{}] };
}

/** Which of the two is repaired where the budget lets one go. */
function first(...two: readonly FleetNode[]): readonly DisruptionCommand[] {
  const nodes = [...two, ...'ijklmnopqr'.split('').map((name) => ({ name }))];
  const { commands } = disrupt(fleet(nodes, { terms: { budgets: ONE_UNHEALTHY } }), disruptionOptions());
  return commands.filter(({ reason }) => reason === 'Unhealthy');
}

test('the unhealthy node goes first whose repair policy has the higher priority, unless it waits for half an hour less', () => {
  expect(first(ill('g', 29, 0), ill('h', 1, 7))).toMatchObject([{ nodes: ['h'] }]);
  expect(first(ill('g', 32, 0), ill('h', 1, 7))).toMatchObject([{ nodes: ['g'] }]);
  expect(first(ill('g', 2, 7), ill('h', 1, 7))).toMatchObject([{ nodes: ['g'] }]);
});

test('the command has the bound that the repair policy sets to the drain', () => {
  expect(first(ill('g', 2, 7))).toMatchObject([{ terminationGracePeriodSeconds: 300 }]);
});

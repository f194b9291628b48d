import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type { Disruption } from '../../../src/domain/policies/node-pool.js';
import type { RepairAction } from '../../../src/domain/policies/repair-policy.js';
import type { DisruptionCommand, NodeLife } from '../../../src/planning/disrupt/question/disruption.js';
import {
  disruptionOptions,
  fleet,
  NOW,
  withClaimCondition,
  type FleetNode,
} from '../../support/builders/disruption-input.js';

const ONE_UNHEALTHY = [{ nodes: { count: 1 }, reasons: ['Unhealthy' as const], window: undefined }];

function ill(name: string, minutes: number, priority: number, action: RepairAction = 'Replace'): FleetNode {
  const since = NOW - minutes * 60_000;
  const repair = { priority, terminationGracePeriodSeconds: 300, action };
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

describe('a node that is rebooted', () => {
  test('keeps its room, and nothing comes in its place', () => {
    expect(first(ill('g', 2, 7, 'Reboot'))).toMatchObject([
      {
        nodes: ['g'],
        reboots: true,
        claims: [],
        placements: [],
        unplaced: [],
        terminationGracePeriodSeconds: 300,
      },
    ]);
  });

  test('is left alone while it reboots, and counts against every budget', () => {
    const drifted = { name: 'h', managed: withClaimCondition('Drifted'), pods: [{}] };
    const nodes = [drifted, ill('i', 2, 0), ...'jklmnopqr'.split('').map((name) => ({ name }))];
    const goingFor = (reason: 'Drifted' | 'Unhealthy', mark: Partial<NodeLife>) => {
      const g = { ...ill('g', 2, 7, 'Reboot') };
      const managed = { ...g.managed, ready: true, ...mark };
      const budgets = [{ nodes: { count: 1 }, reasons: [reason], window: undefined }];
      const input = fleet([{ ...g, managed }, ...nodes], { terms: { budgets } });
      const { commands } = disrupt(input, disruptionOptions());
      return commands.filter((each) => each.reason === reason).flatMap((each) => each.nodes);
    };
    expect(goingFor('Unhealthy', { rebooting: true, initialized: false })).toEqual([]);
    expect(goingFor('Unhealthy', { conditions: [], repair: undefined })).toEqual(['i']);
    expect(goingFor('Drifted', { rebooting: true, initialized: false })).toEqual([]);
  });

  test('goes all the same while it reboots when it is interrupted or expires, and not where expiration waits for budgets', () => {
    const { name, managed, ...g } = ill('g', 2, 7, 'Reboot');
    const reasonsFor = (mark: Partial<NodeLife>, terms: Partial<Disruption> = {}) => {
      const node = { ...g, name, managed: { ...managed, rebooting: true as const, ...mark } };
      return disrupt(fleet([node], { terms }), disruptionOptions()).commands.map(({ reason }) => reason);
    };
    expect(reasonsFor(withClaimCondition('Interrupted'))).toEqual(['Interrupted']);
    expect(reasonsFor({ expiresAt: NOW - 1000 })).toEqual(['Expired']);
    expect(reasonsFor({ expiresAt: NOW - 1000 }, { expiration: 'Budgeted' })).toEqual([]);
  });

  test('is not rebooted in a zone that traffic is moved away from', () => {
    const shiftedZones = new Set(['eu-west-1a']);
    const nodeInZone = ill('g', 2, 7, 'Reboot');
    const shifted = { ...nodeInZone, managed: { ...nodeInZone.managed, shifted: true as const } };
    const terms = { mostUnhealthyPercent: 100 };
    const { commands, refusals } = disrupt(fleet([shifted], { terms, shiftedZones }), disruptionOptions());
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'g', reason: 'Unhealthy', refusal: { code: 'ZonalShift' } });
  });
});

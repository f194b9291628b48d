/** Budgets that hold at times. */
import { budgetOf, type BudgetDocument } from '../../../../../src/apis/fields/budget.js';
import { readPolicies } from '../../../../../src/apis/policies/read-policies.js';
import { documentsOf, nodePool } from '../../../../apis/policies-as-written.js';
import { fleet, type FleetNode } from '../../../../support/builders/disruption-input.js';
import type { Suite } from '../../fact.js';
import { answerTo } from '../../fleets.js';

const TEN: readonly FleetNode[] = 'abcdefghij'.split('').map((name) => ({ name }));

/** How many of ten empty nodes go at this time under these budgets. */
function goingAt(time: string, ...documents: readonly BudgetDocument[]): number {
  const budgets = documents.map((document) => budgetOf(document, 'UTC'));
  const now = Date.parse(time);
  const nodes = TEN.map((each) => ({ ...each, managed: { quietSince: now, createdAt: now } }));
  return answerTo(fleet(nodes, { terms: { budgets }, now })).commands.flatMap((command) => command.nodes)
    .length;
}

/** Whether a budget that lets nothing go holds then. */
function holds(time: string, schedule: string, duration: string): boolean {
  return goingAt(time, { nodes: '0', schedule, duration }) === 0;
}

/** What is wrong with a NodePool that has this budget. */
function faultsOf(budget: Record<string, string>): readonly string[] {
  const spec = { limits: { cpu: 10 }, disruption: { consolidateAfter: '0s', budgets: [budget] } };
  const { issues } = readPolicies(documentsOf(nodePool(spec)));
  return issues.filter(({ severity }) => severity === 'error').map(({ path }) => path.join('.'));
}

const WINDOWS: Suite['facts'] = [
  {
    fact: 'holds always without a schedule',
    run: (): void => {
      expect(goingAt('2026-01-02T12:00:00Z', { nodes: '3' })).toBe(3);
    },
  },
  {
    fact: 'holds from the moment of its schedule for its duration, and not before or after',
    run: (): void => {
      const at = (time: string): boolean => holds(`2026-01-02T${time}Z`, '0 12 * * *', '1h30m');
      expect(at('11:59:59')).toBe(false);
      expect(at('12:00:00')).toBe(true);
      expect(at('13:29:59')).toBe(true);
      expect(at('13:30:00')).toBe(false);
    },
  },
  {
    fact: 'lets everything go while no budget holds',
    run: (): void => {
      const yearly = { schedule: '@yearly', duration: '1h' };
      expect(goingAt('2026-06-15T12:30:30Z', { nodes: '0', ...yearly }, { nodes: '1', ...yearly })).toBe(10);
    },
  },
  {
    fact: 'holds without end where it starts again before its duration is over',
    run: (): void => {
      expect(holds('2024-01-07T00:00:00Z', '@daily', '48h')).toBe(true);
      expect(holds('2024-01-07T23:59:59Z', '@daily', '48h')).toBe(true);
      expect(holds('2024-01-07T23:59:59Z', '@daily', '12h')).toBe(false);
      expect(holds('2024-01-07T12:34:56Z', '* * * * *', '1h')).toBe(true);
    },
  },
  {
    fact: 'holds on the day of a yearly schedule until its duration is over',
    run: (): void => {
      expect(holds('2026-01-01T12:00:00Z', '@yearly', '24h')).toBe(true);
      expect(holds('2026-01-02T00:00:00Z', '@yearly', '24h')).toBe(false);
    },
  },
  {
    fact: 'does not hold on the day of a weekly schedule before its hour',
    run: (): void => {
      // A Sunday.
      expect(holds('2024-01-07T00:00:00Z', '30 6 * * SUN', '6h')).toBe(false);
      expect(holds('2024-01-07T07:00:00Z', '30 6 * * SUN', '6h')).toBe(true);
      expect(holds('2024-01-08T07:00:00Z', '30 6 * * SUN', '6h')).toBe(false);
    },
  },
  {
    fact: 'reads schedules in UTC',
    run: (): void => {
      expect(holds('2000-06-01T00:00:00+01:00', '@daily', '30m')).toBe(false);
      expect(holds('2000-06-01T01:00:00+01:00', '@daily', '30m')).toBe(true);
    },
  },
];

const TOGETHER: Suite['facts'] = [
  {
    fact: 'goes by the smallest of the budgets that hold now',
    run: (): void => {
      const night = { nodes: '0', schedule: '0 0 * * *', duration: '6h' };
      const noon = { nodes: '2', schedule: '0 12 * * *', duration: '1h' };
      const at = (time: string): number => goingAt(`2026-01-02T${time}Z`, { nodes: '50%' }, night, noon);
      expect([at('03:00:00'), at('12:30:00'), at('18:00:00')]).toEqual([0, 2, 5]);
    },
  },
  {
    fact: 'overlooks budgets for the reason that do not hold now',
    run: (): void => {
      const closed: BudgetDocument = { nodes: '1', reasons: ['Empty'], schedule: '@yearly', duration: '1h' };
      expect(goingAt('2026-06-15T12:30:30Z', { nodes: '4' }, closed)).toBe(4);
      expect(goingAt('2026-01-01T00:30:00Z', { nodes: '4' }, closed)).toBe(1);
    },
  },
];

const DOCUMENTS: Suite['facts'] = [
  {
    fact: 'is a tenth of the nodes where a NodePool says nothing of budgets',
    run: (): void => {
      const [read] = readPolicies(documentsOf(nodePool({ limits: { cpu: 10 } }))).nodePools;
      const budgets = read?.pool.disruption.budgets;
      expect(budgets).toEqual([{ nodes: { percent: 10 }, reasons: undefined, window: undefined }]);
      const input = fleet(TEN, { terms: { ...(budgets && { budgets }) } });
      expect(answerTo(input).commands.map(({ nodes }) => nodes)).toEqual([['a']]);
    },
  },
  {
    fact: 'needs a duration with its schedule, and a schedule with its duration',
    run: (): void => {
      const path = 'spec.disruption.budgets.0';
      expect(faultsOf({ nodes: '1', schedule: '@daily' })).toEqual([`${path}.schedule`]);
      expect(faultsOf({ nodes: '1', duration: '1h' })).toEqual([`${path}.duration`]);
      expect(faultsOf({ nodes: '1', schedule: '@daily', duration: '1h' })).toEqual([]);
    },
  },
  {
    fact: 'lets nothing go where its schedule cannot be read',
    differs:
      'a NodePool with such a schedule is refused, with the place of the mistake, and what was accepted before holds on',
    run: (): void => {
      for (const schedule of ['@wrongly', '0 0 * * tue-mon', '* * * *'])
        expect(faultsOf({ nodes: '1', schedule, duration: '6h' })).toEqual([
          'spec.disruption.budgets.0.schedule',
        ]);
    },
  },
  {
    fact: 'lets nothing go where its number of nodes cannot be read',
    differs: 'a NodePool with such a number is refused, and what was accepted before holds on',
    run: (): void => {
      for (const nodes of ['1000a%', '101%', '-1', '10.5%'])
        expect(faultsOf({ nodes })).toEqual(['spec.disruption.budgets.0.nodes']);
    },
  },
];

export const BUDGET_SCHEDULES: Suite = {
  name: 'Budget in a NodePool',
  facts: [...WINDOWS, ...TOGETHER, ...DOCUMENTS],
};

/** How many nodes of a pool may be disrupted at once. */
import { budgetOf, type BudgetDocument } from '../../../../../src/apis/fields/budget.js';
import { node } from '../../../../support/builders/node.js';
import { clusterInput } from '../../../../support/builders/cluster-input.js';
import {
  disruptionTerms,
  fleet,
  withClaimCondition,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import { poolOffer } from '../../../../support/builders/node-pool.js';
import type { ManagedNode } from '../../../../../src/planning/disrupt/question/disruption.js';
import type { Suite } from '../../fact.js';
import { answerTo, going, LARGE, staying, wasteful } from '../../fleets.js';
import { HALF, onDemand, priced } from '../../offers.js';

const DRIFTED = withClaimCondition('Drifted');
const NAMES = 'abcdefghij';

/** Budgets as a NodePool has them. */
function budgets(...documents: readonly BudgetDocument[]) {
  return documents.map((document) => budgetOf(document, 'UTC'));
}

/** Nodes without pods of these one-letter names. */
function empties(names: string, managed: Partial<ManagedNode> = {}): readonly FleetNode[] {
  return names.split('').map((name) => ({ name, managed }));
}

/** Nodes that go of a pool with these budgets. */
function gone(nodes: readonly FleetNode[], ...documents: readonly BudgetDocument[]): readonly string[] {
  return answerTo(fleet(nodes, { terms: { budgets: budgets(...documents) } })).commands.flatMap(
    (command) => command.nodes,
  );
}

/** `reason name` of each node that goes. */
function reasons(nodes: readonly FleetNode[], ...documents: readonly BudgetDocument[]): readonly string[] {
  return answerTo(fleet(nodes, { terms: { budgets: budgets(...documents) } })).commands.flatMap((command) =>
    command.nodes.map((name) => `${command.reason} ${name}`),
  );
}

const AMOUNTS: Suite['facts'] = [
  {
    fact: 'rounds a percentage of the nodes up',
    run: (): void => {
      expect(gone(empties('abc'), { nodes: '50%' })).toEqual(['a', 'b']);
      expect(gone(empties(NAMES), { nodes: '1%' })).toEqual(['a']);
      expect(gone(empties(NAMES), { nodes: '10%' })).toEqual(['a']);
    },
  },
  {
    fact: 'lets all nodes go at 100 %',
    run: (): void => {
      expect(gone(empties(NAMES), { nodes: '100%' })).toEqual(NAMES.split(''));
    },
  },
  {
    fact: 'lets no node go at 0, nor at 0 %',
    run: (): void => {
      for (const nodes of ['0', '0%']) {
        expect(gone([...empties('abc'), wasteful('d'), wasteful('e', DRIFTED)], { nodes })).toEqual([]);
      }
    },
  },
  {
    fact: 'lets a count of empty nodes go',
    run: (): void => {
      expect(gone(empties(NAMES), { nodes: '3' })).toEqual(['a', 'b', 'c']);
    },
  },
  {
    fact: 'lets a count of nodes go whose pods fit on others',
    run: (): void => {
      const type = priced('m5.4xlarge', 1, 16);
      const nodes = NAMES.split('').map((name) => ({ name, type, pods: [HALF] }));
      const input = (allowed: string) =>
        fleet(nodes, { cluster: onDemand([type], { budgets: budgets({ nodes: allowed }) }) });
      const count = (allowed: string): number =>
        answerTo(input(allowed)).commands.flatMap((command) => command.nodes).length;
      expect(count('3')).toBe(3);
      expect(count('100%')).toBe(9);
    },
  },
  {
    fact: 'lets a count of nodes go that are replaced',
    run: (): void => {
      const nodes = NAMES.split('').map((name) => wasteful(name, DRIFTED, [{ requests: { cpu: '15' } }]));
      expect(reasons(nodes, { nodes: '3' })).toEqual(['Drifted a', 'Drifted b', 'Drifted c']);
    },
  },
  {
    fact: 'goes by the smallest of several budgets',
    run: (): void => {
      expect(gone(empties(NAMES), { nodes: '100' }, { nodes: '20%' }, { nodes: '5' })).toEqual(['a', 'b']);
      expect(gone(empties(NAMES), { nodes: '1' }, { nodes: '20%' }, { nodes: '5' })).toEqual(['a']);
    },
  },
];

const REASONS: Suite['facts'] = [
  {
    fact: 'is for every reason when it names none',
    run: (): void => {
      const one = { nodes: '0' };
      expect(reasons([{ name: 'a' }], one)).toEqual([]);
      expect(reasons([wasteful('a')], one)).toEqual([]);
      expect(reasons([wasteful('a', DRIFTED)], one)).toEqual([]);
    },
  },
  {
    fact: 'is only for the reasons that it names',
    run: (): void => {
      const nodes = [
        { name: 'a', type: LARGE },
        wasteful('b'),
        wasteful('c', DRIFTED, [{ requests: { cpu: '15' } }]),
      ];
      const left = (...named: NonNullable<BudgetDocument['reasons']>): readonly string[] =>
        reasons(nodes, { nodes: '0', reasons: named }).map((text) => text.split(' ')[0] ?? '');
      expect(left('Drifted')).not.toContain('Drifted');
      expect(left('Drifted')).toContain('Empty');
      expect(left('Empty')).not.toContain('Empty');
      expect(left('Empty')).toContain('Drifted');
      expect(left('Underutilized')).not.toContain('Underutilized');
    },
  },
  {
    fact: 'goes for each reason by the smallest budget that is for it',
    run: (): void => {
      const documents: readonly BudgetDocument[] = [
        { nodes: '10' },
        { nodes: '15', reasons: ['Drifted', 'Underutilized'] },
        { nodes: '1', reasons: ['Drifted'] },
        { nodes: '4', reasons: ['Empty'] },
      ];
      expect(gone(empties(NAMES), ...documents)).toHaveLength(4);
      const full = NAMES.split('').map((name) => wasteful(name, DRIFTED, [{ requests: { cpu: '15' } }]));
      const drifted = reasons(full, ...documents).filter((text) => text.startsWith('Drifted'));
      expect(drifted).toEqual(['Drifted a']);
    },
  },
  {
    fact: 'goes by a budget for every reason where one that names the reason allows more',
    run: (): void => {
      expect(gone(empties(NAMES), { nodes: '2' }, { nodes: '9', reasons: ['Empty'] })).toEqual(['a', 'b']);
    },
  },
  {
    fact: 'counts nodes that go for one reason against the others, too',
    run: (): void => {
      const nodes = [wasteful('z', DRIFTED, [{ requests: { cpu: '15' } }]), ...empties('abcd')];
      expect(reasons(nodes, { nodes: '3' })).toEqual(['Drifted z', 'Empty a', 'Empty b']);
      expect(reasons(nodes, { nodes: '100%' })).toHaveLength(5);
    },
  },
];

const COUNTED: Suite['facts'] = [
  {
    fact: 'takes nodes that are not ready for disrupted',
    run: (): void => {
      const nodes = [...empties('abcdefgh'), ...empties('yz', { ready: false, awaitedPods: ['default/x'] })];
      expect(gone(nodes, { nodes: '5' })).toEqual(['a', 'b', 'c']);
      expect(gone(nodes, { nodes: '100%' })).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    },
  },
  {
    fact: 'takes nodes that are being deleted, or whose disruption is decided, for disrupted',
    run: (): void => {
      const nodes = [...empties('abcdefgh'), ...empties('yz', { leaving: true })];
      expect(gone(nodes, { nodes: '3' })).toEqual(['a']);
      expect(gone(nodes, { nodes: '30%' })).toEqual(['a']);
    },
  },
  {
    fact: 'takes a node that is not ready and being deleted for one disrupted node, not two',
    run: (): void => {
      expect(
        gone([...empties('abc'), ...empties('z', { leaving: true, ready: false })], { nodes: '2' }),
      ).toEqual(['a']);
    },
  },
  {
    fact: 'allows nothing, and not less than nothing, where more nodes are disrupted than budgets allow',
    run: (): void => {
      const nodes = [...empties('abc'), ...empties('xyz', { leaving: true })];
      expect(gone(nodes, { nodes: '2' })).toEqual([]);
      const { refusals } = answerTo(fleet(nodes, { terms: { budgets: budgets({ nodes: '2' }) } }));
      expect(refusals[0]?.refusal).toMatchObject({ code: 'Budget', used: 3, allowed: 2 });
    },
  },
  {
    fact: 'takes its percentage of initialized nodes only',
    run: (): void => {
      const young = empties('yz', { initialized: false });
      expect(gone([...empties('ab'), ...young], { nodes: '50%' })).toEqual(['a']);
      expect(gone([...empties('ab'), ...empties('yz')], { nodes: '50%' })).toEqual(['a', 'b']);
    },
  },
  {
    fact: 'does not take nodes that are not initialized yet for disrupted, ready or not',
    run: (): void => {
      const young = empties('yz', { initialized: false, ready: false });
      expect(gone([...empties('abc'), ...young], { nodes: '2' })).toEqual(['a', 'b']);
    },
  },
  {
    fact: 'takes its percentage of nodes that it manages only',
    run: (): void => {
      const terms = { budgets: budgets({ nodes: '50%' }) };
      const others = ['x', 'y'].map((name) => node({ name }));
      const cluster = clusterInput({
        pools: [poolOffer({ disruption: disruptionTerms(terms) })],
        nodes: others,
      });
      expect(going(fleet(empties('ab'), { cluster }))).toEqual(['Empty a']);
    },
  },
  {
    fact: 'counts a node no more, neither as one of the pool nor as disrupted, once its instance is being terminated',
    run: (): void => {
      const ending = empties('z', { leaving: true, ...withClaimCondition('InstanceTerminating') });
      expect(gone([...empties('abc'), ...ending], { nodes: '1' })).toEqual(['a']);
      expect(gone([...empties('abc'), ...ending], { nodes: '50%' })).toEqual(['a', 'b']);
      expect(gone([...empties('abc'), ...empties('z', { leaving: true })], { nodes: '1' })).toEqual([]);
    },
  },
];

/** Pools of these names with their budget, and three nodes without pods each: `p0`, `p1`, `p2`. */
function pools(allowed: Readonly<Record<string, string>>, pods: NonNullable<FleetNode['pods']> = []) {
  const cluster = clusterInput({
    pools: Object.entries(allowed).map(([name, nodes]) =>
      poolOffer({ name, disruption: disruptionTerms({ budgets: budgets({ nodes }) }) }, [LARGE]),
    ),
  });
  const nodes = Object.keys(allowed).flatMap((nodePool) =>
    ['0', '1', '2'].map((index) => ({
      name: `${nodePool}${index}`,
      nodePool,
      type: LARGE,
      pods,
    })),
  );
  return fleet(nodes, { cluster });
}

const POOLS: Suite['facts'] = [
  {
    fact: 'is of each NodePool alone: half of three nodes are two of each',
    run: (): void => {
      expect(going(pools({ p: '50%', q: '50%', r: '50%' }))).toEqual(['Empty p0 p1 q0 q1 r0 r1']);
    },
  },
  {
    fact: 'lets the nodes of one NodePool go while that of another allows none',
    run: (): void => {
      const input = pools({ p: '0', q: '100%' });
      expect(going(input)).toEqual(['Empty q0 q1 q2']);
      expect(staying(input)).toEqual(['p0 Empty Budget', 'p1 Empty Budget', 'p2 Empty Budget']);
    },
  },
  {
    fact: 'holds for each NodePool where nodes of several are consolidated together',
    run: (): void => {
      const { commands } = answerTo(pools({ p: '1', q: '2', r: '0' }, [HALF]));
      const nodes = commands.flatMap((command) => command.nodes);
      const of = (nodePool: string): number => nodes.filter((name) => name.startsWith(nodePool)).length;
      expect([of('p'), of('q'), of('r')]).toEqual([1, 2, 0]);
    },
  },
  {
    fact: 'does not count nodes of another NodePool that are not ready or being deleted',
    run: (): void => {
      const cluster = pools({ p: '1', q: '1' }).cluster;
      const nodes: FleetNode[] = [
        { name: 'p0', nodePool: 'p', managed: { leaving: true } },
        { name: 'p1', nodePool: 'p' },
        { name: 'q0', nodePool: 'q' },
      ];
      expect(going(fleet(nodes, { cluster: { ...cluster, nodes: [] } }))).toEqual(['Empty q0']);
    },
  },
];

export const BUDGETS: Suite = { name: 'Budget', facts: [...AMOUNTS, ...REASONS, ...COUNTED, ...POOLS] };

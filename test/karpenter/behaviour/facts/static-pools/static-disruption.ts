/** Nodes of NodePools with replicas: what disruption does with them. */
import { disrupt } from '../../../../../src/planning/disrupt/methods.js';
import type {
  DisruptionAnswer,
  DisruptionInput,
} from '../../../../../src/planning/disrupt/question/disruption.js';
import { ZONE } from '../../../../../src/domain/values/labels.js';
import { clusterInput } from '../../../../support/builders/cluster-input.js';
import { oneOf } from '../../../../support/builders/constraints.js';
import {
  disruptionOptions,
  disruptionTerms,
  fleet,
  withClaimCondition,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import { codesOf } from '../../../../planning/disrupt/answers.js';
import { poolOffer, type NodePoolOverrides } from '../../../../support/builders/node-pool.js';
import type { Suite } from '../../fact.js';
import { LARGE, wasteful } from '../../fleets.js';

const DRIFTED = withClaimCondition('Drifted');

function answerTo(input: DisruptionInput): DisruptionAnswer {
  return disrupt(input, disruptionOptions());
}

/** `Reason node → what comes instead`, in the order in which they go. */
function going(input: DisruptionInput): readonly string[] {
  return answerTo(input).commands.map(({ reason, nodes, claims }) => {
    const instead = claims.map(({ nodePool }) => ` → ${nodePool}`).join('');
    return `${reason} ${nodes.join(' ')}${instead}`;
  });
}

function staying(input: DisruptionInput): readonly string[] {
  return codesOf(answerTo(input));
}

function drifted(...names: readonly string[]): readonly FleetNode[] {
  return names.map((name) => wasteful(name, DRIFTED));
}

function inPool(nodePool: string): (node: FleetNode) => FleetNode {
  return (node) => ({ ...node, nodePool, managed: { ...node.managed, nodePool } });
}

/** Nodes of static pools, by default of one that has as many as its replicas. */
function staticFleet(nodes: readonly FleetNode[], ...pools: readonly NodePoolOverrides[]): DisruptionInput {
  const offers = (pools.length > 0 ? pools : [{}]).map((pool) =>
    poolOffer({ replicas: nodes.length, disruption: disruptionTerms(), ...pool }),
  );
  return fleet(nodes, { cluster: clusterInput({ pools: offers }) });
}

function budget(nodes: { readonly count: number } | { readonly percent: number }): NodePoolOverrides {
  return { disruption: disruptionTerms({ budgets: [{ nodes, reasons: undefined, window: undefined }] }) };
}

export const STATIC_DISRUPTION: Suite = {
  name: 'Static pools, disruption',
  facts: [
    {
      fact: 'keeps an empty node',
      run: (): void => {
        const nodes: readonly FleetNode[] = [{ name: 'a', type: LARGE }];
        expect(going(staticFleet(nodes))).toEqual([]);
        expect(staying(staticFleet(nodes))).toContain('a Empty StaticNodePool');
        expect(going(fleet(nodes))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'keeps a node that is far too large for its pods',
      run: (): void => {
        const nodes = [wasteful('a')];
        expect(going(staticFleet(nodes))).toEqual([]);
        expect(going(fleet(nodes))).toEqual(['Underutilized a → default']);
      },
    },
    {
      fact: 'replaces a drifted node by another of the NodePool',
      run: (): void => {
        const { commands } = answerTo(staticFleet([wasteful('a', DRIFTED)]));
        expect(commands).toMatchObject([
          { reason: 'Drifted', nodes: ['a'], claims: [{ nodePool: 'default', pods: ['default/a-0'] }] },
        ]);
      },
    },
    {
      fact: 'replaces a drifted node that is empty as well',
      run: (): void => {
        const { commands } = answerTo(staticFleet([{ name: 'a', type: LARGE, managed: DRIFTED }]));
        expect(commands).toMatchObject([{ nodes: ['a'], claims: [{ nodePool: 'default', pods: [] }] }]);
      },
    },
    {
      fact: 'keeps a node that has not drifted',
      run: (): void => {
        const nodes = [wasteful('a'), ...drifted('b'), wasteful('c')];
        expect(going(staticFleet(nodes))).toEqual(['Drifted b → default']);
      },
    },
    {
      fact: 'keeps a drifted node that is annotated do-not-disrupt',
      run: (): void => {
        const nodes = [wasteful('a', { ...DRIFTED, doNotDisrupt: 'true' }), ...drifted('b')];
        expect(going(staticFleet(nodes))).toEqual(['Drifted b → default']);
        expect(staying(staticFleet(nodes))).toContain('a Drifted NodeDoNotDisrupt');
      },
    },
    {
      fact: 'replaces as many drifted nodes at once as a budget counts',
      run: (): void => {
        const input = staticFleet(drifted('a', 'b', 'c', 'd', 'e'), { replicas: 5, ...budget({ count: 2 }) });
        expect(going(input)).toEqual(['Drifted a → default', 'Drifted b → default']);
      },
    },
    {
      fact: 'replaces the share of its drifted nodes that a budget allows',
      run: (): void => {
        const input = staticFleet(drifted('a', 'b', 'c', 'd', 'e'), {
          replicas: 5,
          ...budget({ percent: 20 }),
        });
        expect(going(input)).toEqual(['Drifted a → default']);
      },
    },
    {
      fact: 'holds the budget of each static NodePool by itself',
      run: (): void => {
        const nodes = [...drifted('a', 'b').map(inPool('first')), ...drifted('c', 'd').map(inPool('second'))];
        const first = { name: 'first', replicas: 2, ...budget({ count: 1 }) };
        const second = { name: 'second', replicas: 2, ...budget({ percent: 100 }) };
        expect(going(staticFleet(nodes, first, second))).toEqual([
          'Drifted a → first',
          'Drifted c → second',
          'Drifted d → second',
        ]);
      },
    },
    {
      fact: 'replaces all its drifted nodes at once where neither a budget nor limits.nodes forbids it',
      run: (): void => {
        expect(going(staticFleet(drifted('a', 'b', 'c')))).toEqual([
          'Drifted a → default',
          'Drifted b → default',
          'Drifted c → default',
        ]);
      },
    },
    {
      fact: 'keeps drifted nodes while limits.nodes leaves no room for a replacement',
      run: (): void => {
        const full = staticFleet(drifted('a', 'b'), { replicas: 2, limits: { nodes: '2' } });
        expect(going(full)).toEqual([]);
        expect(staying(full)).toEqual(
          expect.arrayContaining(['a Drifted StaticPoolFull', 'b Drifted StaticPoolFull']),
        );
      },
    },
    {
      fact: 'replaces as many drifted nodes at once as limits.nodes has room for replacements',
      run: (): void => {
        const nodes = drifted('a', 'b', 'c', 'd', 'e');
        const input = staticFleet(nodes, { replicas: 5, limits: { nodes: '7' } });
        expect(going(input)).toEqual(['Drifted a → default', 'Drifted b → default']);
      },
    },
    {
      fact: 'replaces drifted nodes though fewer are there than spec.replicas says',
      run: (): void => {
        const input = staticFleet(drifted('a', 'b'), { replicas: 5, limits: { nodes: '5' } });
        expect(going(input)).toEqual(['Drifted a → default', 'Drifted b → default']);
      },
    },
    {
      fact: 'replaces no drifted node while there are more nodes than spec.replicas says',
      run: (): void => {
        const nodes = drifted('a', 'b');
        expect(going(staticFleet(nodes, { replicas: 1 }))).toEqual([]);
        expect(going(staticFleet(nodes, { replicas: 2 }))).toEqual([
          'Drifted a → default',
          'Drifted b → default',
        ]);
      },
    },
    {
      fact: 'replaces no drifted node at zero replicas',
      run: (): void => {
        expect(going(staticFleet(drifted('a'), { replicas: 0 }))).toEqual([]);
      },
    },
    {
      fact: 'keeps a drifted node of a static NodePool that can launch no other',
      run: (): void => {
        const input = staticFleet(drifted('a'), { requirements: [oneOf(ZONE, 'no-such-zone')] });
        expect(going(input)).toEqual([]);
        expect(staying(input)).toContain('a Drifted NoReplica');
      },
    },
  ],
};

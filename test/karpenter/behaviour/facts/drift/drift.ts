/** Nodes that are no longer what their NodePool asks for: which go, which stay, and in which order. */
import { poolOffer } from '../../../../support/builders/node-pool.js';
import { clusterInput } from '../../../../support/builders/cluster-input.js';
import { selecting } from '../../../../support/builders/constraints.js';
import {
  disruptionTerms,
  fleet,
  HOUR,
  NOW,
  podDisruptionBudget,
  typeNamed,
  withClaimCondition,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import type { ManagedNode } from '../../../../../src/planning/disrupt/question/disruption.js';
import type { ObservedPodOverrides } from '../../../../support/builders/observed-pod.js';
import type { Suite } from '../../fact.js';
import { answerTo, going, LARGE, SMALL, staying } from '../../fleets.js';

const DRIFTED = withClaimCondition('Drifted');
const MEDIUM = typeNamed('m6i.large');
/** One of these fills an m6i.large. */
const FULL = { requests: { cpu: '1800m', memory: '1Gi' } };
const PROTECTED = { ...FULL, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
/** Nothing is consolidated: what goes has drifted. */
const DRIFT_ALONE = { consolidateAfterSeconds: undefined };

/** An m6i.large that drifted an hour ago, with a pod that fills it. */
function drifted(
  name: string,
  managed: Partial<ManagedNode> = {},
  pods: readonly ObservedPodOverrides[] = [FULL],
): FleetNode {
  return { name, type: MEDIUM, managed: { ...DRIFTED, ...managed }, pods };
}

function letters(text: string, nodeOf: (name: string) => FleetNode): readonly FleetNode[] {
  return text.split('').map(nodeOf);
}

function budgetOf(nodes: { readonly percent: number } | { readonly count: number }) {
  return { ...DRIFT_ALONE, budgets: [{ nodes, reasons: undefined, window: undefined }] };
}

const NO_EVICTION = podDisruptionBudget({
  selector: selecting({ app: 'web' }),
  maxUnavailable: { unit: 'pods', amount: 0 },
});
const GUARDED = { ...FULL, labels: { app: 'web' } };

export const DRIFT: Suite = {
  name: 'Drift',
  facts: [
    {
      fact: 'leaves nodes whose NodeClaims are not Drifted, or where that condition is False',
      run: (): void => {
        const conditions = DRIFTED.conditions.map((each) => ({ ...each, status: 'False' as const }));
        const nodes = [drifted('a', { conditions }), drifted('b', { conditions: [] }), drifted('c')];
        expect(going(fleet(nodes, { terms: DRIFT_ALONE }))).toEqual(['Drifted c']);
      },
    },
    {
      fact: 'leaves a drifted node that is annotated do-not-disrupt, and not one where the annotation is false',
      run: (): void => {
        const nodes = [drifted('a', { doNotDisrupt: 'true' }), drifted('b', { doNotDisrupt: 'false' })];
        const input = fleet(nodes, { terms: DRIFT_ALONE });
        expect(going(input)).toEqual(['Drifted b']);
        expect(staying(input)).toContain('a Drifted NodeDoNotDisrupt');
      },
    },
    {
      fact: 'leaves a drifted node with a pod that is annotated do-not-disrupt',
      run: (): void => {
        const input = fleet([drifted('a', {}, [PROTECTED]), drifted('b')], { terms: DRIFT_ALONE });
        expect(going(input)).toEqual(['Drifted b']);
        expect(staying(input)).toContain('a Drifted PodDoNotDisrupt');
      },
    },
    {
      fact: 'leaves a drifted node with a pod whose PodDisruptionBudget allows no eviction',
      run: (): void => {
        const nodes = [drifted('a', {}, [GUARDED]), drifted('b')];
        const input = fleet(nodes, { terms: DRIFT_ALONE, podDisruptionBudgets: [NO_EVICTION] });
        expect(going(input)).toEqual(['Drifted b']);
        expect(staying(input)).toContain('a Drifted PodDisruptionBudget');
      },
    },
    {
      fact: 'replaces a node whose pods may not be evicted if its NodeClaim has a terminationGracePeriod, which consolidation does not',
      run: (): void => {
        const timed = { terminationGracePeriodSeconds: 300 };
        const pods = [[PROTECTED], [GUARDED]] as const;
        const terms = DRIFT_ALONE;
        const podDisruptionBudgets = [NO_EVICTION];
        const late = pods.map((own, index) => drifted(`n${String(index)}`, timed, own));
        expect(going(fleet(late, { terms, podDisruptionBudgets }))).toEqual(['Drifted n0', 'Drifted n1']);
        const large = pods.map((own, index): FleetNode => ({
          ...{ name: `n${String(index)}`, type: LARGE, managed: timed },
          pods: own,
        }));
        const input = fleet(large, { podDisruptionBudgets });
        expect(going(input)).toEqual([]);
        expect(staying(input)).toEqual([
          'n0 Underutilized PodDoNotDisrupt',
          'n1 Underutilized PodDisruptionBudget',
        ]);
      },
    },
    {
      fact: 'leaves drifted nodes that are not initialized, or are on their way out',
      run: (): void => {
        const nodes = [drifted('a', { initialized: false }), drifted('b', { leaving: true }), drifted('c')];
        expect(going(fleet(nodes, { terms: DRIFT_ALONE }))).toEqual(['Drifted c']);
      },
    },
    {
      fact: 'leaves a drifted node that pods are nominated for',
      run: (): void => {
        const input = fleet([drifted('a', { awaitedPods: ['default/next'] })], { terms: DRIFT_ALONE });
        expect(going(input)).toEqual([]);
        expect(staying(input)).toContain('a Drifted AwaitsPods');
      },
    },
    {
      fact: 'does not wait for consolidateAfter',
      run: (): void => {
        const terms = { consolidateAfterSeconds: 3600 };
        const nodes = [drifted('a', { quietSince: NOW - 1000 })];
        expect(going(fleet(nodes, { terms }))).toEqual(['Drifted a']);
      },
    },
    {
      fact: 'launches a replacement for the pods of a drifted node, whatever it costs',
      run: (): void => {
        const [command] = answerTo(
          fleet([drifted('a', { hourlyPrice: 0.001 })], { terms: DRIFT_ALONE }),
        ).commands;
        expect(command).toMatchObject({
          nodes: ['a'],
          claims: [{ pods: ['default/a-0'] }],
          placements: [{ pod: 'default/a-0', target: { kind: 'NodeClaim' } }],
        });
        expect(command?.saving).toBeLessThan(0);
      },
    },
    {
      fact: 'launches nothing where the pods of the drifted node fit on others',
      run: (): void => {
        const nodes = [drifted('a'), { name: 'b', type: LARGE, pods: [SMALL] }];
        const { commands } = answerTo(fleet(nodes, { terms: DRIFT_ALONE }));
        expect(commands).toMatchObject([
          { nodes: ['a'], claims: [], placements: [{ target: { kind: 'Node', name: 'b' } }] },
        ]);
      },
    },
    {
      fact: 'replaces one node with several where no single one can take its pods',
      run: (): void => {
        const pods = [FULL, FULL, FULL];
        const pools = [poolOffer({ disruption: disruptionTerms(DRIFT_ALONE) }, [MEDIUM])];
        const node: FleetNode = { name: 'a', type: LARGE, managed: DRIFTED, pods };
        const { commands } = answerTo(fleet([node], { cluster: clusterInput({ pools }) }));
        expect(commands).toHaveLength(1);
        expect(commands[0]?.claims.map((claim) => claim.pods.length)).toEqual([1, 1, 1]);
      },
    },
    {
      fact: 'deletes empty drifted nodes without replacements',
      run: (): void => {
        const input = fleet(
          letters('abc', (name) => drifted(name, {}, [])),
          { terms: DRIFT_ALONE },
        );
        const { commands } = answerTo(input);
        expect(commands.flatMap(({ nodes }) => nodes)).toEqual(['a', 'b', 'c']);
        expect(commands.flatMap(({ claims }) => claims)).toEqual([]);
      },
    },
    {
      fact: 'takes the node first that drifted first',
      run: (): void => {
        const hours = new Map(['a', 'b', 'c'].map((name, index) => [name, [2, 3, 1][index] ?? 0]));
        const node = (name: string): FleetNode =>
          drifted(name, withClaimCondition('Drifted', NOW - (hours.get(name) ?? 0) * HOUR));
        const input = fleet(letters('abc', node), { terms: budgetOf({ count: 2 }) });
        expect(going(input)).toEqual(['Drifted b', 'Drifted a']);
      },
    },
    {
      fact: 'takes empty drifted nodes before others that drifted earlier, when the budget allows few',
      run: (): void => {
        const nodes = [
          drifted('a', withClaimCondition('Drifted', NOW - 2 * HOUR)),
          drifted('b', withClaimCondition('Drifted', NOW - HOUR), []),
        ];
        expect(going(fleet(nodes, { terms: budgetOf({ count: 1 }) }))).toEqual(['Drifted b']);
        expect(going(fleet(nodes, { terms: budgetOf({ count: 2 }) }))).toEqual(['Drifted b', 'Drifted a']);
      },
    },
    {
      fact: 'continues with the next drifted node where the pods of the first fit nowhere else',
      run: (): void => {
        const stuck = { ...FULL, nodeSelector: { rack: '7' } };
        const first = {
          ...drifted('a', withClaimCondition('Drifted', NOW - 2 * HOUR), [stuck]),
          labels: { rack: '7' },
        };
        const input = fleet([first, drifted('b')], { terms: DRIFT_ALONE });
        expect(going(input)).toEqual(['Drifted b']);
        expect(staying(input)).toContain('a Drifted NoPlace');
      },
    },
    {
      fact: 'replaces one node at a time, each in a pass of its own',
      differs:
        'one pass replaces as many drifted nodes as budgets allow, each by a command of its own, so that a roll-out takes the time that its budgets say',
      run: (): void => {
        const input = fleet(
          letters('abc', (name) => drifted(name)),
          { terms: DRIFT_ALONE },
        );
        expect(going(input)).toEqual(['Drifted a', 'Drifted b', 'Drifted c']);
      },
    },
    {
      fact: 'replaces three of ten drifted nodes under a budget of 30 %, and counts those that go already',
      run: (): void => {
        const terms = budgetOf({ percent: 30 });
        expect(
          going(
            fleet(
              letters('abcdefghij', (name) => drifted(name)),
              { terms },
            ),
          ),
        ).toHaveLength(3);
        const leaving = (name: string): FleetNode => drifted(name, { leaving: name < 'c' });
        expect(going(fleet(letters('abcdefghij', leaving), { terms }))).toEqual(['Drifted c']);
      },
    },
    {
      fact: 'takes the share of each NodePool for itself, rounded up, so that a pool without budget holds no other',
      run: (): void => {
        const pools = [
          poolOffer({ name: 'half', disruption: disruptionTerms(budgetOf({ percent: 50 })) }),
          poolOffer({ name: 'none', disruption: disruptionTerms(budgetOf({ count: 0 })) }),
        ];
        const node = (name: string): FleetNode => ({
          ...drifted(name),
          nodePool: name < 'd' ? 'half' : 'none',
        });
        const input = fleet(letters('abcdef', node), { cluster: clusterInput({ pools }) });
        expect(going(input)).toEqual(['Drifted a', 'Drifted b']);
        expect(staying(input).filter((text) => text.includes('Budget'))).toHaveLength(4);
      },
    },
    {
      fact: 'comes after emptiness: where the budget allows one node, an empty one goes before a drifted one with pods',
      differs:
        'drifted nodes go before empty ones: reasons have one order, the most urgent first, and what an empty node costs until the next pass is little',
      run: (): void => {
        const nodes = [{ name: 'a', type: LARGE }, drifted('b')];
        const terms = { ...budgetOf({ count: 1 }), consolidateAfterSeconds: 0 };
        expect(going(fleet(nodes, { terms }))).toEqual(['Drifted b']);
        expect(going(fleet([{ name: 'a', type: LARGE }], { terms }))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'leaves drifted nodes whose NodePool does not exist any more',
      run: (): void => {
        const input = fleet([drifted('a')], { terms: DRIFT_ALONE, frozenPools: new Set(['default']) });
        expect(going(input)).toEqual([]);
        expect(staying(input)).toContain('a Drifted NodePoolFrozen');
      },
    },
    {
      fact: 'counts on no room of nodes that go already',
      run: (): void => {
        const room = (managed: Partial<ManagedNode>) => {
          const nodes = [drifted('a'), { name: 'b', type: LARGE, managed, pods: [SMALL] }];
          return answerTo(fleet(nodes, { terms: DRIFT_ALONE })).commands[0]?.claims.length;
        };
        expect([room({ leaving: true }), room({})]).toEqual([1, 0]);
      },
    },
    {
      fact: 'waits where the pods of a drifted node would go to a node that is not initialized yet',
      differs:
        'a node that is not initialized takes no pods of drifted nodes, since it may never be: what takes them is launched',
      run: (): void => {
        const young: FleetNode = { name: 'b', type: LARGE, managed: { initialized: false } };
        const { commands } = answerTo(fleet([drifted('a'), young], { terms: DRIFT_ALONE }));
        expect(commands).toMatchObject([
          { reason: 'Drifted', nodes: ['a'], placements: [{ target: { kind: 'NodeClaim' } }] },
        ]);
      },
    },
  ],
};

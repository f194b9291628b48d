/** Nodes without pods that need them. */
import { clusterInput } from '../../../../support/builders/cluster-input.js';
import {
  disruptionTerms,
  fleet,
  HOUR,
  NOW,
  withClaimCondition,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import { poolOffer } from '../../../../support/builders/node-pool.js';
import { observedPod } from '../../../../support/builders/observed-pod.js';
import type { Suite } from '../../fact.js';
import { answerTo, going, LARGE, SMALL, staying, wasteful } from '../../fleets.js';

function empty(name: string, managed: FleetNode['managed'] = {}): FleetNode {
  return { name, type: LARGE, managed };
}

const WHEN_EMPTY = { consolidationPolicy: 'WhenEmpty' as const };

export const EMPTINESS: Suite = {
  name: 'Emptiness',
  facts: [
    {
      fact: 'deletes a node without pods, and launches nothing for it',
      run: (): void => {
        expect(going(fleet([{ name: 'a', type: LARGE }]))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'deletes a node whose pods all belong to DaemonSets',
      run: (): void => {
        const agent = { owner: { kind: 'DaemonSet', name: 'agent' } };
        expect(going(fleet([wasteful('a', {}, [agent])]))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'keeps an empty node until consolidateAfter has passed since its last pod left',
      run: (): void => {
        const node = { name: 'a', type: LARGE, managed: { quietSince: NOW - HOUR } };
        const terms = { consolidateAfterSeconds: 3601 };
        expect(going(fleet([node], { terms }))).toEqual([]);
        expect(staying(fleet([node], { terms }))).toEqual(['a Empty NotQuiet']);
        expect(going(fleet([node], { terms: { consolidateAfterSeconds: 3600 } }))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'leaves nodes with pods, where the policy is WhenEmpty',
      run: (): void => {
        const nodes = [wasteful('a'), empty('b')];
        expect(going(fleet(nodes, { terms: WHEN_EMPTY }))).toEqual(['Empty b']);
      },
    },
    {
      fact: 'deletes all empty nodes together, in one command',
      run: (): void => {
        const { commands } = answerTo(fleet([empty('a'), empty('b'), empty('c')], { terms: WHEN_EMPTY }));
        expect(commands).toMatchObject([{ reason: 'Empty', nodes: ['a', 'b', 'c'], claims: [] }]);
      },
    },
    {
      fact: 'takes the empty nodes of several NodePools together, of each as many as its budget says, rounded up',
      run: (): void => {
        const budgets = [{ nodes: { percent: 50 }, reasons: undefined, window: undefined }];
        const pools = ['one', 'two'].map((name) =>
          poolOffer({ name, disruption: disruptionTerms({ budgets }) }),
        );
        const nodes = ['one', 'two'].flatMap((nodePool) =>
          ['a', 'b', 'c'].map((name): FleetNode => ({ ...empty(`${nodePool}-${name}`), nodePool })),
        );
        const input = fleet(nodes, { cluster: clusterInput({ pools }) });
        expect(going(input)).toEqual(['Empty one-a one-b two-a two-b']);
        expect(staying(input)).toEqual(['one-c Empty Budget', 'two-c Empty Budget']);
      },
    },
    {
      fact: 'deletes an empty node that has drifted, without a replacement',
      run: (): void => {
        const { commands } = answerTo(
          fleet([empty('a', withClaimCondition('Drifted'))], { terms: WHEN_EMPTY }),
        );
        expect(commands).toMatchObject([{ nodes: ['a'], claims: [] }]);
      },
    },
    {
      fact: 'never deletes an empty node with consolidateAfter Never',
      run: (): void => {
        const input = fleet([empty('a')], { terms: { ...WHEN_EMPTY, consolidateAfterSeconds: undefined } });
        expect(going(input)).toEqual([]);
        expect(staying(input)).toEqual(['a Empty ConsolidationDisabled']);
      },
    },
    {
      fact: 'leaves an empty node that is annotated do-not-disrupt, and not one where the annotation is false',
      run: (): void => {
        const nodes = [empty('a', { doNotDisrupt: 'true' }), empty('b', { doNotDisrupt: 'false' })];
        const input = fleet(nodes, { terms: WHEN_EMPTY });
        expect(going(input)).toEqual(['Empty b']);
        expect(staying(input)).toEqual(['a Empty NodeDoNotDisrupt']);
      },
    },
    {
      fact: 'leaves a node whose only pod is of a DaemonSet and annotated do-not-disrupt',
      run: (): void => {
        const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
        const agent = { owner: { kind: 'DaemonSet', name: 'agent' }, annotations };
        const input = fleet([wasteful('a', {}, [agent])], { terms: WHEN_EMPTY });
        expect(staying(input)).toEqual(['a Empty PodDoNotDisrupt']);
      },
    },
    {
      fact: 'takes a node for empty when the pods of its Deployments are terminating or have finished, or are mirror pods',
      run: (): void => {
        const pods = [
          { ...SMALL, terminating: true },
          { ...SMALL, phase: 'Succeeded' as const },
          { ...SMALL, mirror: true },
        ];
        expect(going(fleet([wasteful('a', {}, pods)], { terms: WHEN_EMPTY }))).toEqual(['Empty a']);
      },
    },
    {
      fact: 'does not take a node for empty while a pod of a StatefulSet is terminating on it',
      run: (): void => {
        const pod = { ...SMALL, owner: { kind: 'StatefulSet', name: 'db' }, terminating: true };
        expect(going(fleet([wasteful('a', {}, [pod])], { terms: WHEN_EMPTY }))).toEqual([]);
      },
    },
    {
      fact: 'counts pending pods: a node that is too large for its own pods stays while one of them needs its room',
      run: (): void => {
        const next = observedPod({ name: 'next', requests: { cpu: '14' } });
        const { pools } = fleet([]).cluster;
        const waiting = fleet([wasteful('a')], { cluster: clusterInput({ pools, pods: [next] }) });
        expect(going(waiting)).toEqual([]);
        expect(going(fleet([wasteful('a')]))).toEqual(['Underutilized a']);
      },
    },
  ],
};

import { virtualPods } from '../../../src/domain/pods/capacity-buffer.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionAnswer } from '../../../src/planning/disrupt/question/disruption.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import {
  disruptionOptions,
  disruptionTerms,
  fleet,
  podDisruptionBudget,
  typeNamed,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { selecting } from '../../support/builders/constraints.js';

const LARGE = typeNamed('m6i.large');
const HALF = { requests: { cpu: '800m', memory: '512Mi' } };

function buffer(nodes: readonly (string | undefined)[], requests = HALF.requests): readonly Pod[] {
  const { spec } = pod({ requests });
  const pods = virtualPods({ namespace: 'default', name: 'spare', count: nodes.length, spec });
  return pods.map((each, index) => ({ ...each, nodeName: nodes[index] }));
}

function answer(
  nodes: readonly FleetNode[],
  pods: readonly Pod[],
  { terms, ...overrides }: Parameters<typeof fleet>[1] = {},
): DisruptionAnswer {
  // Of one type, and spot as all nodes are: nothing is cheaper.
  const pools = [poolOffer({ disruption: disruptionTerms(terms) }, [LARGE])];
  return disrupt(fleet(nodes, { ...overrides, cluster: clusterInput({ pools, pods }) }), disruptionOptions());
}

function going({ commands }: DisruptionAnswer): readonly string[] {
  return commands.flatMap(({ nodes }) => nodes);
}

const EMPTY: readonly FleetNode[] = [{ name: 'a', type: LARGE, capacityType: 'spot' as const }];

test('an empty node goes, and stays where a CapacityBuffer has its room, planned there or not yet', () => {
  expect(going(answer(EMPTY, []))).toEqual(['a']);
  expect(going(answer(EMPTY, buffer(['a'])))).toEqual([]);
  expect(going(answer(EMPTY, buffer([undefined])))).toEqual([]);
});

test('the room of a CapacityBuffer moves to the free room of other nodes, and the node goes', () => {
  const nodes = [
    { name: 'a', type: LARGE, capacityType: 'spot' as const },
    { name: 'b', type: LARGE, capacityType: 'spot' as const, pods: [HALF] },
  ];
  expect(going(answer(nodes, buffer(['a'])))).toEqual(['a']);
  expect(going(answer(nodes, buffer(['a', 'b'])))).toEqual([]);
});

test('no PodDisruptionBudget is asked for the pods of a CapacityBuffer', () => {
  const nodes = [
    { name: 'a', type: LARGE, capacityType: 'spot' as const },
    { name: 'b', type: LARGE, capacityType: 'spot' as const, pods: [HALF] },
  ];
  const forbidding = podDisruptionBudget({
    selector: selecting({}),
    maxUnavailable: { unit: 'pods', amount: 0 },
  });
  expect(going(answer(nodes, buffer(['a']), { podDisruptionBudgets: [forbidding] }))).toEqual(['a']);
});

test('with WhenEmpty a node that has only room of a CapacityBuffer is not empty', () => {
  const terms = { consolidationPolicy: 'WhenEmpty' } as const;
  const { refusals, commands } = answer(EMPTY, buffer(['a']), { terms });
  expect(commands).toEqual([]);
  expect(refusals.map(({ refusal }) => refusal.code)).toContain('NotEmpty');
});

import { DisruptionMemory } from '../../../src/planning/disrupt/draft.js';
import { ClusterView } from '../../../src/planning/disrupt/sets/cluster-view.js';
import { Simulator } from '../../../src/planning/disrupt/sets/simulator.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { node } from '../../support/builders/node.js';
import { pod } from '../../support/builders/pod.js';

const CLUSTER = clusterInput({
  nodes: [node({ name: 'n0' }), node({ name: 'n1' })],
  pods: [
    pod({ name: 'moves', nodeName: 'n0', phase: 'Running', owner: { kind: 'ReplicaSet', name: 'web' } }),
  ],
});

/** A pass of disruption over the cluster. */
function pass(cluster: ClusterInput, memory: DisruptionMemory) {
  const budget = { plans: 10, work: 1_000_000, checkpoint: () => undefined };
  const simulator = new Simulator(DEFAULT_PLAN_OPTIONS, memory, budget);
  const removal = { removed: new Set(['n0']), closed: new Set<string>() };
  return {
    plan: simulator.planWithout(new ClusterView(cluster, memory.plans.snapshots), removal),
    made: simulator.made,
  };
}

test('a cluster without a node is planned once while nothing about it changes, and counts as a plan in each pass', () => {
  const memory = new DisruptionMemory();
  const first = pass(CLUSTER, memory);
  expect(first.plan?.placements).toMatchObject([{ pod: 'default/moves', target: { name: 'n1' } }]);
  // A kubelet has told that it lives.
  const later = pass({ ...CLUSTER, nodes: CLUSTER.nodes.map((each) => ({ ...each })) }, memory);
  expect(later.plan).toBe(first.plan);
  expect(later.made).toBe(1);
});

test('after a change it is planned again', () => {
  const memory = new DisruptionMemory();
  pass(CLUSTER, memory);
  const [gone, stays] = CLUSTER.nodes;
  const nodes = [gone, stays && { ...stays, unschedulable: true }].flatMap((each) => each ?? []);
  const { plan } = pass({ ...CLUSTER, nodes }, memory);
  expect(plan?.placements).toMatchObject([{ pod: 'default/moves', target: { kind: 'NodeClaim' } }]);
});

/** Karpenter's labels of a NodeClaim that is disrupted. */
import { countDisrupted } from '../../src/controllers/count-disrupted.js';
import type { Condition } from '../../src/domain/values/condition.js';
import { createMetrics } from '../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import { nodeClaim, type NodeClaimOverrides } from '../support/builders/node-claim.js';
import { observedNode } from '../support/builders/observed-node.js';
import { observedPod } from '../support/builders/observed-pod.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../support/builders/policy-status.js';

function counted(overrides: NodeClaimOverrides, reason: string) {
  const cluster = new Cluster();
  const metrics = createMetrics();
  const providerID = 'kwok://n1';
  const claim = nodeClaim({
    ...overrides,
    status: { providerID, capacityType: 'spot', ...overrides.status },
  });
  const document = nodePoolDocument('general', {
    disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
  });
  cluster.put('PolicyStatus', policyStatus({ lastAccepted: acceptedPolicy(document) }));
  cluster.put('NodeClaim', claim);
  cluster.put('Node', observedNode({ name: 'n1', providerID }));
  const owner = { kind: 'DaemonSet', name: 'agent' };
  cluster.put('Pod', observedPod({ name: 'web', uid: 'web', nodeName: 'n1' }));
  cluster.put('Pod', observedPod({ name: 'agent', uid: 'agent', nodeName: 'n1', owner }));
  countDisrupted({ cluster, metrics }, claim, reason);
  return metrics;
}

const interrupted: Condition = {
  type: 'Interrupted',
  status: 'True',
  reason: 'SpotInterruption',
  message: '',
  lastTransitionTime: 0,
};

test.each([
  ['Underutilized', {}, 'underutilized', 'when_empty_or_underutilized', 'graceful'],
  [
    'Empty',
    { spec: { terminationGracePeriodSeconds: 60 } },
    'empty',
    'when_empty_or_underutilized',
    'eventual',
  ],
  ['Drifted', { spec: { terminationGracePeriodSeconds: 0 } }, 'drifted', '', 'forceful'],
  ['RegistrationTimeout', {}, 'registration_timeout', '', 'graceful'],
  ['InsufficientCapacity', {}, 'insufficient_capacity', '', 'graceful'],
  ['NodeGone', {}, 'garbage_collected', '', 'graceful'],
  ['Interrupted', { status: { conditions: [interrupted] } }, 'spot_interrupted', '', 'graceful'],
] as const)('%s has the labels of Karpenter', async (reason, overrides, ...values) => {
  const metrics = counted(overrides, reason);
  const [label, consolidation_policy, termination_mode] = values;
  const labels = {
    reason: label,
    nodepool: 'general',
    capacity_type: 'spot',
    consolidation_policy,
    termination_mode,
  };
  expect((await metrics.nodeClaimsDisrupted.get()).values).toEqual([{ value: 1, labels }]);
  // The pod of the DaemonSet does not move.
  expect((await metrics.podsDisrupted.get()).values).toEqual([{ value: 1, labels }]);
});

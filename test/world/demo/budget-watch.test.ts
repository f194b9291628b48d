import { BudgetWatch } from '../../../world/demo/stages/budget-watch.js';
import type { NodeClaimStatus } from '../../../src/domain/nodes/node-claim.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { nodePoolDocument, acceptedPolicy, policyStatus } from '../../support/builders/policy-status.js';

const NOW = Date.UTC(2026, 0, 1);
const INITIALIZED: Partial<NodeClaimStatus> = {
  conditions: [
    { type: 'Initialized', status: 'True', reason: 'Initialized', message: '', lastTransitionTime: 0 },
  ],
};

function clusterWith(disrupted: number): Cluster {
  const cluster = new Cluster();
  cluster.put(
    'PolicyStatus',
    policyStatus({
      kind: 'NodePool',
      policy: 'general',
      lastAccepted: acceptedPolicy(nodePoolDocument('general')),
    }),
  );
  for (let index = 0; index < 4; index++) {
    const disruption = index < disrupted ? { reason: 'Drifted', decidedAt: NOW } : undefined;
    cluster.put(
      'NodeClaim',
      nodeClaim({ name: `general-${String(index)}`, status: { ...INITIALIZED, disruption } }),
    );
  }
  return cluster;
}

describe('BudgetWatch', () => {
  test.each([
    { disrupted: 1, offenders: [] },
    { disrupted: 2, offenders: ['general'] },
  ])(
    'with the default of ten percent, $disrupted of 4 nodes going offends: $offenders',
    ({ disrupted, offenders }) => {
      const watch = new BudgetWatch(clusterWith(disrupted), 'Drifted');
      watch.look(NOW);
      expect(watch.offenders()).toEqual(offenders);
    },
  );
});

/** What is observed of a NodeClaim and its Node, for facts about the conditions that follow. */
import type { ObservedFacts } from '../../../src/controllers/disruption/conditions/claim-state.js';
import { nodeClaim, type NodeClaimOverrides } from '../../support/builders/node-claim.js';
import { nodePool } from '../../support/builders/node-pool.js';
import { observedNode } from '../../support/builders/observed-node.js';

const BORN = Date.UTC(2026, 0, 1);

/** A claim that has been registered and initialized at the start of 2026, of a pool with consolidateAfter 1m; `up` are its conditions. */
export function observedFacts(
  claim: NodeClaimOverrides = {},
  {
    up = ['Launched', 'Registered', 'Initialized'],
    ...rest
  }: Partial<ObservedFacts> & {
    readonly up?: readonly string[];
  } = {},
): ObservedFacts {
  const { disruption } = nodePool();
  const conditions = up.map((type) => ({
    ...{ type, status: 'True' as const, reason: type, message: '' },
    lastTransitionTime: BORN,
  }));
  return {
    claim: nodeClaim({
      createdAt: BORN,
      ...claim,
      status: { providerID: 'aws:///zone/i-1', instanceType: 'm5.large', conditions, ...claim.status },
    }),
    node: observedNode(),
    pool: nodePool({ disruption: { ...disruption, consolidateAfterSeconds: 60 } }),
    drift: undefined,
    lastPodEvent: undefined,
    now: BORN,
    repairPolicies: [],
    expected: undefined,
    ...rest,
  };
}

/** Repair policies, and nodes in bad conditions, for facts about repair. */
import type { Patient } from '../../../src/controllers/disruption/conditions/health.js';
import type { NodeCondition } from '../../../src/domain/nodes/observed-node.js';
import type { RepairPolicy } from '../../../src/domain/policies/repair-policy.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';

export const BORN = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;

/** `BadNode` False is tolerated for 30 minutes. */
export function policy(overrides: Partial<RepairPolicy> = {}): RepairPolicy {
  return {
    ...{ conditionType: 'BadNode', conditionStatus: 'False', reasons: undefined },
    ...{ tolerationSeconds: 1800, terminationGracePeriodSeconds: undefined, priority: 0, action: 'Replace' },
    ...overrides,
  };
}

/** A node that was in these conditions when it was made: `BadNode` False, unless said otherwise. */
export function patient(...conditions: readonly Partial<NodeCondition>[]): Patient {
  const bad = conditions.map((each) => ({
    ...{ type: 'BadNode', status: 'False' as const, reason: '', since: BORN },
    ...each,
  }));
  return { node: observedNode({ createdAt: BORN, conditions: bad }), claim: nodeClaim() };
}

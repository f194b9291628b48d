/** Whether a node has what its instance type promises: Karpenter's condition ConsistentStateFound. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { Condition } from '../../domain/values/condition.js';
import { formatAmount, type ResourceList } from '../../domain/values/resources.js';
import type { Recorder } from '../../ports/recorder.js';
import type { ConditionChange } from './claim-conditions.js';
import { recordClaim } from './record-claim.js';

/** Less than this share of what is expected is too little (Karpenter: NodeShape). */
const LEAST_SHARE = 0.9;
const TYPE = 'ConsistentStateFound';

/** The condition by the node's capacity now, in what the claim asks for; `expected` is the capacity of its instance type. */
export function consistencyOf(
  { spec }: Pick<NodeClaim, 'spec'>,
  { capacity }: Pick<ObservedNode, 'capacity'>,
  expected: ResourceList,
): Extract<ConditionChange, { readonly type: typeof TYPE }> {
  const issues: string[] = [];
  for (const [resource, requested] of spec.requests) {
    const wanted = expected.get(resource) ?? 0;
    const found = capacity.get(resource) ?? 0;
    if (requested > 0 && found < LEAST_SHARE * wanted)
      issues.push(
        `${formatAmount(resource, found)} instead of ${formatAmount(resource, wanted)} ${resource}`,
      );
  }
  if (issues.length === 0) return { type: TYPE, status: 'True' };
  return {
    type: TYPE,
    status: 'False',
    reason: 'ConsistencyCheckFailed',
    message: `the node has ${issues.join(', ')}`,
  };
}

/** Tells of a node that has had enough until now, and has no longer; `conditions` are the claim's from now on. */
export function tellInconsistent(
  recorder: Recorder,
  claim: NodeClaim,
  conditions: readonly Condition[],
): void {
  const failed = conditions.find(({ type, status }) => type === TYPE && status === 'False');
  const known = claim.status.conditions.find(({ type }) => type === TYPE);
  if (failed === undefined || known?.status === 'False') return;
  recordClaim(recorder, claim, {
    action: 'Register',
    reason: 'FailedConsistencyCheck',
    message: failed.message,
    trigger: 'Node',
    event: 'Warning',
  });
}

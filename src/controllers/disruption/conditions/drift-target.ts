/** What drifted nodes of a pool are replaced by, in one short word: it changes whenever nodes may drift that did not before. */
import { policyHash } from '../../../apis/berth/policy-hash.js';
import type { NodeClass } from '../../../domain/policies/node-class.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import { formatRequirement } from '../../../domain/values/requirement.js';
import { requirementsOf } from '../../../domain/values/requirements.js';
import type { ResolvedNodeClass } from '../../../ports/cloud.js';
import { nodeClassHash, nodePoolHash } from '../../fingerprint/template-hash.js';
import { resolvedHash } from './drift.js';

/** Hexadecimal digits: users copy it. */
const DIGITS = 12;

/** Instance types that are no longer offered are left out: nodes of other types are not affected. */
export function driftTarget(pool: NodePool, nodeClass: NodeClass, resolved: ResolvedNodeClass): string {
  const requirements = [...requirementsOf(pool.template.requirements).values()];
  const hash = policyHash({
    nodePool: nodePoolHash(pool),
    requirements: requirements.map(formatRequirement).sort(),
    nodeClass: nodeClassHash(nodeClass),
    resolved: resolvedHash(resolved),
  });
  return hash.slice(0, DIGITS);
}

/** What a planned claim may become, as the requirements of its NodeClaim. */
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, OS, ZONE } from '../../domain/values/labels.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import { requirement, type Requirement } from '../../domain/values/requirement.js';
import { requirementsOf } from '../../domain/values/requirements.js';
import type { PlannedClaim } from '../../planning/plan.js';

/**
 * The pool's own requirements, narrowed to what the plan lists. Instance types keep their rank, minValues are kept.
 * `types` are those of the pool's node class.
 */
export function claimRequirements(
  planned: PlannedClaim,
  pool: NodePool,
  types: readonly InstanceType[],
): readonly Requirement[] {
  const result = new Map(requirementsOf(pool.template.requirements));
  const narrow = (key: string, values: readonly string[]): void => {
    if (values.length > 0) result.set(key, requirement(key, 'In', values, result.get(key)?.minValues));
  };
  const listed = new Set(planned.instanceTypes);
  const chosen = types.filter(({ name }) => listed.has(name));
  narrow(INSTANCE_TYPE, planned.instanceTypes);
  narrow(ZONE, planned.zones);
  narrow(CAPACITY_TYPE, planned.capacityTypes);
  for (const key of [ARCH, OS]) narrow(key, valuesOf(chosen, key));
  for (const [key, value] of planned.chosenLabels) narrow(key, [value]);
  narrow(NODEPOOL, [pool.name]);
  return [...result.values()];
}

function valuesOf(types: readonly InstanceType[], key: string): readonly string[] {
  return [...new Set(types.flatMap(({ labels }) => labels.get(key) ?? []))].sort();
}

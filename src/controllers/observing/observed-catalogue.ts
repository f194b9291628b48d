/** Instance types with the labels that nodes have where a cloud runs a Karpenter of its own, as EKS Auto Mode does. */
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { Labels } from '../../domain/values/labels.js';
import type { InstanceCatalogue } from '../../ports/cloud.js';

/** A Karpenter that a cloud runs itself. Its node classes and labels are its own, and are read as the cloud's usual ones. */
export interface ManagedKarpenter {
  /** Whether a node class was read from one of its kind. */
  readonly isOwn: (nodeClass: Pick<NodeClass, 'name'>) => boolean;
  /** Labels of an instance type, with those that its nodes have besides. */
  readonly withOwnLabels: (labels: Labels) => Labels;
}

/** Equal lists of types stay equal: the planner keeps what it knows of them. */
export function observedCatalogue(
  catalogue: () => InstanceCatalogue,
  { isOwn, withOwnLabels }: ManagedKarpenter,
): () => InstanceCatalogue {
  const made = new WeakMap<readonly InstanceType[], readonly InstanceType[]>();
  const relabelled = (types: readonly InstanceType[]): readonly InstanceType[] => {
    const known = made.get(types);
    if (known !== undefined) return known;
    const own = types.map((type) => ({ ...type, labels: withOwnLabels(type.labels) }));
    made.set(types, own);
    return own;
  };
  const observed = new WeakMap<InstanceCatalogue, InstanceCatalogue>();
  return () => {
    const now = catalogue();
    const known = observed.get(now);
    if (known !== undefined) return known;
    const { instanceTypes } = now;
    const forNodeClass: InstanceCatalogue['forNodeClass'] = (nodeClass, tenancy) => {
      const types = now.forNodeClass(nodeClass, tenancy);
      return isOwn(nodeClass) ? relabelled(types) : types;
    };
    const own = { instanceTypes, forNodeClass };
    observed.set(now, own);
    return own;
  };
}

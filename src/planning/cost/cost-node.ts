/** What cost attribution takes: priced nodes, each with the pods that hold room on it. */
import type { Labels } from '../../domain/labels.js';
import type { ResourceList } from '../../domain/resources.js';

/** A pod that holds room on a node. */
export interface CostPod {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: ResourceList;
}

/** A machine that is paid for. */
export interface CostNode {
  readonly name: string;
  /** '' for a node that no pool made. */
  readonly nodePool: string;
  /** USD/h. */
  readonly hourlyPrice: number;
  /** Empty while the machine is not a node yet. */
  readonly allocatable: ResourceList;
  /** Each pod once. */
  readonly pods: readonly CostPod[];
}

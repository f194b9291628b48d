/** Topology spread constraints of a pod (Kubernetes: topology-spread-constraints). */
import type { LabelSelector } from '../values/label-selector.js';

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  /** With matchLabelKeys already folded in; undefined matches no pod. */
  readonly selector: LabelSelector | undefined;
  /** With fewer eligible domains than this the least count is taken as 0. */
  readonly minDomains: number;
  readonly nodeAffinityPolicy: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy: 'Honor' | 'Ignore';
}

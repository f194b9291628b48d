/** Topology spread that kube-scheduler gives to pods that have none (PodTopologySpreadArgs.defaultConstraints). */
import { selects, type LabelSelector } from '../values/label-selector.js';
import { NO_LABELS, type Labels } from '../values/labels.js';
import { intersectRequirements, requirementsFromLabels } from '../values/requirements.js';
import type { Pod } from './pod.js';
import type { TopologySpreadConstraint } from './topology-spread.js';

/** The selector of each is deduced from what selects the pod. */
export type DefaultSpread = readonly Omit<TopologySpreadConstraint, 'selector'>[];

/** A Service, as far as it tells which pods belong together. */
export interface Service {
  readonly namespace: string;
  readonly name: string;
  /** Labels of its pods; none: it selects no pod. */
  readonly selector: Labels;
}

/** What selects pods. */
export interface PodSelectors {
  services(namespace: string): readonly Service[];
  /** Of the pod's ReplicaSet or StatefulSet; undefined for other owners, and for one that is not known. */
  workload(pod: Pick<Pod, 'namespace' | 'owner'>): LabelSelector | undefined;
}

/**
 * Which pods count as the pod's like: what all Services that select it and its ReplicaSet or StatefulSet ask for together.
 * undefined where nothing selects it: it has no default spread. The rule is that of kube-scheduler (DefaultSelector), but
 * for ReplicationControllers, which are not looked at.
 */
export function deducedSelector(
  pod: Pick<Pod, 'namespace' | 'owner' | 'spec'>,
  selectors: PodSelectors,
): LabelSelector | undefined {
  const labels = selectors
    .services(pod.namespace)
    .map(({ selector }) => selector)
    .filter(
      (selector) =>
        selector.size > 0 && selects({ requirements: requirementsFromLabels(selector) }, pod.spec.labels),
    )
    .reduce<Labels>((all, selector) => new Map([...all, ...selector]), NO_LABELS);
  const own = selectors.workload(pod);
  const ofServices = requirementsFromLabels(labels);
  const requirements = own === undefined ? ofServices : intersectRequirements(ofServices, own.requirements);
  return requirements.size === 0 ? undefined : { requirements };
}

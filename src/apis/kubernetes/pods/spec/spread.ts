/** topologySpreadConstraints of a pod. */
import { narrowByPodLabels, type LabelSelector } from '../../../../domain/values/label-selector.js';
import type { Labels } from '../../../../domain/values/labels.js';
import type { TopologySpreadConstraint } from '../../../../domain/pods/topology-spread.js';
import {
  firstElements,
  member,
  optionalChoice,
  optionalInteger,
  refuse,
  refuseMissing,
  requiredChoice,
  type Field,
} from '../../object/field.js';
import { readLabelSelector } from '../../object/label-selector.js';
import { readLabelKeys, readTopologyKey } from '../../object/labels.js';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'] as const;
const POLICIES = ['Honor', 'Ignore'] as const;
const MOST = 2 ** 31 - 1;
/** Constraints that are read. */
const MOST_CONSTRAINTS = 1000;

/** Constraints with matchLabelKeys folded into their selectors. */
export function readSpread(field: Field, labels: Labels): readonly TopologySpreadConstraint[] {
  return firstElements(field, MOST_CONSTRAINTS).flatMap((item) => readConstraint(item, labels));
}

function readConstraint(field: Field, labels: Labels): TopologySpreadConstraint[] {
  const maxSkewField = member(field, 'maxSkew');
  if (maxSkewField.value === undefined) refuseMissing(maxSkewField);
  const maxSkew = optionalInteger(maxSkewField, 1, MOST);
  const topologyKey = readTopologyKey(member(field, 'topologyKey'));
  const whenUnsatisfiable = requiredChoice(member(field, 'whenUnsatisfiable'), ACTIONS);
  const minDomainsField = member(field, 'minDomains');
  const minDomains = optionalInteger(minDomainsField, 1, MOST);
  if (minDomains !== undefined && whenUnsatisfiable === 'ScheduleAnyway')
    refuse(minDomainsField, 'must not be given with whenUnsatisfiable ScheduleAnyway');
  const selector = readSelector(field, labels);
  const nodeAffinityPolicy = optionalChoice(member(field, 'nodeAffinityPolicy'), POLICIES) ?? 'Honor';
  const nodeTaintsPolicy = optionalChoice(member(field, 'nodeTaintsPolicy'), POLICIES) ?? 'Ignore';
  if (maxSkew === undefined || topologyKey === undefined || whenUnsatisfiable === undefined) return [];
  const policies = { nodeAffinityPolicy, nodeTaintsPolicy };
  return [{ maxSkew, topologyKey, whenUnsatisfiable, selector, minDomains: minDomains ?? 1, ...policies }];
}

/** kube-scheduler counts no pods for an empty selector (PodTopologySpread), so it becomes one that matches none. */
function readSelector(field: Field, labels: Labels): LabelSelector | undefined {
  const match = readLabelKeys(member(field, 'matchLabelKeys'));
  const selector = narrowByPodLabels(readLabelSelector(member(field, 'labelSelector')), labels, {
    match,
    mismatch: [],
  });
  return selector?.requirements.size === 0 ? undefined : selector;
}

/** Which pods a stamped spread counts: those of the same workload, told by the labels that people gave it. */
import type { Labels } from '../../domain/values/labels.js';

export interface SpreadSelector {
  readonly matchLabels: Labels;
  readonly matchLabelKeys: readonly string[];
}

const TEMPLATE_HASH = 'pod-template-hash';

/** Labels that controllers generate: they tell single pods, revisions or runs apart and not workloads. */
const GENERATED: ReadonlySet<string> = new Set([
  TEMPLATE_HASH,
  'controller-revision-hash',
  'pod-template-generation',
  'rollouts-pod-template-hash',
  'job-name',
  'controller-uid',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]);
const GENERATED_PREFIX = 'batch.kubernetes.io/';

/** undefined when no label is left: a selector without labels would count every pod of the namespace. */
export function spreadSelector(labels: Labels): SpreadSelector | undefined {
  const given = [...labels].filter(([key]) => !GENERATED.has(key) && !key.startsWith(GENERATED_PREFIX));
  if (given.length === 0) return undefined;
  return {
    matchLabels: new Map(given),
    // So that the pods of a new revision are spread by themselves while old ones go (KEP-3243).
    matchLabelKeys: labels.has(TEMPLATE_HASH) ? [TEMPLATE_HASH] : [],
  };
}

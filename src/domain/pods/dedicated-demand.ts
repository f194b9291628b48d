/** Pods that are to run on dedicated instances. */
import { forbidsUsual } from '../nodes/tenancy.js';
import { INSTANCE_TENANCY } from '../values/labels.js';
import type { PodSpec } from './pod.js';

/** Whether pods of the spec select dedicated instances, or prefer them. */
export function asksForDedicated({
  nodeSelector,
  nodeAffinity,
}: Pick<PodSpec, 'nodeSelector' | 'nodeAffinity'>): boolean {
  if (nodeSelector.get(INSTANCE_TENANCY) === 'dedicated') return true;
  const { required = [], preferred } = nodeAffinity;
  return [...required, ...preferred.map(({ term }) => term)].some(({ labels }) =>
    forbidsUsual(labels.get(INSTANCE_TENANCY)),
  );
}

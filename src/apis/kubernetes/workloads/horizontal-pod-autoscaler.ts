/** autoscaling HorizontalPodAutoscaler → domain. */
import type { HorizontalPodAutoscaler } from '../../../domain/pods/surge.js';
import { member, optionalText, rootField } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';

/** Decodes an autoscaling/v2 HorizontalPodAutoscaler. */
export function decodeHorizontalPodAutoscaler(object: unknown): Decoded<HorizontalPodAutoscaler> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const target = member(member(root, 'spec'), 'scaleTargetRef');
  const isDeployment = optionalText(member(target, 'kind')) === 'Deployment';
  const deployment = isDeployment
    ? `${name.namespace}/${optionalText(member(target, 'name')) ?? ''}`
    : undefined;
  return { value: { ...name, deployment }, findings: root.findings };
}

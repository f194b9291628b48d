/** apps DaemonSet → domain. */
import type { DaemonSet } from '../../../domain/pods/daemon-set.js';
import type { Toleration } from '../../../domain/values/taint.js';
import { member, rootField } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readLabels } from '../object/labels.js';
import { readObjectName } from '../object/metadata.js';
import { podContext, type PodContext } from '../pods/pod-context.js';
import { readPodSpec } from '../pods/spec/pod-spec.js';
import { daemonTolerations } from '../object/taints.js';

/** Decodes a DaemonSet; its pods tolerate what the DaemonSet controller makes them tolerate. Never throws. */
export function decodeDaemonSet(object: unknown, context: PodContext = podContext()): Decoded<DaemonSet> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const template = member(member(root, 'spec'), 'template');
  const labels = readLabels(member(member(template, 'metadata'), 'labels'));
  const podSpec = member(template, 'spec');
  const spec = readPodSpec(podSpec, member(template, 'status'), { ...name, labels }, context);
  const added = daemonTolerations(member(podSpec, 'hostNetwork').value === true);
  const tolerations = [...spec.tolerations, ...added.filter((item) => !spec.tolerations.some(isSame(item)))];
  return { value: { ...name, spec: { ...spec, tolerations } }, findings: root.findings };
}

function isSame(item: Toleration): (other: Toleration) => boolean {
  return ({ key, operator, value, effect }) =>
    key === item.key && operator === item.operator && value === item.value && effect === item.effect;
}

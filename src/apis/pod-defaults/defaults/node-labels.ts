/** Defaults that are node labels: fields that stand for one label, and nodeSelector for any. */
import * as z from 'zod';
import type { StampedFields } from '../../../domain/policies/pod-defaults.js';
import { ARCH, canonicalLabel, CAPACITY_TYPE, NODEPOOL } from '../../../domain/values/labels.js';
import { anyLabels, labelsOf } from '../../fields/label-map.js';
import { podDefault, type PodDefault, type Stamp } from '../pod-default.js';
import { listIn, objectIn, textIn, type Place, type SubmittedPod } from '../submitted-pod.js';

const NODE_SELECTOR: Place = ['spec', 'nodeSelector'];

export const architecture = labelDefault(
  'architecture',
  ARCH,
  z.enum(['amd64', 'arm64']),
  'Stamped as nodeSelector kubernetes.io/arch.',
);

export const capacityType = labelDefault(
  'capacityType',
  CAPACITY_TYPE,
  z.enum(['on-demand', 'spot', 'reserved']),
  'Stamped as nodeSelector karpenter.sh/capacity-type.',
);

export const nodePool = labelDefault(
  'nodePool',
  NODEPOOL,
  z.string().min(1),
  'Name of a NodePool, stamped as nodeSelector karpenter.sh/nodepool.',
);

export const nodeSelector = podDefault<'nodeSelector'>()({
  schema: anyLabels(
    'Entries stamped into nodeSelector where the pod does not name the label. Default: none.',
  ).optional(),
  read: labelsOf,
  stamps: (document, pod) => {
    if (document.nodeSelector.size === 0) return undefined;
    const named = namedLabels(pod);
    return [...document.nodeSelector].flatMap(([key, value]) => {
      if (named.has(canonicalLabel(key))) return [];
      named.add(canonicalLabel(key));
      return labelStamp(`nodeSelector.${key}`, key, value);
    });
  },
});

/** A field whose value is that of one label. */
function labelDefault<
  Field extends 'architecture' | 'capacityType' | 'nodePool',
  Schema extends z.ZodType<string>,
>(
  field: Field,
  label: string,
  schema: Schema,
  description: string,
): PodDefault<Field, z.ZodOptional<Schema>> {
  const own = 'Not applied to pods that already select the label. Default: nothing is stamped.';
  return {
    schema: schema.describe(`${description} ${own}`).optional(),
    read: (written): StampedFields[Field] => written,
    label,
    stamps: (document, pod) => {
      const value = document[field];
      if (value === undefined || namedLabels(pod).has(canonicalLabel(label))) return undefined;
      return [labelStamp(field, label, value)];
    },
  };
}

function labelStamp(field: string, key: string, value: string): Stamp {
  return {
    field,
    text: `nodeSelector ${key}=${value}`,
    addition: { kind: 'entry', at: NODE_SELECTOR, key, value },
  };
}

/** Node labels that nodeSelector or required node affinity name, by their current names. */
function namedLabels({ spec }: SubmittedPod): Set<string> {
  const selected = Object.keys(objectIn(spec, 'nodeSelector') ?? {});
  return new Set([...selected, ...affinityKeys(spec)].map(canonicalLabel));
}

/** Keys in any of the terms, of which one must hold: a user who writes alternatives has considered the label. */
function affinityKeys(spec: SubmittedPod['spec']): readonly string[] {
  const required = objectIn(
    objectIn(objectIn(spec, 'affinity'), 'nodeAffinity'),
    'requiredDuringSchedulingIgnoredDuringExecution',
  );
  return (listIn(required, 'nodeSelectorTerms') ?? []).flatMap((term) =>
    (listIn(term, 'matchExpressions') ?? []).map((expression) => textIn(expression, 'key')),
  );
}

/** Deployments, ReplicaSets, StatefulSets and Jobs: the pods that they shall run, including those that run already. */
import { NO_LABELS, type Labels } from '../../../domain/values/labels.js';
import type { PodOwner } from '../../../domain/pods/pod.js';
import {
  elements,
  flag,
  hasObject,
  member,
  optionalChoice,
  optionalInteger,
  optionalText,
  requiredText,
  rootField,
  silenced,
  type Field,
} from '../object/field.js';
import { warnOfUnknownWorkloadFields } from '../object/unknown-fields.js';
import type { ObjectFinding } from '../object/finding.js';
import { readAnnotations, readLabels } from '../object/labels.js';
import { readObjectName, readOwner, type ObjectName } from '../object/metadata.js';
import { isGang, jobGangKey } from './pod-gang.js';

export type WorkloadKind = 'Deployment' | 'Job' | 'ReplicaSet' | 'StatefulSet';

export interface ClaimTemplate {
  readonly name: string;
  readonly storageClassName: string | undefined;
}

export interface Workload extends ObjectName {
  readonly kind: WorkloadKind;
  /** spec.template: metadata and spec of the pods. */
  readonly template: Field;
  /** Of the workload itself. */
  readonly labels: Labels;
  /** What its pods get besides the labels of their template, by who owns the workload. */
  readonly podLabels: Labels;
  /** `gangKey` of the gang that all its pods belong to, if it or its template says so. */
  readonly gang: string | undefined;
  readonly annotations: Labels;
  readonly owner: PodOwner | undefined;
  /** Pods that are to run at once. */
  readonly replicas: number;
  /** Where the number stands, or would stand. */
  readonly replicasField: Field;
  /** Pods of a Job that have to succeed; undefined for workloads that run until told otherwise. */
  readonly completions: number | undefined;
  /** Pods of a Job that have succeeded, as its status counts them. */
  readonly succeeded: number;
  /** spec.completionMode of a Job. */
  readonly completionMode: 'Indexed' | 'NonIndexed';
  /** Number of a StatefulSet's first pod. */
  readonly firstOrdinal: number;
  readonly claimTemplates: readonly ClaimTemplate[];
}

export interface ReadWorkload {
  readonly value: Workload | undefined;
  /** Grows while pods are made from the template. */
  readonly findings: readonly ObjectFinding[];
}

const MOST = 2 ** 31 - 1;

/** Reads a workload; its template is read when pods are made from it. Never throws. */
export function readWorkload(kind: WorkloadKind, object: unknown): ReadWorkload {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const metadata = member(root, 'metadata');
  const spec = member(root, 'spec');
  if (hasObject(spec)) warnOfUnknownWorkloadFields(spec);
  const template = member(spec, 'template');
  const labels = readLabels(member(metadata, 'labels'));
  const annotations = readAnnotations(member(metadata, 'annotations'));
  const isOneGang = kind === 'Job' && (isGang(metadata, annotations) || isTemplateGang(template));
  const value: Workload = {
    ...name,
    kind,
    template,
    labels,
    podLabels: NO_LABELS,
    gang: isOneGang ? jobGangKey(name.namespace, labels, name.name) : undefined,
    annotations,
    owner: readOwner(metadata),
    ...(kind === 'Job' ? readJob(spec, member(root, 'status')) : readReplicas(spec)),
    firstOrdinal:
      kind === 'StatefulSet' ? (optionalInteger(member(member(spec, 'ordinals'), 'start'), 0, MOST) ?? 0) : 0,
    claimTemplates:
      kind === 'StatefulSet' ? elements(member(spec, 'volumeClaimTemplates')).map(readClaimTemplate) : [],
  };
  return { value, findings: root.findings };
}

/** What is wrong with the template is reported where pods are made from it. */
function isTemplateGang(template: Field): boolean {
  const metadata = silenced(member(template, 'metadata'));
  return isGang(metadata, readAnnotations(member(metadata, 'annotations')));
}

type Count = Pick<Workload, 'replicas' | 'replicasField' | 'completions' | 'succeeded' | 'completionMode'>;

function readReplicas(spec: Field): Count {
  const replicasField = member(spec, 'replicas');
  const replicas = optionalInteger(replicasField, 0, MOST) ?? 1;
  return { replicas, replicasField, completions: undefined, succeeded: 0, completionMode: 'NonIndexed' };
}

/**
 * A Job runs `parallelism` pods at once, but no more than still have to succeed. Without `completions` it is a work
 * queue: after the first success no more are started (Kubernetes: jobs).
 */
export function readJob(spec: Field, status: Field): Count {
  const replicasField = member(spec, 'parallelism');
  const parallelism = optionalInteger(replicasField, 0, MOST);
  const completions =
    optionalInteger(member(spec, 'completions'), 0, MOST) ?? (parallelism === undefined ? 1 : undefined);
  const succeeded = optionalInteger(member(status, 'succeeded'), 0, MOST) ?? 0;
  const idle = flag(member(spec, 'suspend')) || isFinished(status);
  const completionMode =
    optionalChoice(member(spec, 'completionMode'), ['Indexed', 'NonIndexed']) ?? 'NonIndexed';
  return { replicas: idle ? 0 : (parallelism ?? 1), replicasField, completions, succeeded, completionMode };
}

function isFinished(status: Field): boolean {
  return elements(member(status, 'conditions')).some((condition) => {
    const type = member(condition, 'type').value;
    return (type === 'Complete' || type === 'Failed') && member(condition, 'status').value === 'True';
  });
}

function readClaimTemplate(field: Field): ClaimTemplate {
  return {
    name: requiredText(member(member(field, 'metadata'), 'name')),
    storageClassName: optionalText(member(member(field, 'spec'), 'storageClassName')),
  };
}

/** The gang that a pod belongs to: by the pod groups of several schedulers, or with the other pods of its Job or JobSet. */
import { gangKey, type PodGang } from '../../../domain/pods/gang.js';
import type { Labels } from '../../../domain/values/labels.js';
import { describeValue } from '../../documents/part.js';
import { hasObject, member, optionalText, refuse, warn, type Field } from '../object/field.js';
import type { PodContext } from './pod-context.js';

/**
 * Name the pod's PodGroup, as label or annotation: the coscheduling plugin's label today, what it was before its CRD
 * moved to scheduling.x-k8s.io, and the form that needs no object (scheduler-plugins, KEP 2 and "lightweight coscheduling").
 */
const POD_GROUP_KEYS = [
  'scheduling.x-k8s.io/pod-group',
  'pod-group.scheduling.x-k8s.io/name',
  'pod-group.scheduling.sigs.k8s.io',
  'pod-group.scheduling.sigs.k8s.io/name',
] as const;
/** Beside it, how many members there must be at least; goes without a PodGroup. */
const MINIMUM_KEYS = [
  'pod-group.scheduling.x-k8s.io/min-available',
  'pod-group.scheduling.sigs.k8s.io/min-available',
] as const;
/** On a Job or JobSet, or on their pods: all pods of it are one gang. */
const GANG = 'berth.sh/gang';
/** JobSet's controller puts it on its Jobs and their pods. */
export const JOB_SET_NAME = 'jobset.sigs.k8s.io/jobset-name';

/** What a pod or pod template is read for. */
export interface GangIdentity {
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** The Job that owns it; undefined for pods of others. */
  readonly job: string | undefined;
}

/**
 * The gang of a pod or pod template (`root` has its metadata and spec). spec.schedulingGroup goes before labels, labels
 * before annotations, pod groups before Jobs. A minimum that is no positive number is reported, and the pod is alone.
 */
export function readPodGang(root: Field, identity: GangIdentity, context: PodContext): PodGang | undefined {
  return (
    schedulingGroup(root, identity, context) ?? podGroup(root, identity, context) ?? jobGang(root, identity)
  );
}

/** Pods with Kubernetes' own gang scheduling (KEP 4671): a PodGroup of scheduling.k8s.io. */
function schedulingGroup(root: Field, { namespace }: GangIdentity, context: PodContext): PodGang | undefined {
  const group = member(member(root, 'spec'), 'schedulingGroup');
  if (!hasObject(group)) return undefined;
  const field = member(group, 'podGroupName');
  const name = optionalText(field) ?? '';
  if (name === '') return undefined;
  const key = gangKey('PodGroup', namespace, name);
  warnOfUnknown(field, key, context);
  return { key, minMembers: undefined };
}

function podGroup(
  root: Field,
  { namespace, labels, annotations }: GangIdentity,
  context: PodContext,
): PodGang | undefined {
  const named = firstOf(POD_GROUP_KEYS, labels, annotations);
  if (named === undefined || named.value === '') return undefined;
  const key = gangKey('PodGroup', namespace, named.value);
  const minimum = firstOf(MINIMUM_KEYS, labels, annotations);
  const minMembers = minimum === undefined ? undefined : readMinimum(fieldOf(root, minimum), minimum.value);
  if (minimum === undefined) warnOfUnknown(fieldOf(root, named), key, context);
  return { key, minMembers };
}

interface Named {
  readonly part: 'labels' | 'annotations';
  readonly key: string;
  readonly value: string;
}

function firstOf(keys: readonly string[], labels: Labels, annotations: Labels): Named | undefined {
  for (const part of ['labels', 'annotations'] as const) {
    const given = part === 'labels' ? labels : annotations;
    const key = given.size === 0 ? undefined : keys.find((each) => given.has(each));
    if (key !== undefined) return { part, key, value: given.get(key) ?? '' };
  }
  return undefined;
}

function fieldOf(root: Field, { part, key }: Named): Field {
  return member(member(member(root, 'metadata'), part), key);
}

/** Labels are text: `"4"`. */
function readMinimum(field: Field, text: string): number | undefined {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  refuse(field, `must be a whole number of at least 1, in quotes, not ${describeValue(text)}`);
  return undefined;
}

function warnOfUnknown(field: Field, key: string, { podGroups }: PodContext): void {
  if (podGroups === undefined || podGroups.has(key)) return;
  warn(field, 'unknown-reference', `names ${key}, which does not exist: the pod is planned without a gang`);
}

function jobGang(root: Field, { namespace, labels, annotations, job }: GangIdentity): PodGang | undefined {
  if (!annotations.has(GANG) || !isGang(member(root, 'metadata'), annotations)) return undefined;
  const key = jobGangKey(namespace, labels, job);
  if (key !== undefined) return { key, minMembers: 'all' };
  const field = member(member(member(root, 'metadata'), 'annotations'), GANG);
  warn(field, 'no-effect', 'is for pods of Jobs and JobSets: the pod is planned without a gang');
  return undefined;
}

/** The gang of a JobSet's or Job's pods, should they be one; undefined for other pods. */
export function jobGangKey(namespace: string, labels: Labels, job: string | undefined): string | undefined {
  const jobSet = labels.get(JOB_SET_NAME) ?? '';
  if (jobSet !== '') return gangKey('JobSet', namespace, jobSet);
  return job === undefined ? undefined : gangKey('Job', namespace, job);
}

/** Whether the annotations of an object ask for its pods to be a gang; `metadata` is where they stand. */
export function isGang(metadata: Field, annotations: Labels): boolean {
  const text = annotations.get(GANG);
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  const field = member(member(metadata, 'annotations'), GANG);
  refuse(field, `must be "true" or "false", not ${describeValue(text)}`, { allowed: ['true', 'false'] });
  return false;
}

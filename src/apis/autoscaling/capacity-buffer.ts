/** CapacityBuffers of autoscaling.x-k8s.io, and the templates that they name. */
import {
  ACTIVE_CAPACITY,
  BUFFER_DURATION,
  BUFFER_SCHEDULE,
  BUFFER_TIME_ZONE,
  type BufferCondition,
  type BufferTemplate,
  type BufferTemplateRef,
  type BufferedKind,
  type CapacityBuffer,
  type CapacityBufferStatus,
} from '../../domain/pods/capacity-buffer.js';
import { goDurationMillis } from '../../domain/values/go-duration.js';
import { NO_LABELS, type Labels } from '../../domain/values/labels.js';
import { parseSchedule } from '../../domain/values/schedule.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import { readAmounts, roundAmounts } from '../kubernetes/object/amounts.js';
import {
  elements,
  hasObject,
  member,
  optionalInteger,
  optionalText,
  requiredText,
  rootField,
  type Field,
} from '../kubernetes/object/field.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import { readAnnotations } from '../kubernetes/object/labels.js';
import { readObjectName } from '../kubernetes/object/metadata.js';
import { readStored } from '../kubernetes/object/object-meta.js';
import { readTime } from '../kubernetes/object/time.js';
import { podContext } from '../kubernetes/pods/pod-context.js';
import { readPodSpec } from '../kubernetes/pods/spec/pod-spec.js';
import { encodeConditions } from './conditions.js';

const MOST = 2 ** 31 - 1;
const STATUSES = ['True', 'False', 'Unknown'] as const;

/** Decodes a CapacityBuffer that was read by this apiVersion; v1beta1 and v1 have the same fields. Never throws. */
export function decodeCapacityBuffer(apiVersion: string, object: unknown): Decoded<CapacityBuffer> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const metadata = member(root, 'metadata');
  const { uid, resourceVersion } = readStored(metadata);
  const spec = member(root, 'spec');
  hasObject(spec);
  const value: CapacityBuffer = {
    ...name,
    uid,
    resourceVersion,
    generation: readGeneration(metadata) ?? 0,
    apiVersion,
    strategy: optionalText(member(spec, 'provisioningStrategy')) ?? ACTIVE_CAPACITY,
    template: readTemplateRef(spec),
    replicas: optionalInteger(member(spec, 'replicas'), 0, MOST),
    percentage: optionalInteger(member(spec, 'percentage'), 0, MOST),
    limits: readLimits(member(spec, 'limits')),
    window: readWindow(readAnnotations(member(metadata, 'annotations'))),
    status: readStatus(member(root, 'status')),
  };
  return { value, findings: root.findings };
}

function readTemplateRef(spec: Field): BufferTemplateRef | undefined {
  const template = member(spec, 'podTemplateRef');
  if (hasObject(template))
    return { kind: 'PodTemplate', apiGroup: '', name: requiredText(member(template, 'name')) };
  const scalable = member(spec, 'scalableRef');
  if (!hasObject(scalable)) return undefined;
  return {
    kind: requiredText(member(scalable, 'kind')),
    apiGroup: optionalText(member(scalable, 'apiGroup')) ?? '',
    name: requiredText(member(scalable, 'name')),
  };
}

/** A text where the annotations cannot be used: the buffer is not kept then, rather than always. */
function readWindow(annotations: Labels): CapacityBuffer['window'] {
  const schedule = annotations.get(BUFFER_SCHEDULE);
  const duration = annotations.get(BUFFER_DURATION);
  const zone = annotations.get(BUFFER_TIME_ZONE);
  if (schedule === undefined)
    return duration === undefined && zone === undefined
      ? undefined
      : `annotation ${BUFFER_SCHEDULE} is missing`;
  const millis = duration === undefined ? undefined : goDurationMillis(duration);
  if (millis === undefined || millis <= 0)
    return `annotation ${BUFFER_DURATION} must be a duration such as 8h or 90m`;
  try {
    return { schedule: parseSchedule(schedule, zone), durationSeconds: millis / 1000 };
  } catch (error) {
    return `annotation ${BUFFER_SCHEDULE}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A limit of nothing is one, too. */
function readLimits(field: Field): ResourceList {
  const amounts = readAmounts(field, 'any');
  const none = [...amounts].filter(([, amount]) => amount === 0n).map(([name]) => [name, 0] as const);
  return new Map([...none, ...roundAmounts(amounts)]);
}

function readStatus(status: Field): CapacityBufferStatus {
  const name = optionalText(member(member(status, 'podTemplateRef'), 'name'));
  const generation = optionalInteger(member(status, 'podTemplateGeneration'), 0, Number.MAX_SAFE_INTEGER);
  return {
    podTemplate: name === undefined ? undefined : { name, generation: generation ?? 0 },
    replicas: optionalInteger(member(status, 'replicas'), 0, MOST),
    strategy: optionalText(member(status, 'provisioningStrategy')),
    conditions: elements(member(status, 'conditions')).flatMap(readCondition),
  };
}

function readCondition(item: Field): readonly BufferCondition[] {
  const type = optionalText(member(item, 'type'));
  const status = STATUSES.find((known) => known === member(item, 'status').value);
  if (type === undefined || status === undefined) return [];
  return [
    {
      type,
      status,
      reason: optionalText(member(item, 'reason')) ?? '',
      message: optionalText(member(item, 'message')) ?? '',
      lastTransitionTime: readTime(member(item, 'lastTransitionTime')) ?? 0,
      observedGeneration: readGeneration(item, 'observedGeneration'),
    },
  ];
}

function readGeneration(parent: Field, key = 'generation'): number | undefined {
  return optionalInteger(member(parent, key), 0, Number.MAX_SAFE_INTEGER);
}

/** The status as it is written. */
export function encodeCapacityBufferStatus(status: CapacityBufferStatus): JsonObject {
  const { podTemplate, replicas, strategy, conditions } = status;
  return {
    ...(podTemplate !== undefined && {
      podTemplateRef: { name: podTemplate.name },
      podTemplateGeneration: podTemplate.generation,
    }),
    ...(replicas !== undefined && { replicas }),
    ...(strategy !== undefined && { provisioningStrategy: strategy }),
    conditions: encodeConditions(conditions),
  };
}

/**
 * Decodes what a buffer's pods are made like: a PodTemplate, or the template of a workload with its replicas. `value` is undefined
 * where there is no template in it. Never throws.
 */
export function decodeBufferTemplate(kind: BufferedKind, object: unknown): Decoded<BufferTemplate> {
  const root = rootField(object);
  const name = readObjectName(root);
  const spec = member(root, 'spec');
  const template = member(kind === 'PodTemplate' ? root : spec, 'template');
  if (name === undefined || !hasObject(template)) return { value: undefined, findings: root.findings };
  const podSpec = member(template, 'spec');
  const identity = { ...name, labels: NO_LABELS };
  const value: BufferTemplate = {
    spec: readPodSpec(podSpec, member(template, 'status'), identity, podContext()),
    generation: readGeneration(member(root, 'metadata')) ?? 0,
    replicas: kind === 'PodTemplate' ? undefined : (optionalInteger(member(spec, 'replicas'), 0, MOST) ?? 1),
  };
  return { value, findings: root.findings };
}

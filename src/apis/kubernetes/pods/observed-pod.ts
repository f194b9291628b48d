/** V1Pod of the API server → domain: what scheduling sees, and what controllers need to know besides. */
import type { ObservedPod, ScheduledCondition } from '../../../domain/pods/observed-pod.js';
import { NO_LABELS, type Labels } from '../../../domain/values/labels.js';
import { elements, member, optionalInteger, optionalText, rootField, type Field } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readStored } from '../object/object-meta.js';
import type { PodContext } from './pod-context.js';
import { decodePod } from './pod.js';
import { holdsOf } from './held-tolerations.js';
import { readTime } from '../object/time.js';
import { POD_TEMPLATE_HASH } from './workload-owner.js';

/** StatefulSets and DaemonSets tell revisions of their template apart by this label. */
const CONTROLLER_REVISION_HASH = 'controller-revision-hash';
/** Domains of the annotations that Berth reads of pods; what others keep there may be kilobytes for each of 150,000 pods. */
const READ_ANNOTATIONS = /^(?:berth\.sh|karpenter\.sh|controller\.kubernetes\.io|autoscaling\.x-k8s\.io)\//;
/** The API server's default (Kubernetes: pod termination). */
const DEFAULT_GRACE_SECONDS = 30;

/** Decodes a pod as watched; `context` is shared by all pods of one watch. Never throws. */
export function decodeObservedPod(object: unknown, context?: PodContext): Decoded<ObservedPod> {
  const { value: pod, findings } = decodePod(object, context);
  if (pod === undefined) return { value: undefined, findings };
  const root = rootField(object);
  const stored = readStored(member(root, 'metadata'));
  const spec = member(root, 'spec');
  const status = member(root, 'status');
  const conditions = elements(member(status, 'conditions'));
  const nominated = optionalText(member(status, 'nominatedNodeName')) ?? '';
  const grace = optionalInteger(member(spec, 'terminationGracePeriodSeconds'), -(2 ** 53), 2 ** 53);
  const { labels } = pod.spec;
  // Spelled out: V8 makes objects with a leading spread many times slower, and there are tens of thousands of them.
  const value: ObservedPod = {
    // The text of the shared spec.
    namespace: pod.spec.namespace,
    name: pod.name,
    uid: pod.uid,
    spec: pod.spec,
    owner: pod.owner,
    nodeName: pod.nodeName,
    phase: pod.phase,
    schedulingGated: pod.schedulingGated,
    awaitsPlace: pod.awaitsPlace,
    pinnedTo: pod.pinnedTo,
    mirror: pod.mirror,
    terminating: pod.terminating,
    annotations: readAnnotations(pod.annotations),
    isAnnotated: pod.annotations.size > 0,
    gang: pod.gang,
    resourceVersion: stored.resourceVersion,
    createdAt: stored.createdAt,
    startedAt: readTime(member(status, 'startTime')),
    deletionTimestamp: stored.deletionTimestamp,
    scheduled: readScheduled(conditions),
    resizeDeferred: isResizeDeferred(status.value),
    nominatedNodeName: nominated === '' ? undefined : nominated,
    toleratedHolds: holdsOf(object),
    ready: isConditionTrue(conditions, 'Ready'),
    restarts: restartsOf(status.value),
    // The API server reads a negative period as one second.
    terminationGracePeriodSeconds: grace === undefined ? DEFAULT_GRACE_SECONDS : grace < 0 ? 1 : grace,
    priorityClassName: optionalText(member(spec, 'priorityClassName')),
    templateHash: labels.get(POD_TEMPLATE_HASH) ?? labels.get(CONTROLLER_REVISION_HASH) ?? '',
  };
  return { value, findings: root.findings.length === 0 ? findings : [...findings, ...root.findings] };
}

function readAnnotations(annotations: Labels): Labels {
  let kept: Map<string, string> | undefined;
  for (const [key, value] of annotations)
    if (READ_ANNOTATIONS.test(key)) (kept ??= new Map<string, string>()).set(key, value);
  return kept ?? NO_LABELS;
}

/** Of all pods that run: one object. */
const SCHEDULED: ScheduledCondition = { status: true, reason: '', message: '' };

function readScheduled(conditions: readonly Field[]): ScheduledCondition | undefined {
  const condition = conditions.find((item) => member(item, 'type').value === 'PodScheduled');
  if (condition === undefined) return undefined;
  const status = member(condition, 'status').value === 'True';
  const reason = optionalText(member(condition, 'reason')) ?? '';
  const message = optionalText(member(condition, 'message')) ?? '';
  return status && reason === '' && message === '' ? SCHEDULED : { status, reason, message };
}

/** Read without Fields: of each of tens of thousands of pods. */
function restartsOf(status: unknown): number {
  const { containerStatuses } = (status ?? {}) as { readonly containerStatuses?: unknown };
  if (!Array.isArray(containerStatuses)) return 0;
  let restarts = 0;
  for (const container of containerStatuses as readonly ({ readonly restartCount?: unknown } | null)[]) {
    const count = container?.restartCount;
    if (typeof count === 'number' && Number.isFinite(count)) restarts += count;
  }
  return restarts;
}

/** Read without Fields, too (KEP-1287). */
function isResizeDeferred(status: unknown): boolean {
  const { conditions } = (status ?? {}) as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return false;
  for (const condition of conditions as readonly (Readonly<Record<string, unknown>> | null)[])
    if (condition?.['type'] === 'PodResizePending')
      return condition['status'] === 'True' && condition['reason'] === 'Deferred';
  return false;
}

/** Whether status.conditions say that this one holds. */
export function isConditionTrue(conditions: readonly Field[], type: string): boolean {
  return conditions.some(
    (item) => member(item, 'type').value === type && member(item, 'status').value === 'True',
  );
}

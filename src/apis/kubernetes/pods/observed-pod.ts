/** V1Pod of the API server → domain: what scheduling sees, and what controllers need to know besides. */
import type { ObservedPod, ScheduledCondition } from '../../../domain/pods/observed-pod.js';
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
    namespace: pod.namespace,
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
    annotations: pod.annotations,
    gang: pod.gang,
    resourceVersion: stored.resourceVersion,
    createdAt: stored.createdAt,
    startedAt: readTime(member(status, 'startTime')),
    deletionTimestamp: stored.deletionTimestamp,
    scheduled: readScheduled(conditions),
    nominatedNodeName: nominated === '' ? undefined : nominated,
    toleratedHolds: holdsOf(object),
    ready: isConditionTrue(conditions, 'Ready'),
    // The API server reads a negative period as one second.
    terminationGracePeriodSeconds: grace === undefined ? DEFAULT_GRACE_SECONDS : grace < 0 ? 1 : grace,
    priorityClassName: optionalText(member(spec, 'priorityClassName')),
    templateHash: labels.get(POD_TEMPLATE_HASH) ?? labels.get(CONTROLLER_REVISION_HASH) ?? '',
  };
  return { value, findings: root.findings.length === 0 ? findings : [...findings, ...root.findings] };
}

function readScheduled(conditions: readonly Field[]): ScheduledCondition | undefined {
  const condition = conditions.find((item) => member(item, 'type').value === 'PodScheduled');
  if (condition === undefined) return undefined;
  return {
    status: member(condition, 'status').value === 'True',
    reason: optionalText(member(condition, 'reason')) ?? '',
    message: optionalText(member(condition, 'message')) ?? '',
  };
}

/** Whether status.conditions say that this one holds. */
export function isConditionTrue(conditions: readonly Field[], type: string): boolean {
  return conditions.some(
    (item) => member(item, 'type').value === type && member(item, 'status').value === 'True',
  );
}

/** Pods whose in-place resize is Deferred, since their node has no room for it, and that ask to move to another node for it (KEP-1287). */
import type { ResourceList } from '../values/resources.js';
import type { ObservedPod } from './observed-pod.js';
import { isMovable } from './movable-pods.js';

/** On pods: with `"true"` the pod is evicted for the sake of its Deferred resize, once room for what it asks for is held elsewhere. */
const MOVE_ANNOTATION = 'berth.sh/move-deferred-resize';
/** On the pod that comes in the place of one that was moved for its resize: what that one asked for (JSON, requests by resource). */
export const MOVED_FOR_ANNOTATION = 'berth.sh/moved-for-resize';

type Resizing = Pick<ObservedPod, 'resizeDeferred' | 'annotations' | 'nodeName'>;

/** Whether the pod waits for a resize that its node has no room for, and is to move for it. */
export function asksToMove({ resizeDeferred, annotations, nodeName }: Resizing): boolean {
  return resizeDeferred && nodeName !== undefined && annotations.get(MOVE_ANNOTATION) === 'true';
}

/** Whether such a pod may still leave its node, and none before it was moved for as much as it asks for: it is not moved twice for one cause. */
export function mayMoveForResize(pod: ObservedPod): boolean {
  return asksToMove(pod) && isMovable(pod) && !pod.terminating && !wasMovedFor(pod);
}

/** The value of the annotation for the pod that comes in the place of one with these requests. */
export function movedForText(requests: ResourceList): string {
  return JSON.stringify(Object.fromEntries([...requests].sort(([left], [right]) => (left < right ? -1 : 1))));
}

/** What is not readable says nothing. */
function wasMovedFor({ annotations, spec }: Pick<ObservedPod, 'annotations' | 'spec'>): boolean {
  const text = annotations.get(MOVED_FOR_ANNOTATION);
  if (text === undefined) return false;
  try {
    const before = (JSON.parse(text) ?? {}) as Readonly<Record<string, unknown>>;
    return [...spec.requests].every(([resource, amount]) => amount <= Number(before[resource] ?? 0));
  } catch {
    return false;
  }
}

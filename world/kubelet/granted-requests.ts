/** What a kubelet has granted its pods: an in-place resize that its node has no room for is Deferred, and granted once there is (KEP-1287). */
import { parseAmount } from '../../src/domain/values/resources.js';
import { isSameMap } from '../../src/domain/values/same.js';
import { withCondition } from '../cluster/conditions.js';
import type { Pod, PodStatus, Quantities } from '../cluster/objects.js';
import { grantedResources } from './pod-status.js';
import { addTo, podRequests, type Amounts } from '../scheduler/filters/pod-requests.js';

export const RESIZE_PENDING = 'PodResizePending';

/** Pods of one node; those that have ended, or have no container yet, are none. */
export class GrantedRequests {
  readonly #allocatable: () => Quantities;
  /** By the pod's uid. */
  readonly #granted = new Map<string, Amounts>();

  constructor(allocatable: () => Quantities) {
    this.#allocatable = allocatable;
  }

  /** The pod begins with what it asks for. */
  begin(pod: Pod): void {
    this.#granted.set(pod.metadata.uid, podRequests(pod));
  }

  forget({ metadata: { uid } }: Pod): void {
    this.#granted.delete(uid);
  }

  /** The resource that there is too little of for the pod beside what others were granted; undefined when there is enough. */
  lacking(pod: Pod): string | undefined {
    const wanted = podRequests(pod);
    const used = new Map(wanted);
    for (const [uid, amounts] of this.#granted) if (uid !== pod.metadata.uid) addTo(used, amounts);
    return Object.entries(this.#allocatable()).find(
      ([name, text]) => wanted.has(name) && (used.get(name) ?? 0) > parseAmount(name, String(text)),
    )?.[0];
  }

  /** What becomes of the resize that a pod which runs asks for; undefined where nothing is to be said of it. */
  answer(pod: Pod): ResizeAnswer | undefined {
    const granted = this.#granted.get(pod.metadata.uid);
    if (granted === undefined) return undefined;
    const isPending = pod.status?.conditions?.some(({ type }) => type === RESIZE_PENDING) === true;
    const isAsked = !isSameMap(granted, podRequests(pod));
    const lacking = isAsked ? this.lacking(pod) : undefined;
    if (lacking !== undefined) return isPending ? undefined : { lacking };
    if (isAsked) this.begin(pod);
    return isAsked || isPending ? { lacking } : undefined;
  }
}

/** `lacking`: the resource that the node has too little of; undefined where the resize is granted. */
export interface ResizeAnswer {
  readonly lacking: string | undefined;
}

/** The pod's status with the answer. */
export function resizedStatus({ spec, status = {} }: Pod, { lacking }: ResizeAnswer, now: number): PodStatus {
  if (lacking !== undefined) {
    const message = `Node didn't have enough resource: ${lacking}`;
    const deferred = { type: RESIZE_PENDING, status: 'True', reason: 'Deferred', message };
    return { ...status, conditions: withCondition(status.conditions, deferred, now) };
  }
  const resources = new Map(
    spec.containers.map((container) => [container.name, grantedResources(container)]),
  );
  const statuses = (status['containerStatuses'] ?? []) as readonly { readonly name: string }[];
  return {
    ...status,
    conditions: (status.conditions ?? []).filter(({ type }) => type !== RESIZE_PENDING),
    containerStatuses: statuses.map((each) => ({ ...each, ...resources.get(each.name) })),
  };
}

/** The pods that a ProvisioningRequest is about, before they exist. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PodTemplate } from '../../domain/pods/pod-template.js';
import {
  BOOKED_REASON,
  MOST_REQUESTED_PODS,
  requestOwner,
  type ProvisioningRequest,
} from '../../domain/pods/provisioning-request.js';
import type { ReservationEntry } from '../../domain/records/reservation.js';
import { addEntries } from '../reservations/moved-room.js';

/** No pod can be called so: no name has this sign. */
const NUMBER_SIGN = '#';

export type RequestedPods =
  /** By pod set. */
  | { readonly kind: 'pods'; readonly sets: readonly (readonly ObservedPod[])[] }
  /** Name of a PodTemplate that is not there (yet). */
  | { readonly kind: 'missing'; readonly template: string }
  /** Why there will be none: a sentence without its full stop. */
  | { readonly kind: 'refused'; readonly why: string };

/** `templateOf`: by `namespace/name`. */
export function requestedPods(
  request: ProvisioningRequest,
  templateOf: (key: string) => PodTemplate | undefined,
): RequestedPods {
  const { namespace, podSets } = request;
  const total = podSets.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return { kind: 'refused', why: 'it asks for no pods' };
  if (total > MOST_REQUESTED_PODS)
    return {
      kind: 'refused',
      why: `it asks for ${String(total)} pods, and at most ${String(MOST_REQUESTED_PODS)} are planned together`,
    };
  const sets: (readonly ObservedPod[])[] = [];
  for (const [set, { template: name, count }] of podSets.entries()) {
    const template = templateOf(`${namespace}/${name}`);
    if (template === undefined) return { kind: 'missing', template: name };
    sets.push(
      Array.from({ length: count }, (_, index) =>
        requestedPod(request, template, `${String(set)}-${String(index)}`),
      ),
    );
  }
  return { kind: 'pods', sets };
}

/** It is placed for itself: all of them together are the request's own gang. */
function requestedPod(request: ProvisioningRequest, { pod }: PodTemplate, number: string): ObservedPod {
  const name = `${request.name}${NUMBER_SIGN}${number}`;
  return {
    ...pod,
    name,
    uid: `ProvisioningRequest/${request.namespace}/${name}`,
    owner: { kind: 'ProvisioningRequest', name: request.name },
    nodeName: undefined,
    phase: 'Pending',
    schedulingGated: false,
    awaitsPlace: false,
    gang: undefined,
    isAnnotated: false,
    resourceVersion: '',
    createdAt: request.createdAt,
    startedAt: undefined,
    deletionTimestamp: undefined,
    scheduled: undefined,
    nominatedNodeName: undefined,
    toleratedHolds: [],
    ready: false,
    restarts: 0,
    resizeDeferred: false,
    terminationGracePeriodSeconds: 30,
    priorityClassName: undefined,
    templateHash: '',
  };
}

/** Room for these pods of the request; `expiresAt` in milliseconds since 1970. */
export function bookedEntries(
  request: ProvisioningRequest,
  pods: readonly ObservedPod[],
  expiresAt: number,
): readonly ReservationEntry[] {
  const owner = requestOwner(request);
  return addEntries(
    [],
    pods.map(({ spec: { requests, priority } }) => ({
      ...{ podUID: undefined, owner, count: 1, requests, priority },
      ...{ reason: BOOKED_REASON, expiresAt },
    })),
  );
}

/** The name under which pods of one owner and template find the room that is held for them. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { CONSUMES_ANNOTATION, requestOwner } from '../../domain/pods/provisioning-request.js';
import type { ReservationOwner } from '../../domain/records/reservation.js';

/** Of the owner that a reservation's entry names. */
export function ownerKey(owner: ReservationOwner): string {
  return `${owner.kind}/${owner.namespace}/${owner.name}/${owner.templateHash}`;
}

/** Of the controller that made the pod; undefined for bare pods. */
export function ownerKeyOf(
  pod: Pick<ObservedPod, 'namespace' | 'owner' | 'templateHash'>,
): string | undefined {
  if (pod.owner === undefined) return undefined;
  return `${pod.owner.kind}/${pod.namespace}/${pod.owner.name}/${pod.templateHash}`;
}

/** Of the ProvisioningRequest whose room the pod is to have; undefined for nearly all pods. */
export function requestKeyOf({
  namespace,
  annotations,
}: Pick<ObservedPod, 'namespace' | 'annotations'>): string | undefined {
  const name = annotations.get(CONSUMES_ANNOTATION);
  return name === undefined ? undefined : ownerKey(requestOwner({ namespace, name }));
}

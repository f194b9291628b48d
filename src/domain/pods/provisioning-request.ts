/**
 * ProvisioningRequests (autoscaling.x-k8s.io): room for pods that do not exist yet, as Kueue asks for it before it lets a
 * workload go. What the classes, parameters, conditions and reasons mean is the Cluster Autoscaler's.
 */
import type { ReservationOwner } from '../records/reservation.js';
import { isTrue, type Condition } from '../values/condition.js';

/** So many pods of one PodTemplate of the request's namespace. */
export interface RequestedPodSet {
  readonly template: string;
  readonly count: number;
}

export interface ProvisioningRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** In milliseconds since 1970, 0 for an object that was not stored. */
  readonly createdAt: number;
  readonly generation: number;
  /** `autoscaling.x-k8s.io/v1`: in which version it is read and written. */
  readonly apiVersion: string;
  readonly className: string;
  readonly podSets: readonly RequestedPodSet[];
  /** How long Berth tries, in seconds from its creation. */
  readonly validSeconds: number;
  /** Whether one look is all that is asked for. */
  readonly noRetry: boolean;
  /** Of check-capacity: whether each pod set counts for itself; undefined: there is room for all pods, or for none. */
  readonly partialCheck: PartialCheck | undefined;
  /** Of check-capacity: name of the instance that is to answer; '' where it names none. */
  readonly processorInstance: string;
  readonly conditions: readonly Condition[];
  /** JSON list of the templates that there is room for, as its status has it; undefined where it has none. */
  readonly schedulablePodSets: string | undefined;
}

/** What a request's status says. */
export type RequestStatus = Pick<ProvisioningRequest, 'conditions' | 'schedulablePodSets'>;

/** bookPartial: holds the room of the pod sets that there is room for. checkOnly: says which these are, and holds it for all only. */
export const PARTIAL_CHECKS = ['bookPartial', 'checkOnly'] as const;
export type PartialCheck = (typeof PARTIAL_CHECKS)[number];

/** Says whether there is room now, and books it. */
export const CHECK_CAPACITY = 'check-capacity.autoscaling.x-k8s.io';
/** Launches nodes for what there is no room for: for all the pods, or for none. */
export const ATOMIC_SCALE_UP = 'best-effort-atomic-scale-up.autoscaling.x-k8s.io';
/** On a pod: the request, of its namespace, whose room it is to have. */
export const CONSUMES_ANNOTATION = 'autoscaling.x-k8s.io/consume-provisioning-request';

/** Room is booked for so long. */
export const BOOKED_MILLIS = 600_000;
/** Cluster Autoscaler's default of ValidUntilSeconds: seven days. */
export const VALID_SECONDS = 604_800;
/** More are refused: each is a pod for planning. */
export const MOST_REQUESTED_PODS = 5000;

/** Why room is held for a request. */
export const BOOKED_REASON = 'Booked';
/** Kind of the owner that room is held for. */
const OWNER_KIND = 'ProvisioningRequest';

/**
 * Whether the instance of this name, '' for none, answers the request. One with a name answers checks of capacity that name it, and
 * nothing else (Cluster Autoscaler's --check-capacity-processor-instance).
 */
export function isAnsweredBy(
  { className, processorInstance }: Pick<ProvisioningRequest, 'className' | 'processorInstance'>,
  instance: string,
): boolean {
  if (className === ATOMIC_SCALE_UP) return instance === '';
  return className === CHECK_CAPACITY && processorInstance === instance;
}

/** Ended: nothing is done for it any more. */
export type RequestStage = 'Waiting' | 'Provisioned' | 'Ended';

export function requestStage({ conditions }: Pick<ProvisioningRequest, 'conditions'>): RequestStage {
  const ends = ['Failed', 'BookingExpired', 'CapacityRevoked'];
  if (ends.some((type) => isTrue(conditions, type))) return 'Ended';
  return isTrue(conditions, 'Provisioned') ? 'Provisioned' : 'Waiting';
}

/** For whom room of the request is held. */
export function requestOwner({
  namespace,
  name,
}: Pick<ProvisioningRequest, 'namespace' | 'name'>): ReservationOwner {
  return { kind: OWNER_KIND, namespace, name, templateHash: '' };
}

/** Whether room is held for a request. */
export function isRequestOwner(owner: ReservationOwner | undefined): owner is ReservationOwner {
  return owner?.kind === OWNER_KIND;
}

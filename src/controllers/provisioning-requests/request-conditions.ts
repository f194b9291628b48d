/** What the status of ProvisioningRequests says: Cluster Autoscaler's conditions and reasons, which Kueue and people know. */
import { CHECK_CAPACITY, type ProvisioningRequest } from '../../domain/pods/provisioning-request.js';
import type { Condition } from '../../domain/values/condition.js';
import { counted } from '../../domain/values/text.js';
import { describeReason } from '../../planning/describe-reason.js';
import type { Plan } from '../../planning/plan.js';

/** A condition without its time. */
export type Told = Omit<Condition, 'lastTransitionTime'>;

export const ACCEPTED: Told = {
  type: 'Accepted',
  status: 'True',
  reason: 'Accepted',
  message: 'Berth looks for room for its pods',
};

export const EXPIRED: Told = {
  type: 'Failed',
  status: 'True',
  reason: 'Expired',
  message: 'there was no room for its pods until the time that it gives (ValidUntilSeconds) was over',
};

export const BOOKING_EXPIRED: Told = {
  type: 'BookingExpired',
  status: 'True',
  reason: 'CapacityReservationTimeExpired',
  message: 'the ten minutes for which room is held are over; pods that come now are planned as any others',
};

export function templateMissing(template: string): Told {
  const message = `PodTemplate ${template} does not exist in its namespace; create it`;
  return { type: 'Accepted', status: 'False', reason: 'PodTemplateNotFound', message };
}

export function podsRefused(why: string): Told {
  return { type: 'Failed', status: 'True', reason: 'FailedToCreatePods', message: why };
}

export function provisioned(pods: number, hasLaunched: boolean): Told {
  const room = `room for ${counted(pods, 'pod')} is held for ten minutes`;
  return hasLaunched
    ? {
        type: 'Provisioned',
        status: 'True',
        reason: 'CapacityIsProvisioned',
        message: `nodes were launched: ${room}`,
      }
    : {
        type: 'Provisioned',
        status: 'True',
        reason: 'CapacityIsFound',
        message: `the cluster has room: ${room}`,
      };
}

/** Of a check of capacity by pod set: `fitting` are the templates that there is room for. */
export function partlyFound(fitting: readonly string[], pods: number, isBooked: boolean): Told {
  const names = fitting.join(', ');
  const held = isBooked
    ? `room for ${counted(pods, 'pod')} is held for ten minutes`
    : 'none is held (partialCapacityCheck: checkOnly); Berth will try again';
  return {
    type: 'Provisioned',
    status: isBooked ? 'True' : 'False',
    reason: 'PartialCapacityIsFound',
    message: `the cluster has room for the pod sets of the templates ${names} only: ${held}`,
  };
}

export function notLaunchedYet(pods: number): Told {
  const message = `nodes are being launched for ${counted(pods, 'pod')}`;
  return { type: 'Provisioned', status: 'False', reason: 'CapacityIsBeingProvisioned', message };
}

/** Kueue takes Failed for the end of this request, and makes another later. */
export function notFound(
  { className, noRetry }: ProvisioningRequest,
  { unschedulable }: Pick<Plan, 'unschedulable'>,
  total: number,
  needsApproval: boolean,
): Told {
  const isCheck = className === CHECK_CAPACITY;
  const what = `there is no room for ${String(unschedulable.length)} of ${counted(total, 'pod')}`;
  const message = `${what}${whyNot(unschedulable, isCheck, needsApproval)}`;
  const reason = 'CapacityIsNotFound';
  if (isCheck && noRetry) return { type: 'Failed', status: 'True', reason, message };
  return { type: 'Provisioned', status: 'False', reason, message: `${message}; Berth will try again` };
}

function whyNot(unschedulable: Plan['unschedulable'], isCheck: boolean, needsApproval: boolean): string {
  if (isCheck) return ' on the nodes that there are';
  if (needsApproval)
    return ' on the nodes that there are, and none is launched without approval (--mode approve)';
  const [first] = unschedulable.flatMap(({ reasons }) => reasons);
  return first === undefined ? '' : `: ${describeReason(first.reason)}`;
}

export function capacityRevoked(target: string): Told {
  return {
    type: 'CapacityRevoked',
    status: 'True',
    reason: 'RoomLost',
    message: `room that was held on ${target} is gone; pods that come now are planned as any others`,
  };
}

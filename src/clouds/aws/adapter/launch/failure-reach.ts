/** How far each of EC2's reasons for not launching an offering reaches: one table. */
import type { FailureReach } from '../../../../ports/cloud.js';

/** Error codes as CreateFleet gives them; those not listed are about the offering. */
const REACH: ReadonlyMap<string, FailureReach> = new Map<string, FailureReach>([
  ['InsufficientFreeAddressesInSubnet', 'zone'],
  ['MaxSpotInstanceCountExceeded', 'capacity-type'],
  ['AuthFailure.ServiceLinkedRoleCreationNotPermitted', 'capacity-type'],
  ['RequestLimitExceeded', 'none'],
  // The call itself is wrong, not the offering: a right that is missing, a profile that IAM does not show yet.
  ['UnauthorizedOperation', 'none'],
  ['InvalidParameterValue', 'none'],
  ['InternalError', 'none'],
  ['Unavailable', 'none'],
]);

/** A launch template, image or subnet that is gone is nothing that another offering has. */
export function reachOf(code: string): FailureReach {
  return REACH.get(code) ?? (code.endsWith('NotFound') ? 'none' : 'offering');
}

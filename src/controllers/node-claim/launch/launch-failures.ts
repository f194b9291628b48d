/** What the cloud's reasons for not launching an offering mean: one table, by effect. */
import type { LaunchOverride, LaunchRequest } from '../../../domain/nodes/node-claim.js';
import type { LaunchFailure } from '../../../ports/cloud.js';
import type { UnavailableOffering } from '../../../state/nodes/unavailable-offerings.js';

/**
 * What is unavailable for a while: that offering, its zone, its capacity type; or nothing, if the call was only too early.
 */
type Reach = 'offering' | 'zone' | 'capacity-type' | 'nothing';

/** EC2's error codes as CreateFleet gives them; those not listed are about the offering. */
const REACH: ReadonlyMap<string, Reach> = new Map<string, Reach>([
  ['InsufficientFreeAddressesInSubnet', 'zone'],
  ['MaxSpotInstanceCountExceeded', 'capacity-type'],
  ['AuthFailure.ServiceLinkedRoleCreationNotPermitted', 'capacity-type'],
  ['RequestLimitExceeded', 'nothing'],
  // The call itself is wrong, not the offering: a right that is missing, a profile that IAM does not show yet.
  ['Invalid', 'nothing'],
  ['Forbidden', 'nothing'],
  ['UnauthorizedOperation', 'nothing'],
  ['InvalidParameterValue', 'nothing'],
  ['InternalError', 'nothing'],
  ['Unavailable', 'nothing'],
]);

/**
 * What not to ask for again for a while, after an answer with too few instances. Where the cloud blames nothing, it is
 * everything that was asked for, so that the next attempt is another one.
 */
export function unavailableAfter(
  { capacityType, overrides }: LaunchRequest,
  failures: readonly LaunchFailure[],
): readonly UnavailableOffering[] {
  if (failures.length === 0)
    return overrides.map(({ instanceType, zone }) => ({ instanceType, zone, capacityType }));
  return failures.flatMap((failure): readonly UnavailableOffering[] => {
    const { instanceType, zone } = failure;
    switch (reachOf(failure.code)) {
      case 'offering':
        return [{ instanceType, zone, capacityType: failure.capacityType }];
      case 'zone':
        return [{ zone }];
      case 'capacity-type':
        return [{ capacityType: failure.capacityType }];
      case 'nothing':
        return [];
    }
  });
}

/** A launch template, image or subnet that is gone is nothing that another offering has. */
function reachOf(code: string): Reach {
  return REACH.get(code) ?? (code.endsWith('NotFound') ? 'nothing' : 'offering');
}

/** The failures in one sentence: each code with how many offerings it stopped, and why, where all say the same. */
export function describeFailures(failures: readonly LaunchFailure[]): string {
  if (failures.length === 0) return 'the cloud provider launched no instance and returned no error';
  const counts = new Map<string, number>();
  for (const { code } of failures) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = [...counts].map(([code, count]) => `${code} (${String(count)} offerings)`).join(', ');
  const [message = '', ...others] = new Set(failures.map((failure) => failure.message));
  return counts.size > 1 || others.length > 0 || message === '' ? codes : `${codes}: ${message}`;
}

/** The same complaint about every offering of a request: what a call that failed as a whole amounts to. */
export function allFailed(
  { capacityType, overrides }: LaunchRequest,
  code: string,
  message: string,
): readonly LaunchFailure[] {
  return overrides.map(({ instanceType, zone }: LaunchOverride) => ({
    instanceType,
    zone,
    capacityType,
    code,
    message,
  }));
}

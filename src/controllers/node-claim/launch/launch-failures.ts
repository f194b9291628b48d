/** What failures of a launch mean for the next attempt, and in words. */
import type { LaunchOverride, LaunchRequest } from '../../../domain/nodes/node-claim.js';
import type { LaunchFailure } from '../../../ports/cloud.js';
import type { PortErrorCode } from '../../../ports/port-error.js';
import type { UnavailableOffering } from '../../../state/nodes/unavailable-offerings.js';

/** Errors of a whole call that say nothing of an offering: the call itself is wrong, or was too early. */
const OF_THE_CALL: ReadonlySet<PortErrorCode> = new Set(['Invalid', 'Forbidden', 'NotFound', 'Unavailable']);

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
    switch (failure.reach) {
      case 'offering':
        return [{ instanceType, zone, capacityType: failure.capacityType }];
      case 'zone':
        return [{ zone }];
      case 'capacity-type':
        return [{ capacityType: failure.capacityType }];
      case 'none':
        return [];
    }
  });
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
  code: PortErrorCode,
  message: string,
): readonly LaunchFailure[] {
  const reach = OF_THE_CALL.has(code) ? 'none' : 'offering';
  return overrides.map(({ instanceType, zone }: LaunchOverride) => ({
    instanceType,
    zone,
    capacityType,
    code,
    message,
    reach,
  }));
}

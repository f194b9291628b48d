/** When the cloud takes an instance in any case, as the condition Interrupted of its claim says. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { RESERVATION_WARNING_MILLIS } from '../../ports/reservation-ends.js';

/** How long before clouds warn of it, by the reason of the condition. */
const WARNING_MILLIS: ReadonlyMap<string, number> = new Map([
  ['SpotInterruption', 120_000],
  ['CapacityBlockEnding', RESERVATION_WARNING_MILLIS],
]);

/** In milliseconds since 1970, as all times here; undefined where that is not known. */
export function takenBackAt({ status }: NodeClaim): number | undefined {
  const warned = status.conditions.find(({ type }) => type === 'Interrupted');
  return warned?.status === 'True' ? takenAfter(warned.reason, warned.lastTransitionTime) : undefined;
}

/** The same by a warning for this reason, given at that time. */
export function takenAfter(reason: string, warnedAt: number): number | undefined {
  const warning = WARNING_MILLIS.get(reason);
  return warning === undefined ? undefined : warnedAt + warning;
}

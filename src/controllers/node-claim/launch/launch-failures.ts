/** What failures of a launch mean for the next attempt, and in words. */
import type { LaunchOverride, LaunchRequest, NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { FailureReach, LaunchFailure } from '../../../ports/cloud.js';
import type { PortErrorCode } from '../../../ports/port-error.js';
import {
  CAPACITY_RESERVATION_ID,
  NO_LABELS,
  PLACEMENT_GROUP_ID,
  type Labels,
} from '../../../domain/values/labels.js';
import { inParallel } from '../../../runtime/concurrency/in-parallel.js';
import type {
  UnavailableOffering,
  UnavailableReservation,
} from '../../../state/nodes/unavailable-offerings.js';
import { endClaim } from '../end-claim.js';
import type { LifecycleContext } from '../lifecycle-context.js';
import type { ClaimNews } from '../record-claim.js';

type Unavailable = UnavailableOffering | UnavailableReservation;

/** How far the refusal of a whole call reaches; others are about what was asked for. A call is about one NodePool. */
const REACH_OF_CALL: ReadonlyMap<PortErrorCode, FailureReach> = new Map<PortErrorCode, FailureReach>([
  ['Invalid', 'pool'],
  ['Forbidden', 'pool'],
  ['NotFound', 'pool'],
  ['Unavailable', 'none'],
]);

/**
 * A NodePool that nothing can be launched of keeps a claim for so long: what was created a moment ago (an instance profile, a
 * security group, a permission) may not be visible to the cloud provider's other services yet.
 */
const POOL_PATIENCE_MILLIS = 15_000;

/**
 * What not to ask for again for a while, after an answer with too few instances. Where the cloud blames nothing, it is
 * everything that was asked for, so that the next attempt is another one. `labels`: those of the claims. What is out of stock in their
 * placement group may be available elsewhere, and a capacity reservation that is full says nothing of others.
 */
export function unavailableAfter(
  { capacityType, overrides }: LaunchRequest,
  failures: readonly LaunchFailure[],
  labels: Labels = NO_LABELS,
): readonly Unavailable[] {
  const placementGroup = labels.get(PLACEMENT_GROUP_ID);
  const reservation = capacityType === 'reserved' ? labels.get(CAPACITY_RESERVATION_ID) : undefined;
  const outOfStock = ({ instanceType, zone }: Pick<LaunchFailure, 'instanceType' | 'zone'>): Unavailable =>
    reservation === undefined
      ? { instanceType, zone, capacityType, ...(placementGroup !== undefined && { placementGroup }) }
      : { reservation };
  if (failures.length === 0) return overrides.map(outOfStock);
  return failures.flatMap((failure): readonly Unavailable[] => {
    const { zone } = failure;
    switch (failure.reach) {
      case 'offering':
        return [outOfStock(failure)];
      case 'zone':
        return [{ zone }];
      case 'capacity-type':
        return [{ capacityType: failure.capacityType }];
      case 'pool':
      case 'none':
        return [];
    }
  });
}

/** Whether the NodePool is to blame, and not one of its offerings, which the next attempt would leave out. */
export function isOfPool(failures: readonly LaunchFailure[]): boolean {
  return (
    failures.some(({ reach }) => reach === 'pool') &&
    failures.every(({ reach }) => reach === 'pool' || reach === 'none')
  );
}

/**
 * Nothing can be launched of the claims' NodePool: once one of them has waited long enough, plans leave the NodePool out for a
 * while, and the claims end, so that other NodePools serve their pods. Answers whether that is so.
 */
export async function giveUpPool(
  context: LifecycleContext,
  claims: readonly NodeClaim[],
  why: string,
  signal: AbortSignal,
): Promise<boolean> {
  const now = context.clock.now();
  const [first] = claims;
  const oldest = Math.min(...claims.map(({ createdAt }) => createdAt));
  if (first === undefined || now - oldest < POOL_PATIENCE_MILLIS) return false;
  const { nodePool } = first.spec;
  context.unavailableOfferings.markPool(nodePool, why, now);
  context.logger.warn('Stopped planning with the NodePool for a minute', { nodePool, detail: why });
  const message = `nothing can be launched of NodePool ${nodePool}: ${why}`;
  const news: ClaimNews = { action: 'Launch', reason: 'LaunchFailed', message, event: 'Warning' };
  await inParallel(claims, (claim) => endClaim(context, claim, news, signal));
  return true;
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
  const reach = REACH_OF_CALL.get(code) ?? 'offering';
  return overrides.map(({ instanceType, zone }: LaunchOverride) => ({
    instanceType,
    zone,
    capacityType,
    code,
    message,
    reach,
  }));
}

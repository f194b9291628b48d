/** Ends a claim: writes the reason to it, deletes it, and records a Decision. */
import { isChangingHands } from '../../domain/nodes/handover.js';
import type { ClaimDisruption, NodeClaim } from '../../domain/nodes/node-claim.js';
import { countDisrupted } from '../count-disrupted.js';
import { is } from './claim-conditions.js';
import type { LifecycleContext } from './lifecycle-context.js';
import { recordClaim, settleClaim, type ClaimNews } from './record-claim.js';

export type EndContext = Pick<
  LifecycleContext,
  'cluster' | 'clock' | 'recorder' | 'metrics' | 'writer' | 'logger'
>;

/**
 * What happens next is termination's: the claim goes once it is known to have no instance. `terminationGracePeriodSeconds`: the most
 * that its pods may take to leave it, where that is less than usual.
 */
export async function endClaim(
  { cluster, clock, recorder, metrics, writer, logger }: EndContext,
  { name }: NodeClaim,
  news: ClaimNews & Pick<ClaimDisruption, 'terminationGracePeriodSeconds'>,
  signal: AbortSignal,
): Promise<void> {
  const { reason, message, terminationGracePeriodSeconds } = news;
  // As it is now: the caller may have changed it since it looked.
  let claim = cluster.nodeClaims.get(name);
  if (claim === undefined || claim.deletionTimestamp !== undefined || isChangingHands(claim)) return;
  if (claim.status.disruption === undefined) {
    const disruption = { reason, decidedAt: clock.now(), terminationGracePeriodSeconds };
    claim = await writer.updateStatus(claim, { disruption }, signal);
    countDisrupted({ cluster, metrics }, claim, reason);
  }
  // Reported once it is done. What fails is done, and reported, by the next attempt.
  if (!(await writer.deleteClaim(claim, signal))) return;
  logger.info('Deleted NodeClaim', { nodeClaim: name, reason, detail: message });
  if (!is(claim, 'Launched')) settleClaim(recorder, claim, 'Place', `failed: ${reason}`);
  else if (!is(claim, 'Initialized')) settleClaim(recorder, claim, 'Launch', `failed: ${reason}`);
  recordClaim(recorder, claim, news);
}

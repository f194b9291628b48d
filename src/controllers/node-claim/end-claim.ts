/** Ends a claim: writes the reason to it, deletes it, and records a Decision. */
import { isChangingHands } from '../../domain/nodes/handover.js';
import { drainSeconds, type ClaimDisruption, type NodeClaim } from '../../domain/nodes/node-claim.js';
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
 * that its pods may take to leave it, where that is less than usual; it counts for a claim that goes already, too.
 */
export async function endClaim(
  context: EndContext,
  { name }: NodeClaim,
  news: EndNews,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, recorder, writer, logger } = context;
  const { reason, message } = news;
  // As it is now: the caller may have changed it since it looked.
  const known = cluster.nodeClaims.get(name);
  if (known === undefined || isChangingHands(known)) return;
  const isGoing = known.deletionTimestamp !== undefined;
  if (isGoing && !hurries(news, known)) return;
  const claim = await marked(context, known, news, signal);
  // Reported once it is done. What fails is done, and reported, by the next attempt.
  if (!isGoing && !(await writer.deleteClaim(claim, signal))) return;
  const done = isGoing ? 'Hurried the end of NodeClaim' : 'Deleted NodeClaim';
  logger.info(done, { nodeClaim: name, reason, detail: message });
  if (!is(claim, 'Launched')) settleClaim(recorder, claim, 'Place', `failed: ${reason}`);
  else if (!is(claim, 'Initialized')) settleClaim(recorder, claim, 'Launch', `failed: ${reason}`);
  recordClaim(recorder, claim, news);
}

type EndNews = ClaimNews & Pick<ClaimDisruption, 'terminationGracePeriodSeconds'>;

/** Whether its pods have less time by this than they have had. */
function hurries({ terminationGracePeriodSeconds = Infinity }: EndNews, claim: NodeClaim): boolean {
  return (
    terminationGracePeriodSeconds < (drainSeconds(claim) ?? Infinity) && !is(claim, 'InstanceTerminating')
  );
}

/** The claim with the reason for which it goes, which stays the first, and with the least time for its pods. */
async function marked(
  { cluster, clock, metrics, writer }: EndContext,
  claim: NodeClaim,
  news: EndNews,
  signal: AbortSignal,
): Promise<NodeClaim> {
  const { reason, terminationGracePeriodSeconds } = news;
  const { disruption } = claim.status;
  if (disruption !== undefined) {
    if (!hurries(news, claim)) return claim;
    const hurried = { ...disruption, terminationGracePeriodSeconds };
    return writer.updateStatus(claim, { disruption: hurried }, signal);
  }
  const first = { reason, decidedAt: clock.now(), terminationGracePeriodSeconds };
  const written = await writer.updateStatus(claim, { disruption: first }, signal);
  countDisrupted({ cluster, metrics }, written, reason);
  return written;
}

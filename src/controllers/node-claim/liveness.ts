/** Liveness: a claim that has no instance, or whose instance never becomes a node, is given up and its pods are planned again. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import type { Requeue } from '../../runtime/concurrency/work-queue.js';
import { is, since } from './claim-conditions.js';
import { endClaim } from './end-claim.js';
import { PAUSE_LOOK_MILLIS } from '../safeguards/safeguards.js';
import type { LifecycleContext } from './lifecycle-context.js';

interface Deadline {
  readonly reason: EventReason<'Warning', 'NodeClaim'>;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Gives the claim up when it is late; otherwise says when to look again. */
export async function checkLiveness(
  context: LifecycleContext,
  claim: NodeClaim,
  signal: AbortSignal,
): Promise<Requeue | undefined> {
  const deadline = deadlineOf(context, claim);
  if (deadline === undefined) return undefined;
  // Nothing was launched meanwhile, and nothing may be ended.
  if (context.safeguards.isPaused()) return { requeueAfterMillis: PAUSE_LOOK_MILLIS };
  const left = deadline.at - context.clock.now();
  if (left > 0) return { requeueAfterMillis: left };
  const { reason, message } = deadline;
  await endClaim(context, claim, { action: 'Terminate', reason, message, event: 'Warning' }, signal);
  return undefined;
}

function deadlineOf({ settings }: LifecycleContext, claim: NodeClaim): Deadline | undefined {
  const launchedAt = is(claim, 'Launched') ? since(claim, 'Launched') : undefined;
  if (launchedAt === undefined) {
    const message = `no instance was launched within ${minutes(settings.launchMillis)}`;
    return { reason: 'LaunchTimeout', message, at: claim.createdAt + settings.launchMillis };
  }
  if (is(claim, 'Registered')) return undefined;
  const message = `the instance did not register as a node within ${minutes(settings.registrationMillis)}`;
  return { reason: 'RegistrationTimeout', message, at: launchedAt + settings.registrationMillis };
}

function minutes(millis: number): string {
  return `${String(Math.round(millis / 60_000))} minutes`;
}

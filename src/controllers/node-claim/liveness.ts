/**
 * Liveness: a claim that has no instance, or whose instance never becomes a node that is Ready, is given up and its pods are planned
 * again. Karpenter leaves a node that never becomes Ready to its repair, which a bad image stops (more than a fifth of the nodes).
 */
import { currentReboot } from '../../domain/nodes/claim-reboot.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { isBoundToItsNode } from '../../domain/pods/movable-pods.js';
import { isFinished } from '../../domain/pods/pod.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import type { Requeue } from '../../runtime/concurrency/work-queue.js';
import { is, since } from './claim-conditions.js';
import { endClaim } from './end-claim.js';
import { PAUSE_LOOK_MILLIS } from '../safeguards/safeguards.js';
import type { LifecycleContext } from './lifecycle-context.js';

/** Between two looks whether the pods have left a node that never became Ready. */
const PODS_LOOK_MILLIS = 60_000;

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

function deadlineOf(context: LifecycleContext, claim: NodeClaim): Deadline | undefined {
  const { settings } = context;
  const launchedAt = is(claim, 'Launched') ? since(claim, 'Launched') : undefined;
  if (launchedAt === undefined) {
    const message = `no instance was launched within ${minutes(settings.launchMillis)}`;
    return { reason: 'LaunchTimeout', message, at: claim.createdAt + settings.launchMillis };
  }
  if (is(claim, 'Registered')) return initializationDeadline(context, claim);
  const message = `the instance did not register as a node within ${minutes(settings.registrationMillis)}`;
  return { reason: 'RegistrationTimeout', message, at: launchedAt + settings.registrationMillis };
}

/** Only of a node that is not Ready and holds no pods: start-up taints and devices may take their time, and pods are repair's concern. */
function initializationDeadline(
  { cluster, clock, settings }: LifecycleContext,
  claim: NodeClaim,
): Deadline | undefined {
  const node = cluster.nodeOfClaim(claim.name);
  const registeredAt = since(claim, 'Registered');
  if (node === undefined || registeredAt === undefined || node.ready) return undefined;
  if (is(claim, 'Initialized') || currentReboot(claim) !== undefined) return undefined;
  const notReadySince = Math.max(registeredAt, node.readySince ?? 0);
  const message = `node ${node.name} registered, but was not Ready for ${minutes(settings.initializationMillis)}`;
  const at = notReadySince + settings.initializationMillis;
  const holdsPods = cluster.podsOn(node.name).some((pod) => !isBoundToItsNode(pod) && !isFinished(pod));
  return {
    ...{ reason: 'InitializationTimeout', message },
    at: holdsPods ? Math.max(at, clock.now() + PODS_LOOK_MILLIS) : at,
  };
}

function minutes(millis: number): string {
  return `${String(Math.round(millis / 60_000))} minutes`;
}

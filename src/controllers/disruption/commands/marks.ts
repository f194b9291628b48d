/**
 * The durable sign that a claim goes: written before anything else happens, so that extenders give its node no pods and a
 * restarted leader knows of it; then the taint karpenter.sh/disrupted on its node, for schedulers that do not ask an extender.
 * When the decision is given up the taint goes first: a node with the taint has a claim with the mark, wherever Berth was killed.
 */
import { currentReboot, withReboot } from '../../../domain/nodes/claim-reboot.js';
import { hasTaint } from '../../../domain/values/taint.js';
import { DISRUPTED_TAINT, type NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { OwnDecisionReason } from '../../../domain/records/decision-reasons.js';
import { hasCode } from '../../../ports/port-error.js';
import { tryInParallel } from '../../../runtime/concurrency/in-parallel.js';
import { isLeaving } from '../../../state/nodes/node-state.js';
import { withConditions } from '../../node-claim/claim-conditions.js';
import { recordClaim, settleClaim } from '../../node-claim/record-claim.js';
import type { Command } from './command.js';
import type { DisruptionContext } from '../passes/disruption-context.js';
import { counted } from '../../../domain/values/text.js';
import { methodOf } from '../../../planning/disrupt/methods.js';
import type {
  DisruptionCommand,
  TerminateFirstReason,
} from '../../../planning/disrupt/question/disruption.js';

/** Types named in a message. */
const FEW = 3;

/** Marks the command's claims that are not leaving yet; answers the names of those that have the mark now. */
export async function mark(
  { cluster, writer, clock, recorder, logger }: DisruptionContext,
  command: Command,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { reason, claims, planned } = command;
  const marked: string[] = [];
  const failures = await tryInParallel(
    claims,
    async (name) => {
      const claim = cluster.nodeClaims.get(name);
      if (claim === undefined || isLeaving(claim, cluster.nodeOfClaim(name))) return;
      const { terminationGracePeriodSeconds } = planned;
      const disruption = { reason, decidedAt: clock.now(), terminationGracePeriodSeconds };
      await writer.updateStatus(claim, { disruption }, signal);
      marked.push(name);
      // What the cloud said of its instance has led to something.
      settleClaim(recorder, claim, 'Disrupt', 'the node is being disrupted');
      recordClaim(recorder, claim, {
        action: 'Disrupt',
        reason,
        message: describeCommand(command, claim),
        trigger: 'disruption',
        considered: planned.considered,
        saving: planned.saving / claims.length,
        event: {
          type: 'Normal',
          reason: planned.claims.length > 0 ? 'DisruptionLaunching' : 'DisruptionTerminating',
        },
      });
    },
    { signal },
  );
  if (failures.length > 0)
    logger.info('Failed to mark NodeClaims for disruption', { reason, failures: failures.length });
  return marked;
}

/** Has the claims of the command rebooted, where they are not leaving yet: the reboot controller does it from here on. */
export async function requestReboots(
  { cluster, writer, clock, recorder }: DisruptionContext,
  command: Command,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { terminationGracePeriodSeconds } = command.planned;
  const requested: string[] = [];
  for (const name of command.claims) {
    const claim = cluster.nodeClaims.get(name);
    if (claim === undefined || isLeaving(claim, cluster.nodeOfClaim(name))) continue;
    if (currentReboot(claim) !== undefined) continue;
    const requestedAt = clock.now();
    const message = describeCommand(command, claim);
    const change = { type: 'Rebooting', status: 'True', reason: 'RebootRequested', message } as const;
    const reboots = withReboot(claim, { requestedAt, terminationGracePeriodSeconds });
    const conditions = withConditions(claim, [change], requestedAt);
    await writer.updateStatus(claim, { reboots, conditions }, signal);
    requested.push(name);
    recordClaim(recorder, claim, {
      action: 'Disrupt',
      reason: 'RebootRequested',
      message,
      trigger: 'disruption',
      event: 'Normal',
    });
  }
  return requested;
}

/**
 * Taints the nodes of marked claims, before anything is launched in their place (Karpenter: markDisrupted).
 * @throws PortError, after all that could be tainted are.
 */
export async function taint(
  context: DisruptionContext,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const failures = await tryInParallel(names, (name) => setTaint(context, name, true, signal), { signal });
  if (failures.length > 0) throw failures[0];
}

/** Takes the marks back, whose replacements are gone by now. */
export async function unmark(
  context: DisruptionContext,
  names: readonly string[],
  why: string,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, writer, recorder, logger } = context;
  const take = async ({ name }: NodeClaim): Promise<void> => {
    await setTaint(context, name, false, signal);
    const claim = cluster.nodeClaims.get(name);
    if (claim === undefined) return;
    await writer.updateStatus(claim, { disruption: undefined }, signal);
    settleClaim(recorder, claim, 'Disrupt', `canceled: ${why}`);
    recordClaim(recorder, claim, {
      action: 'Refuse',
      reason: 'DisruptionTakenBack' satisfies OwnDecisionReason,
      message: why,
      trigger: 'disruption',
      event: { type: 'Normal', reason: 'DisruptionBlocked' },
    });
  };
  const claims = names.flatMap((name) => cluster.nodeClaims.get(name) ?? []);
  const staying = claims.filter(
    ({ deletionTimestamp, status }) => deletionTimestamp === undefined && status.disruption !== undefined,
  );
  const failures = await tryInParallel(staying, take, { signal });
  logger.info('Canceled disruption', { nodeClaims: names, why, failures: failures.length });
  if (failures.length > 0) throw failures[0];
}

/** How often a node that others write to at the same time is tried, and how long is waited in between. */
const TRIES = 4;
const AGAIN_MILLIS = 250;

/** A node that is as it should be is left alone, and so is a claim without a node. */
async function setTaint(
  { cluster, writer, clock }: DisruptionContext,
  claim: string,
  isDisrupted: boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const node = cluster.nodeOfClaim(claim);
    if (node === undefined || hasTaint(node.taints, DISRUPTED_TAINT) === isDisrupted) return;
    const taints = isDisrupted ? { add: [DISRUPTED_TAINT] } : { remove: [DISRUPTED_TAINT] };
    try {
      await writer.patchNode(node, { taints }, signal);
      return;
    } catch (error) {
      if (!hasCode(error, 'Conflict') || attempt >= TRIES) throw error;
      await clock.sleep(AGAIN_MILLIS, signal);
    }
  }
}

/** A command in words, as Karpenter's events begin: `Underutilized/Replace`. */
export function describeCommand(
  { reason, claims, planned }: Pick<Command, 'reason' | 'claims' | 'planned'>,
  claim: NodeClaim,
): string {
  const { placements, claims: replacements, unplaced, terminateFirst } = planned;
  const words = methodOf(reason)?.words;
  const parts = [
    words?.cause ?? causeOf(claim, reason),
    claims.length > 1 ? `${counted(claims.length, 'node')} together` : '',
    placements.length > 0 ? `${have(placements.length)} room on other nodes` : '',
    unplaced.length > 0 ? `${have(unplaced.length)} no room yet` : '',
    terminateFirst === undefined ? '' : TERMINATE_FIRST[terminateFirst],
    rebootsText(claim),
    replacementsText(replacements),
    words?.gain?.(planned) ?? '',
  ];
  return `${reason}/${decisionWord(planned)}: ${parts.filter((part) => part !== '').join(', ')}`;
}

function decisionWord({ reboots, claims }: DisruptionCommand): string {
  if (reboots === true) return 'Reboot';
  return claims.length > 0 ? 'Replace' : 'Delete';
}

/** Why it is replaced where it would be rebooted otherwise. */
function rebootsText({ status: { reboots = [] } }: NodeClaim): string {
  return reboots.length === 0 ? '' : `rebooted ${counted(reboots.length, 'time')} before`;
}

function replacementsText(replacements: DisruptionCommand['claims']): string {
  if (replacements.length === 0) return '';
  const instances = replacements.map(
    ({ nodePool, instanceTypes }) => `NodePool ${nodePool}: ${instanceTypes.slice(0, FEW).join(', ')}`,
  );
  return `${counted(instances.length, 'replacement')} (${instances.join('; ')})`;
}

const TERMINATE_FIRST: Readonly<Record<TerminateFirstReason, string>> = {
  'static-at-limit':
    'its static NodePool launches another once it is gone, since limits.nodes leaves no room for both',
  'no-reserved-capacity':
    'another is launched once its instance has left the capacity reservation, which is full',
};

/** What the claim's own condition says of the reason. */
function causeOf({ status }: NodeClaim, reason: string): string {
  const condition = status.conditions.find(({ type, status: value }) => type === reason && value === 'True');
  if (condition === undefined || condition.reason === reason) return '';
  return condition.message === '' ? condition.reason : `${condition.reason}, ${condition.message}`;
}

/** `1 pod has`, `2 pods have`. */
function have(pods: number): string {
  return `${counted(pods, 'pod')} ${pods === 1 ? 'has' : 'have'}`;
}

/**
 * The durable sign that a claim goes: written before anything else happens, so that extenders give its node no pods, and
 * whoever comes after a crash knows of it; and taken back when it is not to go after all.
 */
import type { NodeClaim } from '../../domain/node-claim.js';
import { tryInParallel } from '../../runtime/in-parallel.js';
import { isLeaving } from '../../state/node-state.js';
import { recordClaim, settleClaim } from '../node-claim/index.js';
import type { Command } from './command.js';
import { describeCommand } from './command-words.js';
import type { DisruptionContext } from './disruption-context.js';

/** Marks the command's claims that are not leaving yet; answers the names of those that bear the mark now. */
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
      await writer.updateStatus(claim, { disruption: { reason, decidedAt: clock.now() } }, signal);
      marked.push(name);
      // What the cloud said of its machine has led to something.
      settleClaim(recorder, claim, 'Disrupt', 'its node is taken away');
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
  if (failures.length > 0) logger.info('claims not marked', { reason, failures: failures.length });
  return marked;
}

/** Takes the marks back, whose replacements are gone by now. */
export async function unmark(
  { cluster, writer, recorder, logger }: DisruptionContext,
  names: readonly string[],
  why: string,
  signal: AbortSignal,
): Promise<void> {
  const take = async (claim: NodeClaim): Promise<void> => {
    await writer.updateStatus(claim, { disruption: undefined }, signal);
    settleClaim(recorder, claim, 'Disrupt', `taken back: ${why}`);
    recordClaim(recorder, claim, {
      action: 'Refuse',
      reason: 'DisruptionTakenBack',
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
  logger.info('disruption taken back', { nodeClaims: names, why, failures: failures.length });
  if (failures.length > 0) throw failures[0];
}

/** Writes on a claim that its instance is going to be taken: disruption replaces it then, and termination hurries. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import type { Clock } from '../../ports/clock.js';
import { hasCode } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { ClusterWriter } from '../cluster-writer.js';
import { is, withConditions } from '../node-claim/claim-conditions.js';
import { recordClaim } from '../node-claim/record-claim.js';

const TRIES = 3;

export interface InterruptContext {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
}

export interface InterruptNews {
  /** Of the condition. Termination knows by it when the instance is taken. */
  readonly reason: 'SpotInterruption' | 'ScheduledChange' | 'CapacityBlockEnding';
  readonly event: EventReason<'Warning', 'NodeClaim'>;
  /** Without a full stop. */
  readonly message: string;
  /** Who said so. */
  readonly trigger: string;
  /** Given the claim as it is, each time that it is looked at. */
  readonly seen?: (claim: NodeClaim) => void;
}

/**
 * Nothing is written where it stands there already, nor where the claim is gone. @throws PortError, when it cannot be written.
 */
export async function interruptClaim(
  { cluster, writer, clock, random, recorder }: InterruptContext,
  name: string,
  { reason, event, message, trigger, seen }: InterruptNews,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const claim = cluster.nodeClaims.get(name);
    if (claim === undefined) return;
    seen?.(claim);
    if (is(claim, 'Interrupted')) return;
    const change = { type: 'Interrupted', status: 'True', reason, message } as const;
    try {
      await writer.updateStatus(claim, { conditions: withConditions(claim, [change], clock.now()) }, signal);
      recordClaim(recorder, claim, {
        action: 'Disrupt',
        reason,
        message,
        trigger,
        event: { type: 'Warning', reason: event },
      });
      return;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return;
      if (!hasCode(error, 'Conflict') || attempt >= TRIES) throw error;
      await clock.sleep(backoffMillis({ attempt, baseMillis: 200, maxMillis: 2000, random }), signal);
    }
  }
}

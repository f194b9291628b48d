/** Writes on a claim that its instance is going to be taken: disruption replaces it then, and termination hurries. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import type { Condition } from '../../domain/values/condition.js';
import type { Clock } from '../../ports/clock.js';
import { hasCode } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { ClusterWriter } from '../cluster-writer.js';
import { is, withConditions } from '../node-claim/claim-conditions.js';
import { recordClaim } from '../node-claim/record-claim.js';
import { takenAfter, takenBackAt } from '../node-claim/taken-back.js';

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
  /** When the cloud warned, in milliseconds since 1970; now, unless given: by it termination knows when the instance is taken. */
  readonly warnedAt?: number | undefined;
  /** Given the claim as it is, each time that it is looked at. */
  readonly seen?: (claim: NodeClaim) => void;
}

/**
 * Nothing is written where the claim is gone, nor where one stands there already by which the instance is not taken later.
 * @throws PortError, when it cannot be written.
 */
export async function interruptClaim(
  { cluster, writer, clock, random, recorder }: InterruptContext,
  name: string,
  news: InterruptNews,
  signal: AbortSignal,
): Promise<void> {
  const { reason, event, message, trigger, seen } = news;
  for (let attempt = 1; ; attempt++) {
    const claim = cluster.nodeClaims.get(name);
    if (claim === undefined) return;
    seen?.(claim);
    const now = clock.now();
    const warnedAt = Math.min(news.warnedAt ?? now, now);
    if (is(claim, 'Interrupted') && !isSooner(claim, reason, warnedAt)) return;
    try {
      await writer.updateStatus(claim, { conditions: interrupted(claim, news, { warnedAt, now }) }, signal);
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

/** Whether the instance is taken sooner by this warning than by the one that stands on the claim. */
function isSooner(claim: NodeClaim, reason: string, warnedAt: number): boolean {
  return (takenAfter(reason, warnedAt) ?? Infinity) < (takenBackAt(claim) ?? Infinity);
}

/** A warning that takes the place of another is one of its own: its time is its own, too. */
function interrupted(
  claim: NodeClaim,
  { reason, message }: InterruptNews,
  { warnedAt, now }: { readonly warnedAt: number; readonly now: number },
): readonly Condition[] {
  const change = { type: 'Interrupted', status: 'True', reason, message } as const;
  return withConditions(claim, [change], now).map((condition) =>
    condition.type === 'Interrupted' ? { ...condition, lastTransitionTime: warnedAt } : condition,
  );
}

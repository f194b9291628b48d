/** Telling people about a claim: the subject of its Decisions and Events. */
import type { DecisionAction, DecisionSubject } from '../../domain/decision.js';
import type { NodeClaim } from '../../domain/node-claim.js';
import type { RecordedEvent, Recorder } from '../../ports/recorder.js';

export interface ClaimNews {
  readonly action: DecisionAction;
  /** Also the Event's reason unless `event` has its own. */
  readonly reason: string;
  readonly message: string;
  readonly trigger?: string | undefined;
  readonly considered?: string | undefined;
  /** USD/h. */
  readonly saving?: number | undefined;
  readonly event: RecordedEvent['type'] | RecordedEvent;
}

/** Records news of a claim. */
export function recordClaim(recorder: Recorder, claim: NodeClaim, news: ClaimNews): void {
  const { action, reason, message, trigger = 'NodeClaim', considered = '', saving, event } = news;
  recorder.record({
    subject: subjectOf(claim),
    action,
    reason,
    message,
    trigger,
    considered,
    saving,
    event: typeof event === 'string' ? { type: event, reason } : event,
  });
}

/** Says what came of the claim's latest decision of this action. */
export function settleClaim(
  recorder: Recorder,
  claim: NodeClaim,
  action: DecisionAction,
  outcome: string,
): void {
  recorder.settle(subjectOf(claim), action, outcome);
}

function subjectOf({ name, uid }: NodeClaim): DecisionSubject {
  return { kind: 'NodeClaim', namespace: '', name, uid };
}

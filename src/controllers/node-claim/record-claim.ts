/** Telling people about a claim: the subject of its Decisions and Events. */
import type { DecisionAction, DecisionRelated, DecisionSubject } from '../../domain/records/decision.js';
import type { EventReason, EventType } from '../../domain/records/event-reasons.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { RecordedEvent, Recorder } from '../../ports/recorder.js';

interface News {
  readonly action: DecisionAction;
  readonly message: string;
  readonly trigger?: string | undefined;
  readonly considered?: string | undefined;
  /** USD/h. */
  readonly saving?: number | undefined;
  /** Without it, the claim's Node as far as its status names one. */
  readonly related?: readonly DecisionRelated[] | undefined;
  /** Of a refusal, what the claim is refused, where that may be one of several things. */
  readonly refused?: string | undefined;
}

/** `reason` is also the Event's, unless `event` has its own. */
export type ClaimNews = News &
  (
    | { readonly reason: string; readonly event: RecordedEvent<'NodeClaim'> }
    | {
        [Type in EventType]: { readonly reason: EventReason<Type, 'NodeClaim'>; readonly event: Type };
      }[EventType]
  );

/** Records news of a claim. */
export function recordClaim(recorder: Recorder, claim: NodeClaim, news: ClaimNews): void {
  const { action, reason, message, trigger = 'NodeClaim', considered = '', saving } = news;
  const { related = ownNode(claim), refused } = news;
  recorder.record({
    subject: subjectOf(claim),
    action,
    reason,
    message,
    trigger,
    considered,
    saving,
    related,
    refused,
    event: eventOf(news),
  });
}

function eventOf(news: ClaimNews): RecordedEvent {
  switch (news.event) {
    case 'Normal':
      return { type: news.event, reason: news.reason };
    case 'Warning':
      return { type: news.event, reason: news.reason };
    default:
      return news.event;
  }
}

/** The node as Decisions about its claim name it. */
export function relatedNode(name: string): DecisionRelated {
  return { kind: 'Node', namespace: '', name };
}

/** The claim and its node, as Decisions about what befalls the pods there name them. */
export function relatedToClaim(claim: NodeClaim): readonly DecisionRelated[] {
  return [{ kind: 'NodeClaim', namespace: '', name: claim.name }, ...(ownNode(claim) ?? [])];
}

function ownNode({ status }: NodeClaim): readonly DecisionRelated[] | undefined {
  return status.nodeName === undefined ? undefined : [relatedNode(status.nodeName)];
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

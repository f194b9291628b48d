/** Where reasons go: one call, and a Decision, an Event, a log line and a metric tell of it. */
import type { DecisionAction, DecisionSpec, DecisionSubject } from '../domain/records/decision.js';
import type { EventKind, EventReason, EventType } from '../domain/records/event-reasons.js';

/** An event of a type that its reason may have. */
export type RecordedEvent<Kind extends EventKind = EventKind> = {
  [Type in EventType]: { readonly type: Type; readonly reason: EventReason<Type, Kind> };
}[EventType];

export interface NewDecision extends Omit<DecisionSpec, 'time'> {
  /** undefined: no Event. */
  readonly event: RecordedEvent | undefined;
  /** Of a refusal, what its subject is refused, where that may be one of several things. Not written. */
  readonly refused?: string | undefined;
}

export interface Recorder {
  /**
   * Returns at once; writing happens later, at a bounded rate, and is given up rather than waited for. A refusal
   * (action Refuse) is written again only when its subject is refused something else, or for another reason.
   */
  record(decision: NewDecision): void;
  /** Says what came of the subject's latest decision of this action that is still open. Returns at once, as `record` does. */
  settle(subject: DecisionSubject, action: DecisionAction, outcome: string): void;
}

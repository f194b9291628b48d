/** Decisions and events about a policy document: accepted, refused, frozen, restored, retired. */
import type { Condition } from '../../domain/values/condition.js';
import type { DecisionAction, DecisionSubject } from '../../domain/records/decision.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import type { PolicyConditionType } from '../../domain/policies/policy-conditions.js';
import { describeSource, type PolicyStatus } from '../../domain/policies/policy.js';
import type { RecordedEvent, Recorder } from '../../ports/recorder.js';

/** Why a condition is False while the document is not there. */
const MISSING = 'DocumentMissing';
/** Conditions that are reported when they become False: about the document, about others that it contradicts, missing references. */
const REPORTED: readonly ReportedCondition[] = [
  { type: 'Accepted', reason: 'Invalid' },
  { type: 'Accepted', reason: 'Deleted' },
  { type: 'Accepted', reason: MISSING },
  { type: 'Unique', reason: 'DuplicateName' },
  { type: 'ValidationSucceeded', reason: 'Conflict' },
  { type: 'NodeClassReady', reason: 'NodeClassNotFound' },
  { type: 'Ready', reason: 'NotResolved' },
];

interface ReportedCondition {
  readonly type: PolicyConditionType;
  readonly reason: EventReason<'Warning', 'PolicyStatus'>;
}

type PolicyRefusal = ReportedCondition & Pick<Condition, 'message'>;

interface PolicyNews {
  readonly action: DecisionAction;
  readonly message: string;
  readonly event: RecordedEvent<'PolicyStatus'>;
}

/** Tells of what is new in the status as it was written now. */
export function tellChange(recorder: Recorder, before: PolicyStatus | undefined, after: PolicyStatus): void {
  if (isMissing(before) && !isMissing(after))
    recorder.settle(subjectOf(after), 'Freeze', 'the document was restored');
  if (isRefused(before) && !isRefused(after))
    recorder.settle(subjectOf(after), 'Refuse', 'the document is valid again');
  const { lastAccepted } = after;
  if (lastAccepted !== undefined && lastAccepted.hash !== before?.lastAccepted?.hash) {
    const message = `from ${describeSource(lastAccepted.source)}`;
    const event = { type: 'Normal', reason: 'Accepted' } as const;
    record(recorder, after, { action: 'Accept', message, event });
  }
  for (const { reason, message } of newRefusals(before, after)) {
    const action = reason === MISSING ? 'Freeze' : 'Refuse';
    record(recorder, after, { action, message, event: { type: 'Warning', reason } });
  }
}

/** The document was gone for good, and nothing is left of what was made of it. */
export function tellRetired(recorder: Recorder, status: PolicyStatus): void {
  const message = 'the document was removed, and nothing that was created from it is left';
  recorder.settle(subjectOf(status), 'Freeze', message);
  record(recorder, status, { action: 'Freeze', message, event: { type: 'Normal', reason: 'Deleted' } });
}

function newRefusals(before: PolicyStatus | undefined, after: PolicyStatus): readonly PolicyRefusal[] {
  const known = refusals(before);
  return refusals(after).filter(
    ({ type, reason }) => !known.some((each) => each.type === type && each.reason === reason),
  );
}

function refusals(status: PolicyStatus | undefined): readonly PolicyRefusal[] {
  return (status?.conditions ?? []).flatMap(({ type, status: is, reason, message }) => {
    const reported = REPORTED.find((each) => each.type === type && each.reason === reason);
    return is === 'False' && reported !== undefined ? { ...reported, message } : [];
  });
}

/** A document that is not there is frozen, not refused. */
function isRefused(status: PolicyStatus | undefined): boolean {
  return refusals(status).some(({ reason }) => reason !== MISSING);
}

function isMissing(status: PolicyStatus | undefined): boolean {
  return status?.conditions.some(({ reason }) => reason === MISSING) ?? false;
}

function record(recorder: Recorder, status: PolicyStatus, { action, message, event }: PolicyNews): void {
  recorder.record({
    subject: subjectOf(status),
    action,
    reason: event.reason,
    message,
    trigger: 'policies',
    considered: '',
    saving: undefined,
    event,
  });
}

function subjectOf({ name, uid }: PolicyStatus): DecisionSubject {
  return { kind: 'PolicyStatus', namespace: '', name, uid };
}

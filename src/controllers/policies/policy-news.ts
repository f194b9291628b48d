/** Decisions and events about a policy document: accepted, refused, frozen, restored, retired. */
import type { Condition } from '../../domain/values/condition.js';
import type { DecisionAction, DecisionSubject } from '../../domain/records/decision.js';
import type { PolicyStatus } from '../../domain/policies/policy.js';
import type { RecordedEvent, Recorder } from '../../ports/recorder.js';

/** Why a condition is False while the document is not there. */
const MISSING = 'DocumentMissing';
/** The conditions about the document itself, and about others that it contradicts. */
const OWN_CONDITIONS: readonly string[] = ['Accepted', 'Unique', 'ValidationSucceeded'];
/** Missing references that a user has to fix: a node class, or resources of the cloud. */
const REFERENCES: readonly Pick<Condition, 'type' | 'reason'>[] = [
  { type: 'NodeClassReady', reason: 'NodeClassNotFound' },
  { type: 'Ready', reason: 'NotResolved' },
];

/** Tells of what is new in the status as it was written now. */
export function tellChange(recorder: Recorder, before: PolicyStatus | undefined, after: PolicyStatus): void {
  if (isMissing(before) && !isMissing(after))
    recorder.settle(subjectOf(after), 'Freeze', 'the document was restored');
  if (isRefused(before) && !isRefused(after))
    recorder.settle(subjectOf(after), 'Refuse', 'the document is valid again');
  const { lastAccepted } = after;
  if (lastAccepted !== undefined && lastAccepted.hash !== before?.lastAccepted?.hash) {
    const { configMap, key } = lastAccepted.source;
    const message = `from ConfigMap ${configMap} (key ${key})`;
    record(recorder, after, 'Accept', { reason: 'Accepted', message, type: 'Normal' });
  }
  for (const { reason, message } of newRefusals(before, after)) {
    const action = reason === MISSING ? 'Freeze' : 'Refuse';
    record(recorder, after, action, { reason, message, type: 'Warning' });
  }
}

/** The document was gone for good, and nothing is left of what was made of it. */
export function tellRetired(recorder: Recorder, status: PolicyStatus): void {
  const message = 'the document was removed, and nothing that was created from it is left';
  recorder.settle(subjectOf(status), 'Freeze', message);
  record(recorder, status, 'Freeze', { reason: 'Deleted', message, type: 'Normal' });
}

function newRefusals(before: PolicyStatus | undefined, after: PolicyStatus): readonly Condition[] {
  const known = refusals(before);
  return refusals(after).filter(
    ({ type, reason }) => !known.some((each) => each.type === type && each.reason === reason),
  );
}

function refusals(status: PolicyStatus | undefined): readonly Condition[] {
  return (status?.conditions ?? []).filter(
    ({ type, status: is, reason }) =>
      is === 'False' &&
      (OWN_CONDITIONS.includes(type) ||
        REFERENCES.some((each) => each.type === type && each.reason === reason)),
  );
}

/** A document that is not there is frozen, not refused. */
function isRefused(status: PolicyStatus | undefined): boolean {
  return refusals(status).some(({ reason }) => reason !== MISSING);
}

function isMissing(status: PolicyStatus | undefined): boolean {
  return status?.conditions.some(({ reason }) => reason === MISSING) ?? false;
}

function record(
  recorder: Recorder,
  status: PolicyStatus,
  action: DecisionAction,
  { type, reason, message }: RecordedEvent & { readonly message: string },
): void {
  recorder.record({
    subject: subjectOf(status),
    action,
    reason,
    message,
    trigger: 'policies',
    considered: '',
    saving: undefined,
    event: { type, reason },
  });
}

function subjectOf({ name, uid }: PolicyStatus): DecisionSubject {
  return { kind: 'PolicyStatus', namespace: '', name, uid };
}

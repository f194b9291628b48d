import type { ClaimCondition } from '../../../src/domain/nodes/claim-conditions.js';
import type { PolicyCondition } from '../../../src/domain/policies/policy-conditions.js';
import { EVENT_REASONS, type EventReason } from '../../../src/domain/records/event-reasons.js';
import type { RecordedEvent } from '../../../src/ports/recorder.js';

/** The compiler is the test: each line below that it expects to fail would fail the check of types if it did not. */
test('events and conditions compile only with a reason, a type or status and an object of their table', () => {
  const event: RecordedEvent = { type: 'Warning', reason: 'FailedScheduling' };
  // @ts-expect-error No such reason.
  const unknown: RecordedEvent = { type: 'Warning', reason: 'NeverHeardOf' };
  // @ts-expect-error The reason is one of Warnings.
  const mild: RecordedEvent = { type: 'Normal', reason: 'FailedScheduling' };
  // @ts-expect-error The reason is one of pods.
  const misplaced: EventReason<'Warning', 'NodeClaim'> = 'FailedScheduling';
  const condition: ClaimCondition = { type: 'Drained', status: 'True', reason: 'NodeNotFound' };
  // @ts-expect-error The reason is one of another condition.
  const foreign: ClaimCondition = { type: 'Registered', status: 'True', reason: 'NodeNotFound' };
  // @ts-expect-error A node class that is not found is never ready.
  const ready: PolicyCondition = { type: 'NodeClassReady', status: 'True', reason: 'NodeClassNotFound' };
  expect([event, unknown, mild, misplaced, condition, foreign, ready]).toHaveLength(7);
});

test('reasons are CamelCase words, each with a type, an object and a text without a full stop', () => {
  for (const [reason, { types, kinds, when, remedy }] of Object.entries(EVENT_REASONS)) {
    expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
    expect([types.length, kinds.length].every((length) => length > 0)).toBe(true);
    expect(when).toMatch(/[^.]$/);
    expect(remedy).not.toMatch(/\.$/);
  }
});

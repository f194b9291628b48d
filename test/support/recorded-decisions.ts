/** A Recorder that keeps what it is told. */
import type { DecisionAction, DecisionSubject } from '../../src/domain/records/decision.js';
import type { NewDecision, Recorder } from '../../src/ports/recorder.js';

export interface RecordedOutcome {
  readonly subject: DecisionSubject;
  readonly action: DecisionAction;
  readonly outcome: string;
}

export function recordedDecisions(): {
  readonly recorder: Recorder;
  readonly decisions: readonly NewDecision[];
  readonly outcomes: readonly RecordedOutcome[];
} {
  const decisions: NewDecision[] = [];
  const outcomes: RecordedOutcome[] = [];
  return {
    recorder: {
      record: (decision) => void decisions.push(decision),
      settle: (subject, action, outcome) => void outcomes.push({ subject, action, outcome }),
    },
    decisions,
    outcomes,
  };
}

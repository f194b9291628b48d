/** Tells people of decisions that are recorded: launches that fail, and interruptions. */
import type { Clock } from '../../ports/clock.js';
import type { NewDecision, Recorder } from '../../ports/recorder.js';
import type { Notifications, Notified } from './notifications.js';

export interface NotifyingRecorderOptions {
  readonly recorder: Recorder;
  /** undefined: no notification is sent. */
  readonly notifications: Pick<Notifications, 'tell'> | undefined;
  readonly clock: Pick<Clock, 'monotonic'>;
}

const KINDS: ReadonlyMap<string, Notified> = new Map([
  ['InitializationTimeout', 'launch-failed'],
  ['InsufficientCapacityError', 'launch-failed'],
  ['LaunchFailed', 'launch-failed'],
  ['LaunchTimeout', 'launch-failed'],
  ['RegistrationStopped', 'launch-failed'],
  ['RegistrationTimeout', 'launch-failed'],
  ['SpotInterruption', 'interrupted'],
]);
/** The same reason is sent once in so long: a hundred claims fail together. */
const QUIET_MILLIS = 600_000;

/** The recorder, with a word to people beside it. */
export function notifyingRecorder({ recorder, notifications, clock }: NotifyingRecorderOptions): Recorder {
  if (notifications === undefined) return recorder;
  const toldAt = new Map<string, number>();
  const tell = ({ reason, message, subject, event }: NewDecision): void => {
    const kind = KINDS.get(event?.reason ?? reason) ?? KINDS.get(reason);
    const now = clock.monotonic();
    if (kind === undefined || now - (toldAt.get(reason) ?? -Infinity) < QUIET_MILLIS) return;
    toldAt.set(reason, now);
    const more = 'more of this reason are not posted for ten minutes';
    notifications.tell(kind, `${reason}: ${subject.kind} ${subject.name}: ${message} (${more})`);
  };
  return {
    record: (decision) => {
      tell(decision);
      recorder.record(decision);
    },
    settle: (subject, action, outcome) => {
      recorder.settle(subject, action, outcome);
    },
  };
}

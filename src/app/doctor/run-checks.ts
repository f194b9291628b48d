/** Runs checks: groups at the same time, each check within its time, and what one throws becomes its finding. */
import { skipped, type CheckFinding } from '../../domain/records/check-finding.js';
import type { Clock } from '../../ports/clock.js';
import { withDeadline } from '../../runtime/time/deadline.js';
import type { CheckGroup } from './checks.js';
import type { DoctorCheck, Subject } from './doctor-check.js';
import { findingOf } from './finding-of.js';

export interface CheckOutcome extends CheckFinding {
  readonly group: string;
  readonly check: string;
}

export interface RunOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** From its beginning, for each check. */
const CHECK_MILLIS = 15_000;

/** In the order of the groups and their checks. @throws PortError Cancelled, when the signal is aborted. */
export async function runChecks(
  groups: readonly CheckGroup[],
  subject: Subject,
  options: RunOptions,
): Promise<readonly CheckOutcome[]> {
  const found = (some: readonly CheckGroup[]): Promise<readonly CheckOutcome[]> =>
    Promise.all(some.map((group) => runGroup(group, subject, options))).then((outcomes) => outcomes.flat());
  const first = await found(groups.filter(({ isGate }) => isGate === true));
  if (first[0]?.result === 'failed') return [first[0], NOT_REACHED];
  return [...first, ...(await found(groups.filter(({ isGate }) => isGate !== true)))];
}

const NOT_REACHED: CheckOutcome = {
  ...{ group: 'api-server', check: 'others' },
  ...skipped('all other checks need an answer of the API server'),
};

async function runGroup(
  { group, checks }: CheckGroup,
  subject: Subject,
  options: RunOptions,
): Promise<readonly CheckOutcome[]> {
  const found: CheckOutcome[] = [];
  for (const each of checks)
    for (const finding of await runCheck(each, subject, options))
      found.push({ group, check: each.name, ...finding });
  return found;
}

async function runCheck(
  check: DoctorCheck,
  subject: Subject,
  { clock, signal }: RunOptions,
): Promise<readonly CheckFinding[]> {
  if (subject.live === undefined && !check.isOffline) return [];
  try {
    const deadline = { clock, millis: CHECK_MILLIS, signal, operation: `check ${check.name}` };
    return await withDeadline(deadline, (own) => check.look(subject, own));
  } catch (error) {
    if (signal.aborted) throw error;
    return [findingOf(error)];
  }
}

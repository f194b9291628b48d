/** What a check could not look at, as its finding. */
import { failed, skipped, type CheckFinding } from '../../domain/records/check-finding.js';
import { hasCode } from '../../ports/port-error.js';

/** @param error what a check has thrown. */
export function findingOf(error: unknown): CheckFinding {
  const reason = error instanceof Error ? error.message : String(error);
  if (hasCode(error, 'Forbidden'))
    return skipped(`not seen: ${reason}`, 'Run berth doctor with the right to read it');
  return failed(
    reason,
    'Find out what keeps the request from its answer (kubeconfig, network), and run berth doctor again',
  );
}

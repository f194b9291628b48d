/** One thing that `berth doctor` looks at, whatever it looks at it through. */
import type { CheckFinding } from '../domain/records/check-finding.js';

export interface Check<Subject> {
  /** In kebab-case, unique among all checks: users and CI refer to it. */
  readonly name: string;
  /**
   * Looks once and changes nothing that stays. What it throws becomes a finding: a PortError Forbidden one that is skipped.
   * @throws PortError
   */
  look(subject: Subject, signal: AbortSignal): Promise<readonly CheckFinding[]>;
}

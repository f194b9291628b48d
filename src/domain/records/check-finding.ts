/** What a check of `berth doctor` found out, with the evidence and how to mend it. */

export const CHECK_RESULTS = ['ok', 'warning', 'failed', 'skipped'] as const;

/** skipped: it could not be looked at, and the evidence has the reason. */
export type CheckResult = (typeof CHECK_RESULTS)[number];

export interface CheckFinding {
  readonly result: CheckResult;
  /** One sentence without a full stop: what was seen, with names and values. */
  readonly evidence: string;
  /** How to mend it, in the imperative; '' where there is nothing to mend. */
  readonly mend: string;
}

export function ok(evidence: string): CheckFinding {
  return { result: 'ok', evidence, mend: '' };
}

export function warning(evidence: string, mend: string): CheckFinding {
  return { result: 'warning', evidence, mend };
}

export function failed(evidence: string, mend: string): CheckFinding {
  return { result: 'failed', evidence, mend };
}

export function skipped(evidence: string, mend = ''): CheckFinding {
  return { result: 'skipped', evidence, mend };
}

/** The findings, or where there are none, that all is well. */
export function orOk(findings: readonly CheckFinding[], evidence: string): readonly CheckFinding[] {
  return findings.length === 0 ? [ok(evidence)] : findings;
}

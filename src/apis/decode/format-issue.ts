/** An issue as one line of text. */
import type { Issue } from '../issue.js';

/** `pool.yaml:12:7 NodePool/default: error: spec.weight must be at most 100, not 500 (did you mean …?)`. */
export function formatIssue(issue: Issue): string {
  const place = issue.line === undefined ? '' : `:${String(issue.line)}:${String(issue.column ?? 1)}`;
  const guess = issue.guess === undefined ? '' : ` (did you mean ${issue.guess}?)`;
  const allowed = issue.allowed === undefined ? '' : `; allowed: ${issue.allowed.join(', ')}`;
  return `${issue.source}${place} ${issue.document}: ${issue.severity}: ${issue.message}${guess}${allowed}`;
}

/** An issue as one line of text. */
import type { Issue } from '../issue.js';

/** `pool.yaml:12:7 NodePool/default: error: spec.weigth is not a known field (did you mean weight?); allowed: …`. */
export function formatIssue(issue: Issue): string {
  const place = issue.line === undefined ? '' : `:${String(issue.line)}:${String(issue.column ?? 1)}`;
  const guess = issue.guess === undefined ? '' : ` (did you mean ${issue.guess}?)`;
  const unsaid = issue.allowed?.some((value) => !issue.message.includes(value)) ?? false;
  const allowed = unsaid ? `; allowed: ${issue.allowed?.join(', ') ?? ''}` : '';
  return `${issue.source}${place} ${issue.document}: ${issue.severity}: ${issue.message}${guess}${allowed}`;
}

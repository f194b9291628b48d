/** Tells people about issues of documents. */
import { formatIssue } from '../../apis/decode/format-issue.js';
import type { Issue } from '../../apis/issue.js';
import type { TextSink } from './cli-io.js';
import { counted } from './render/numbers.js';

/** One line each. */
export function writeIssues(issues: readonly Issue[], sink: TextSink): void {
  for (const issue of issues) sink.write(`${formatIssue(issue)}\n`);
}

/** How many there are: `2 errors, 1 warning`. */
export function issueCount(issues: readonly Issue[]): string {
  const errors = issues.filter(isError).length;
  const warnings = issues.length - errors;
  const parts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return parts.length === 0 ? 'no issues' : parts.join(', ');
}

/** Whether a document is refused. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(isError);
}

/** Kinds that were passed over, lest a misspelt one be missed. */
export function writeLeftAside(kinds: ReadonlyMap<string, number>, sink: TextSink): void {
  if (kinds.size === 0) return;
  const parts = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${kind} (${String(count)})`));
  sink.write(`not read, no part in planning: ${parts.join(', ')}\n`);
}

function isError({ severity }: Issue): boolean {
  return severity === 'error';
}

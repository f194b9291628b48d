/** Tells issues of documents on stderr. */
import { formatIssue } from '../../apis/decode/format-issue.js';
import type { Issue } from '../../apis/issue.js';
import type { CliIo } from './cli-io.js';
import { counted } from './render/numbers.js';

/** One line each, and a last one with their number when there are any. */
export function writeIssues(issues: readonly Issue[], io: CliIo): void {
  if (issues.length === 0) return;
  const errors = issues.filter(isError).length;
  const parts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(errors < issues.length ? [counted(issues.length - errors, 'warning')] : []),
  ];
  io.stderr.write(`${[...issues.map(formatIssue), parts.join(', ')].join('\n')}\n`);
}

/** Whether a document is refused. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(isError);
}

function isError({ severity }: Issue): boolean {
  return severity === 'error';
}

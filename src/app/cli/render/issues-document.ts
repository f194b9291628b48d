/** Issues as the document that `berth validate -o json` prints. */
import { formatPath } from '../../../apis/decode/format-path.js';
import type { Issue } from '../../../apis/issue.js';

interface IssueDocument {
  readonly severity: Issue['severity'];
  readonly code: string;
  readonly source: string;
  readonly line?: number;
  readonly column?: number;
  readonly document: string;
  /** As people write it: `spec.requirements[0].operator`. */
  readonly path: string;
  readonly message: string;
  readonly allowed?: readonly string[];
  readonly guess?: string;
}

export interface IssuesDocument {
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  readonly issues: readonly IssueDocument[];
}

/** What is not known of an issue is left out. */
export function issuesDocument(issues: readonly Issue[]): IssuesDocument {
  const count = (asked: Issue['severity']): number =>
    issues.filter(({ severity }) => severity === asked).length;
  return {
    ...{ errors: count('error'), warnings: count('warning'), notes: count('note') },
    issues: issues.map(issueDocument),
  };
}

function issueDocument(issue: Issue): IssueDocument {
  const { severity, code, source, line, column, document, path, message, allowed, guess } = issue;
  return {
    ...{ severity, code, source },
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...{ document, path: formatPath(path), message },
    ...(allowed !== undefined && { allowed }),
    ...(guess !== undefined && { guess }),
  };
}

/** An issue as one line of text. */
import type { Issue } from '../issue.js';

/** Values that a line lists beside a guess; of more it shows a few. */
const MOST_ALLOWED = 12;
const FEW_ALLOWED = 6;

/** `pool.yaml:12:7 NodePool/default: error: spec.weigth is not a known field (did you mean weight?); allowed: …`. */
export function formatIssue(issue: Issue): string {
  const place = issue.line === undefined ? '' : `:${String(issue.line)}:${String(issue.column ?? 1)}`;
  const guess = issue.guess === undefined ? '' : ` (did you mean ${issue.guess}?)`;
  return `${issue.source}${place} ${issue.document}: ${issue.severity}: ${issue.message}${guess}${allowedText(issue)}`;
}

/** What the message does not say already. A long set is cut short beside a guess: programs get all of it. */
function allowedText({ allowed = [], message, guess }: Issue): string {
  if (allowed.every((value) => message.includes(value))) return '';
  if (guess === undefined || allowed.length <= MOST_ALLOWED) return `; allowed: ${allowed.join(', ')}`;
  return `; allowed: ${allowed.slice(0, FEW_ALLOWED).join(', ')} and ${String(allowed.length - FEW_ALLOWED)} more`;
}

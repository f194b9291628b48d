/** Tells people about issues of documents. */
import { counted } from '../../domain/values/text.js';
import { formatIssue } from '../../apis/decode/format-issue.js';
import type { Issue } from '../../apis/issue.js';
import type { Manifests } from '../input/read-manifests.js';
import type { TextSink } from '../command/cli-io.js';

/** One line each. */
export function writeIssues(issues: readonly Issue[], sink: TextSink): void {
  for (const issue of issues) sink.write(`${formatIssue(issue)}\n`);
}

/** Warnings and notes that say nothing about where pods land: older spellings, and what hurts only while a pool runs. */
const NOT_ABOUT_PLANNING: ReadonlySet<string> = new Set([
  'older-version',
  'older-spelling',
  'no-limits',
  'budget-never-binds',
  'budget-never-allows',
  'window-always-open',
  'window-never-opens',
]);

/** One line for each issue that matters to a plan, and one with the number of the others and where to find them. */
export function writePlanIssues(issues: readonly Issue[], sink: TextSink): void {
  const others = issues.filter((issue) => !isError(issue) && NOT_ABOUT_PLANNING.has(issue.code));
  writeIssues(
    issues.filter((issue) => !others.includes(issue)),
    sink,
  );
  if (others.length === 0) return;
  const older = others.filter(({ code }) => code === 'older-version').length;
  const versions = older === 0 ? '' : `, ${counted(older, 'document')} of an older version among them`;
  sink.write(`${issueCount(others)} not about this plan${versions}: see berth validate\n`);
}

const SEVERITIES = ['error', 'warning', 'note'] as const;

/** How many there are: `2 errors, 1 warning, 1 note`. */
export function issueCount(issues: readonly Issue[]): string {
  const parts = SEVERITIES.flatMap((severity) => {
    const count = issues.filter((issue) => issue.severity === severity).length;
    return count > 0 ? [counted(count, severity)] : [];
  });
  return parts.length === 0 ? 'no issues' : parts.join(', ');
}

/** Whether a document is refused. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(isError);
}

/** Sources without documents, and kinds that were ignored, so that users notice them. */
export function writeLeftAside(
  { empty, leftAside }: Pick<Manifests, 'empty' | 'leftAside'>,
  sink: TextSink,
): void {
  for (const source of empty) sink.write(`${source}: contains no documents\n`);
  if (leftAside.size === 0) return;
  const parts = [...leftAside].map(([kind, count]) => (count === 1 ? kind : `${kind} (${String(count)})`));
  sink.write(`ignored, not used in planning: ${parts.join(', ')}\n`);
}

function isError({ severity }: Issue): boolean {
  return severity === 'error';
}

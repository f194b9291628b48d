/** `berth validate`: everything that is wrong or will hurt in some manifests, all at once. */
import { FILENAME_FLAG, manifestTexts, MOST_FILES } from '../../input/manifest-flags.js';
import { readManifests } from '../../input/read-manifests.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { hasErrors, issueCount, writeIssues, writeLeftAside } from '../write-issues.js';
import { formatPath } from '../../../apis/decode/format-path.js';
import type { Issue } from '../../../apis/issue.js';

export const VALIDATE: Command = {
  usage: '-f FILE|DIR|- … [-o table|json|yaml]',
  maxWords: MOST_FILES,
  flags: [
    FILENAME_FLAG,
    OUTPUT_FLAG,
    { name: 'strict', help: 'exit with 3 for notes as well, such as a NodePool without limits' },
  ],
  details: [
    'Exit code 2 when a document is refused, 3 when there are warnings, 0 when there are only notes.',
    'Example: berth validate -f policies/ -o json',
  ],
  run,
};

function run(args: Arguments, io: CliIo): number {
  const manifests = readManifests(manifestTexts(args, io));
  const { issues } = manifests;
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText(issuesDocument(issues)));
      break;
    case 'yaml':
      io.stdout.write(yamlText(issuesDocument(issues)));
      break;
    case 'table':
      writeIssues(issues, io.stdout);
      writeLeftAside(manifests, io.stderr);
      io.stderr.write(`${issueCount(issues)}\n`);
      break;
  }
  if (hasErrors(issues)) return EXIT_USAGE;
  const findings =
    args.value('strict') !== undefined ? issues : issues.filter(({ severity }) => severity !== 'note');
  return findings.length > 0 ? EXIT_FINDINGS : EXIT_OK;
}

// Issues as the document that `berth validate -o json` prints.

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
function issuesDocument(issues: readonly Issue[]): IssuesDocument {
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

/** `berth validate`: everything that is wrong or will hurt in some manifests, all at once. */
import { FILENAME_FLAG, manifestTexts, MOST_FILES } from '../../input/manifest-flags.js';
import { readManifests } from '../../input/read-manifests.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { issuesDocument } from '../render/issues-document.js';
import { hasErrors, issueCount, writeIssues, writeLeftAside } from '../write-issues.js';

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
    'Example: berth validate -f manifests/ -o json',
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

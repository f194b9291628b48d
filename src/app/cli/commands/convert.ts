/** `berth convert`: policies of older versions as documents of the newest. */
import '../../clouds.js';
import { convertDocuments } from '../../../apis/conversion/convert-documents.js';
import { readDocuments } from '../../../apis/documents/read-documents.js';
import { policyDocuments } from '../../../apis/policies/policy-documents.js';
import { FILENAME_FLAG, manifestTexts, MOST_FILES } from '../../input/manifest-flags.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_OK, EXIT_USAGE } from '../../command/exit-codes.js';
import { jsonText, yamlStream } from '../render/document-text.js';
import { UsageError } from '../../command/usage-error.js';
import { hasErrors, writeIssues } from '../write-issues.js';

const FORMATS = ['yaml', 'json'] as const;

/** Warnings that ask for what this command does. */
const DONE_HERE: ReadonlySet<string> = new Set(['older-version', 'older-spelling']);

export const CONVERT: Command = {
  usage: '-f FILE|DIR|- … [-o yaml|json]',
  maxWords: MOST_FILES,
  flags: [
    FILENAME_FLAG,
    {
      name: 'output',
      short: 'o',
      value: FORMATS.join('|'),
      allowed: FORMATS,
      help: 'how to print it (default: yaml); several documents are one List in json',
    },
  ],
  details: [
    'Prints policies only; lists manual steps on stderr. Exit code 2 when a document is refused.',
    'Example: berth convert -f provisioner.yaml > nodepool.yaml',
  ],
  run,
};

function run(args: Arguments, io: CliIo): number {
  const read = manifestTexts(args, io).map((source) => readDocuments(source));
  const found = policyDocuments(read.flatMap((result) => result.documents));
  const converted = convertDocuments(found.documents);
  const issues = [...read.flatMap((result) => result.issues), ...found.issues, ...converted.issues];
  writeIssues(
    issues.filter(({ code }) => !DONE_HERE.has(code)),
    io.stderr,
  );
  if (hasErrors(issues)) return EXIT_USAGE;
  if (converted.documents.length === 0) throw new UsageError('the documents contain no policy');
  io.stdout.write(rendered(converted.documents, args));
  return EXIT_OK;
}

function rendered(documents: readonly unknown[], args: Arguments): string {
  if (args.value('output') !== 'json') return yamlStream(documents);
  const [only, ...others] = documents;
  return jsonText(others.length === 0 ? only : { apiVersion: 'v1', kind: 'List', items: documents });
}

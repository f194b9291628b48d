/** `berth get KIND`: what there is, with Karpenter's columns where Karpenter has some. */
import type { ReadCluster } from '../../../cluster-reader.js';
import type { CliIo } from '../../../command/cli-io.js';
import { CLUSTER_FLAGS, lookAtCluster, readRealCluster } from '../../cluster-flags.js';
import type { Arguments, Command } from '../../../command/command.js';
import { didYouMean } from '../../../command/did-you-mean.js';
import { EXIT_ERROR, EXIT_OK } from '../../../command/exit-codes.js';
import { WIDE_OUTPUT_FLAG } from '../../../command/output-format.js';
import { jsonText, yamlText } from '../../render/document-text.js';
import { tableLines } from '../../render/text/table.js';
import { UsageError } from '../../../command/usage-error.js';
import type { Listing, ListRow } from './listing.js';
import { NODES, NODE_CLAIMS } from './node-listings.js';
import { DECISIONS, POLICIES, RESERVATIONS } from './other-listings.js';
import { PODS } from './pod-listing.js';

const LISTINGS: readonly Listing[] = [NODES, NODE_CLAIMS, POLICIES, RESERVATIONS, DECISIONS, PODS];
const KINDS = LISTINGS.flatMap(({ names }) => names[0] ?? []);

/** The command; `read` looks at a cluster. */
export function getCommand(read: ReadCluster): Command {
  return {
    usage: `${KINDS.join('|')} [NAME] [-n NAMESPACE] [-o ${WIDE_OUTPUT_FLAG.value ?? ''}]`,
    maxWords: 2,
    flags: [
      ...CLUSTER_FLAGS,
      { name: 'namespace', short: 'n', value: 'NAME', help: 'pods of this namespace only (default: all)' },
      WIDE_OUTPUT_FLAG,
    ],
    details: ['Example: berth get nodes', 'Example: berth get pods -n shop -o json'],
    run: (args, io) => run(args, io, read),
  };
}

export const GET = getCommand(readRealCluster);

async function run(args: Arguments, io: CliIo, read: ReadCluster): Promise<number> {
  const listing = listingOf(args.words[0]);
  const namespace = args.value('namespace');
  if (namespace !== undefined && !listing.namespaced)
    throw new UsageError(`--namespace ${namespace}: ${listing.names[0] ?? ''} are not namespaced`, {
      aboutFlags: true,
    });
  const seen = await lookAtCluster(read, { args, io, command: 'get', kinds: listing.kinds });
  if (seen === undefined) return EXIT_ERROR;
  const [, name] = args.words;
  const rows = listing
    .rows(seen)
    .filter((row) => namespace === undefined || row.namespace === namespace)
    .filter((row) => name === undefined || row.name === name);
  if (name !== undefined && rows.length === 0) {
    io.stderr.write(`berth get: ${args.words[0] ?? ''} ${JSON.stringify(name)} not found\n`);
    return EXIT_ERROR;
  }
  io.stdout.write(rendered(listing, rows, args.value('output')));
  if (rows.length === 0) io.stderr.write(`no ${listing.names[0] ?? ''} found\n`);
  return EXIT_OK;
}

function listingOf(word: string | undefined): Listing {
  if (word === undefined)
    throw new UsageError(`expected a kind: one of ${KINDS.join(', ')}`, { aboutFlags: true });
  const listing = LISTINGS.find(({ names }) => names.includes(word.toLowerCase()));
  if (listing !== undefined) return listing;
  throw new UsageError(`${word}: expected one of ${KINDS.join(', ')}${didYouMean(word, KINDS)}`, {
    aboutFlags: true,
  });
}

function rendered({ columns }: Listing, rows: readonly ListRow[], format: string | undefined): string {
  const items = rows.map(({ document }) => document);
  if (format === 'json') return jsonText({ items });
  if (format === 'yaml') return yamlText({ items });
  if (rows.length === 0) return '';
  const shown = columns.map((column) => format === 'wide' || column.wide !== true);
  const cells = rows.map((row) => row.cells.filter((_, index) => shown[index]));
  return `${tableLines(
    columns.filter((_, index) => shown[index]),
    cells,
  ).join('\n')}\n`;
}

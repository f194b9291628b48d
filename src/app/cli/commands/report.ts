/** `berth report`: what `--mode observe` found, for people who decide whether to switch. */
import { OBSERVATION_NAME, observationSince } from '../../../domain/records/observation.js';
import type { ReadCluster } from '../../cluster-reader.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_OK } from '../../command/exit-codes.js';
import { CLUSTER_FLAGS, lookAtCluster, readRealCluster } from '../cluster-flags.js';
import { periodMillis } from '../period-flag.js';
import { jsonText } from '../render/document-text.js';
import { reportDocument, reportMarkdown } from '../render/report-text.js';

const FORMATS = ['markdown', 'json'] as const;
const DEFAULT_SINCE = '7d';

/** The command; `read` looks at a cluster. */
export function reportCommand(read: ReadCluster): Command {
  return {
    usage: '[--since DURATION] [-o markdown|json]',
    maxWords: 0,
    flags: [
      ...CLUSTER_FLAGS,
      {
        name: 'since',
        value: 'DURATION',
        help: `how far back, such as 24h, 7d or 4w (default: ${DEFAULT_SINCE})`,
      },
      {
        name: 'output',
        short: 'o',
        value: FORMATS.join('|'),
        allowed: FORMATS,
        help: 'how to print it (default: markdown)',
      },
    ],
    details: [
      'Compares the cost of the nodes with that of the nodes which Berth would have had. Needs berth controller --mode observe; see docs/observing.md.',
      'Example: berth report --since 7d > report.md',
    ],
    run: (args, io) => run(args, io, read),
  };
}

export const REPORT = reportCommand(readRealCluster);

async function run(args: Arguments, io: CliIo, read: ReadCluster): Promise<number> {
  const millis = periodMillis('since', args.value('since') ?? DEFAULT_SINCE);
  const seen = await lookAtCluster(read, { args, io, command: 'report', kinds: ['Observation'] });
  if (seen === undefined) return EXIT_ERROR;
  const observation = seen.cluster.observations.get(OBSERVATION_NAME);
  const since = seen.now - millis;
  const period = observation && observationSince(observation, since);
  if (observation === undefined || period === undefined) {
    io.stderr.write(`berth report: ${missing(observation?.updatedAt)}\n`);
    return EXIT_ERROR;
  }
  const report = { observation, period, since, now: seen.now };
  io.stdout.write(
    args.value('output') === 'json' ? jsonText(reportDocument(report)) : reportMarkdown(report),
  );
  return EXIT_OK;
}

function missing(updatedAt: number | undefined): string {
  if (updatedAt === undefined)
    return 'nothing was observed yet; run berth controller --mode observe beside the other system';
  return `nothing was observed in that time; the last update was at ${new Date(updatedAt).toISOString()}`;
}

/** `berth cost`: what the nodes cost, and whose pods account for it. */
import { counted } from '../../../domain/values/text.js';
import { isLabelKey } from '../../../domain/values/labels.js';
import { costBy, type CostGrouping, type CostReport } from '../../../domain/nodes/cost-report.js';
import { costNodes } from '../../../state/nodes/cost-nodes.js';
import type { ReadCluster } from '../../cluster-reader.js';
import type { CliIo } from '../../command/cli-io.js';
import { CLUSTER_FLAGS, lookAtCluster, readRealCluster } from '../cluster-flags.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_OK } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { formatPrice, roundPrice } from '../render/text/numbers.js';
import { tableLines } from '../render/text/table.js';
import { UsageError } from '../../command/usage-error.js';

/** The command; `read` looks at a cluster. */
export function costCommand(read: ReadCluster): Command {
  return {
    usage: '[--by namespace|nodepool|LABEL] [-o table|json|yaml]',
    maxWords: 0,
    flags: [
      ...CLUSTER_FLAGS,
      {
        name: 'by',
        value: 'WHAT',
        help: 'namespace, nodepool or the key of a pod label (default: namespace)',
      },
      OUTPUT_FLAG,
    ],
    details: [
      "A pod pays its node's price times its largest share of any resource; the rest is idle. Prices are USD/h at the node's launch.",
      'Example: berth cost --by team',
    ],
    run: (args, io) => run(args, io, read),
  };
}

export const COST = costCommand(readRealCluster);

async function run(args: Arguments, io: CliIo, read: ReadCluster): Promise<number> {
  const grouping = groupingOf(args.value('by') ?? 'namespace');
  const seen = await lookAtCluster(read, { args, io, command: 'cost', kinds: ['Pod', 'Node', 'NodeClaim'] });
  if (seen === undefined) return EXIT_ERROR;
  const { nodes, unpriced } = costNodes(seen.cluster);
  const report = costBy(nodes, grouping);
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText(document(report, grouping, unpriced)));
      break;
    case 'yaml':
      io.stdout.write(yamlText(document(report, grouping, unpriced)));
      break;
    case 'table':
      io.stdout.write(table(report, grouping));
      if (unpriced > 0) io.stderr.write(`${counted(unpriced, 'node')} without a known price left out\n`);
      break;
  }
  return EXIT_OK;
}

function groupingOf(by: string): CostGrouping {
  if (by === 'namespace' || by === 'nodepool') return { by };
  if (isLabelKey(by)) return { by: 'label', label: by };
  throw new UsageError(`--by ${by}: expected namespace, nodepool or a label key such as team`, {
    aboutFlags: true,
  });
}

function document({ rows, idle, total }: CostReport, grouping: CostGrouping, unpriced: number): unknown {
  return {
    ...grouping,
    rows: rows.map(({ key, pods, hourly }) => ({ key, pods, hourly: roundPrice(hourly) })),
    idle: roundPrice(idle),
    total: roundPrice(total),
    unpricedNodes: unpriced,
  };
}

function table({ rows, idle, total }: CostReport, grouping: CostGrouping): string {
  const header = grouping.by === 'label' ? grouping.label : grouping.by;
  const share = (usd: number): string => (total > 0 ? `${String(Math.round((100 * usd) / total))}%` : '-');
  const lines = rows.map(({ key, pods, hourly }) => [
    key === '' ? '<none>' : key,
    String(pods),
    formatPrice(hourly),
    share(hourly),
  ]);
  const columns = [
    { header: header.toUpperCase() },
    { header: 'PODS', align: 'right' },
    { header: 'USD/H', align: 'right' },
    { header: 'SHARE', align: 'right' },
  ] as const;
  const sums = [
    ['(idle)', '', formatPrice(idle), share(idle)],
    ['(total)', '', formatPrice(total), share(total)],
  ];
  return `${tableLines(columns, [...lines, ...sums]).join('\n')}\n`;
}

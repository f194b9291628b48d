/** `berth doctor`: looks at a cluster, its installation of Berth and the account, or at manifests, and tells what to mend. */
import '../../clouds.js';
import { CHECK_RESULTS, type CheckResult } from '../../../domain/records/check-finding.js';
import { counted } from '../../../domain/values/text.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_FINDINGS, EXIT_OK } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { UsageError } from '../../command/usage-error.js';
import type { CheckOutcome } from '../../doctor/run-checks.js';
import { readSources } from '../../input/read-sources.js';
import { CLUSTER_FLAGS, NAMESPACE_FLAG, namespaceOf } from '../cluster-flags.js';
import { jsonText, yamlText } from '../render/document-text.js';
import type { Style } from '../render/text/style.js';
import { indent, tableLines } from '../render/text/table.js';
import { terminalOf } from '../render/text/terminal.js';
import { wrap } from '../render/text/wrap.js';
import type { Examination } from '../../doctor/examine.js';

/** Looks, and answers what was found. @throws PortError, when nothing can be looked at. */
export type Examine = (examination: Examination) => Promise<readonly CheckOutcome[]>;

export function doctorCommand(examine: Examine): Command {
  return {
    usage: '[--offline -f FILE|DIR|- …] [--scheduler-config FILE] [-o table|json|yaml]',
    maxWords: 0,
    flags: [
      { name: 'offline', help: 'check manifests only; reads no cluster' },
      {
        name: 'filename',
        short: 'f',
        value: 'FILE',
        repeated: true,
        help: 'manifests to check with --offline: files, directories, or - for stdin',
      },
      {
        name: 'scheduler-config',
        value: 'FILE',
        help: "configuration of the cluster's kube-scheduler, when it asks the extender",
      },
      {
        name: 'support-bundle',
        value: 'FILE',
        help: 'also write a tar archive of the findings and of the objects of Berth, without secrets',
      },
      ...CLUSTER_FLAGS,
      NAMESPACE_FLAG,
      OUTPUT_FLAG,
    ],
    details: [
      'Changes nothing. Checks that need a permission which you lack are skipped, with the reason. Exit code 0: no findings; 1: the cluster cannot be read; 3: findings.',
      'Example: berth doctor -o json',
      'Example: kubectl -n berth-system exec deploy/berth -- /nodejs/bin/node /app/berth.js doctor',
    ],
    run: (args, io) => run(args, io, examine),
  };
}

/** Loads the API client only when it is needed. */
export const DOCTOR = doctorCommand(async (examination) => {
  const { examine } = await import('../../doctor/examine.js');
  return examine(examination);
});

async function run(args: Arguments, io: CliIo, examine: Examine): Promise<number> {
  const outcomes = await examine(examinationOf(args, io));
  write(args, io, outcomes);
  const unreachable = outcomes.some(({ check, result }) => check === 'api-server' && result === 'failed');
  if (unreachable) return EXIT_ERROR;
  return outcomes.some(({ result }) => result === 'failed' || result === 'warning') ? EXIT_FINDINGS : EXIT_OK;
}

function examinationOf(args: Arguments, io: CliIo): Examination {
  const paths = args.values('filename');
  const isOffline = args.value('offline') !== undefined;
  if (isOffline && paths.length === 0)
    throw new UsageError('--offline needs -f FILE: manifests to check', { aboutFlags: true });
  if (!isOffline && paths.length > 0)
    throw new UsageError('-f is for --offline: without it the cluster is checked', { aboutFlags: true });
  const given = args.value('scheduler-config');
  const schedulerConfigurations = given === undefined ? [] : readSources([given], io.files);
  return {
    namespace: namespaceOf(args, io),
    schedulerConfigurations,
    manifests: isOffline ? readSources(paths, io.files) : undefined,
    kubeconfig: args.value('kubeconfig'),
    context: args.value('context'),
    bundle: args.value('support-bundle'),
    env: io.env,
  };
}

function write(args: Arguments, io: CliIo, outcomes: readonly CheckOutcome[]): void {
  const document = { summary: summaryOf(outcomes), checks: outcomes };
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText(document));
      break;
    case 'yaml':
      io.stdout.write(yamlText(document));
      break;
    case 'table':
      io.stdout.write(`${tableOf(outcomes, terminalOf(io).style).join('\n')}\n`);
      io.stderr.write(`${summaryText(outcomes)}\n`);
      break;
  }
}

function summaryOf(outcomes: readonly CheckOutcome[]): Readonly<Record<CheckResult, number>> {
  const count = (result: CheckResult): number => outcomes.filter((each) => each.result === result).length;
  return { ok: count('ok'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') };
}

function summaryText(outcomes: readonly CheckOutcome[]): string {
  const summary = summaryOf(outcomes);
  const parts = CHECK_RESULTS.map((result) => `${String(summary[result])} ${result}`);
  return `${counted(outcomes.length, 'finding')}: ${parts.join(', ')}`;
}

const COLUMNS = ['RESULT', 'CHECK', 'EVIDENCE'].map((header) => ({ header }));
const EVIDENCE_WIDTH = 100;

/** What is to be mended stands below its evidence. */
function tableOf(outcomes: readonly CheckOutcome[], style: Style): readonly string[] {
  const paints: Readonly<Record<CheckResult, (text: string) => string>> = {
    ok: style.green,
    warning: style.yellow,
    failed: style.red,
    skipped: style.dim,
  };
  const rows = outcomes.flatMap(({ result, check, evidence, mend }) => {
    const [first = '', ...more] = wrap(evidence, EVIDENCE_WIDTH);
    const below = [...more, ...(mend === '' ? [] : indent(wrap(`Mend: ${mend}`, EVIDENCE_WIDTH - 2), 2))];
    return [[paints[result](result), check, first], ...below.map((line) => ['', '', line])];
  });
  return tableLines(COLUMNS, rows);
}

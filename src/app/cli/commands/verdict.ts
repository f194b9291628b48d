/** `berth approve` and `berth reject`: what a person answers to launches and disruptions that wait (`--mode approve`). */
import type { Verdict } from '../../../domain/records/proposal.js';
import { PortError } from '../../../ports/port-error.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_OK } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { UsageError } from '../../command/usage-error.js';
import type { GiveVerdicts, VerdictAnswer } from '../../give-verdicts.js';
import { CLUSTER_FLAGS } from '../cluster-flags.js';
import { jsonText, yamlText } from '../render/document-text.js';

/** More names than a person types. */
const MOST_NAMES = 1000;

/** The command; `give` writes. */
export function verdictCommand(verdict: Verdict['verdict'], give: GiveVerdicts): Command {
  const name = verdict === 'approved' ? 'approve' : 'reject';
  return {
    usage: `NAME…|--all [--reason TEXT] [-o ${OUTPUT_FLAG.value ?? ''}]`,
    maxWords: MOST_NAMES,
    flags: [
      { name: 'all', help: 'all that wait' },
      { name: 'reason', value: 'TEXT', help: 'recorded with the Decision' },
      ...CLUSTER_FLAGS,
      OUTPUT_FLAG,
    ],
    details: [
      'NAME is that of a Decision: berth get decisions. Your account needs the ClusterRole berth-approver. See docs/approvals.md.',
      `Example: berth ${name} launch-3f9a2c1b`,
    ],
    run: (args, io) => run(args, io, { name, verdict, give }),
  };
}

/** Loads the API client, which takes longer than most commands to run, only when it is needed. */
const giveRealVerdicts: GiveVerdicts = async (request) => {
  const { giveVerdicts } = await import('../../give-verdicts.js');
  return giveVerdicts(request);
};

export const APPROVE = verdictCommand('approved', giveRealVerdicts);
export const REJECT = verdictCommand('rejected', giveRealVerdicts);

interface Given {
  readonly name: string;
  readonly verdict: Verdict['verdict'];
  readonly give: GiveVerdicts;
}

async function run(args: Arguments, io: CliIo, { name, verdict, give }: Given): Promise<number> {
  const isAll = args.value('all') !== undefined;
  if (isAll === args.words.length > 0)
    throw new UsageError('expected names of Decisions, or --all', { aboutFlags: true });
  try {
    const answers = await give({
      kubeconfig: args.value('kubeconfig'),
      context: args.value('context'),
      verdict,
      reason: args.value('reason') ?? '',
      names: isAll ? 'all' : args.words,
    });
    print(io, outputOf(args), verdict, answers);
    for (const { message } of answers.filter(({ isWritten }) => !isWritten))
      io.stderr.write(`berth ${name}: ${message}\n`);
    if (answers.length === 0) io.stderr.write('no proposal waits for approval\n');
    return answers.every(({ isWritten }) => isWritten) ? EXIT_OK : EXIT_ERROR;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    io.stderr.write(`berth ${name}: ${error.message}\n`);
    return EXIT_ERROR;
  }
}

function print(
  { stdout }: CliIo,
  format: ReturnType<typeof outputOf>,
  verdict: Verdict['verdict'],
  answers: readonly VerdictAnswer[],
): void {
  if (format === 'table') {
    for (const { name, isWritten, message } of answers)
      if (isWritten) stdout.write(`${name} ${verdict}: ${message}\n`);
    return;
  }
  const items = answers.map(({ name, by, isWritten, message }) => ({
    name,
    verdict: isWritten ? verdict : null,
    by,
    message,
  }));
  stdout.write(format === 'json' ? jsonText({ items }) : yamlText({ items }));
}

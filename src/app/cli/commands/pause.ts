/** `berth pause` and `berth resume`: no instance is launched or ended while the namespace has the annotation. */
import { describePause } from '../../../domain/records/pause.js';
import { PortError } from '../../../ports/port-error.js';
import type { ChangePause } from '../../change-pause.js';
import type { CliIo } from '../../command/cli-io.js';
import { CLUSTER_FLAGS, NAMESPACE_FLAG, namespaceOf } from '../cluster-flags.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_OK } from '../../command/exit-codes.js';

/** The command; `change` writes the annotation. */
export function pauseCommand(change: ChangePause): Command {
  return {
    usage: '[--reason TEXT] [-n NAMESPACE]',
    maxWords: 0,
    flags: [
      ...CLUSTER_FLAGS,
      NAMESPACE_FLAG,
      {
        name: 'reason',
        value: 'TEXT',
        help: 'shown in events of pods and by berth get, such as "incident 42"',
      },
    ],
    details: [
      'It takes effect within seconds and survives restarts. The extender and the webhooks keep running. See docs/limits.md.',
      'Example: berth pause --reason "incident 42"',
    ],
    run: (args, io) => run(args, io, { change, reason: args.value('reason') ?? '' }),
  };
}

/** The command that ends it. */
export function resumeCommand(change: ChangePause): Command {
  return {
    usage: '[-n NAMESPACE]',
    maxWords: 0,
    flags: [...CLUSTER_FLAGS, NAMESPACE_FLAG],
    details: ['Example: berth resume'],
    run: (args, io) => run(args, io, { change, reason: undefined }),
  };
}

/** Loads the API client, which takes longer than most commands to run, only when it is needed. */
const changeRealPause: ChangePause = async (change) => {
  const { changePause } = await import('../../change-pause.js');
  return changePause(change);
};

export const PAUSE = pauseCommand(changeRealPause);
export const RESUME = resumeCommand(changeRealPause);

async function run(
  args: Arguments,
  io: CliIo,
  { change, reason }: { readonly change: ChangePause; readonly reason: string | undefined },
): Promise<number> {
  try {
    const pause = await change({
      kubeconfig: args.value('kubeconfig'),
      context: args.value('context'),
      namespace: namespaceOf(args, io),
      reason,
      user: io.env['USER'] ?? '',
    });
    io.stdout.write(
      pause === undefined ? 'Resumed launching and terminating instances\n' : `${describePause(pause)}\n`,
    );
    return EXIT_OK;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    io.stderr.write(`berth ${reason === undefined ? 'resume' : 'pause'}: ${error.message}\n`);
    return EXIT_ERROR;
  }
}

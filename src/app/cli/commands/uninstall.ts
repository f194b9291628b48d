/** `berth uninstall`: what has to be done before the release or the manifests are deleted, in the right order. */
import { KubeClient, KubeconfigSource } from '../../../adapters/kube/transport/index.js';
import { PortError } from '../../../ports/port-error.js';
import { systemClock } from '../../../runtime/time/system-clock.js';
import { kubeObjects, type KubeObjects } from '../../handover/kube-objects.js';
import { describeUninstall, uninstall, type UninstallWay } from '../../uninstall/uninstall.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_OK } from '../../command/exit-codes.js';
import { UsageError } from '../../command/usage-error.js';
import { CLUSTER_FLAGS, NAMESPACE_FLAG, namespaceOf } from '../cluster-flags.js';

const DEFAULT_TIMEOUT_MINUTES = 30;

export const UNINSTALL: Command = {
  usage: '--drain|--keep-nodes [--yes] [--timeout MINUTES]',
  maxWords: 0,
  flags: [
    { name: 'drain', help: 'drain and terminate every node of Berth' },
    { name: 'keep-nodes', help: 'leave nodes and instances running, without Berth' },
    { name: 'yes', help: 'do it; without this flag, say what would be done' },
    {
      name: 'timeout',
      value: 'MINUTES',
      help: `how long to wait for nodes (default: ${String(DEFAULT_TIMEOUT_MINUTES)})`,
    },
    ...CLUSTER_FLAGS,
    NAMESPACE_FLAG,
  ],
  details: [
    'Removes the webhooks first, then the policies, then waits for the nodes. Can be run again after an interruption. Then delete the release: helm uninstall berth.',
    'Example: berth uninstall --drain --yes',
  ],
  run,
};

async function run(args: Arguments, io: CliIo): Promise<number> {
  const way = wayOf(args);
  const timeoutMillis = 60_000 * minutesOf(args);
  const clock = systemClock;
  const connection = new KubeconfigSource({
    clock,
    file: args.value('kubeconfig'),
    context: args.value('context'),
  });
  const client = new KubeClient({ connection, clock, userAgent: 'berth-cli', timeoutMillis: 30_000 });
  // The clock's timers do not keep a process alive.
  const awake = setInterval(() => undefined, 60_000);
  try {
    return await confirmed({ args, io, way, objects: kubeObjects(client), timeoutMillis });
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    io.stderr.write(`berth uninstall: ${error.message}\n`);
    return EXIT_ERROR;
  } finally {
    clearInterval(awake);
    client.close();
  }
}

interface Confirmed {
  readonly args: Arguments;
  readonly io: CliIo;
  readonly way: UninstallWay;
  readonly objects: KubeObjects;
  readonly timeoutMillis: number;
}

async function confirmed({ args, io, way, objects, timeoutMillis }: Confirmed): Promise<number> {
  if (args.value('yes') === undefined) {
    io.stdout.write(`${await describeUninstall({ way, objects })}\n`);
    io.stderr.write('Nothing was changed: confirm with --yes\n');
    return EXIT_OK;
  }
  const tell = (text: string): void => {
    io.stdout.write(`${text}\n`);
  };
  await uninstall({
    way,
    objects,
    timeoutMillis,
    tell,
    namespace: namespaceOf(args, io),
    clock: systemClock,
  });
  tell('Nothing of the cluster waits for Berth any more. Now delete the release: helm uninstall berth');
  return EXIT_OK;
}

function wayOf(args: Arguments): UninstallWay {
  const [drains, keeps] = ['drain', 'keep-nodes'].map((flag) => args.value(flag) !== undefined);
  if (drains === keeps)
    throw new UsageError('expected one of --drain and --keep-nodes', { aboutFlags: true });
  return drains === true ? 'drain' : 'keep';
}

function minutesOf(args: Arguments): number {
  const text = args.value('timeout') ?? String(DEFAULT_TIMEOUT_MINUTES);
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError(`--timeout ${text}: expected whole minutes from 1 to 9999`, { aboutFlags: true });
}

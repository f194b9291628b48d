/** `berth demo`: a cluster and a cloud imagined on this machine, Berth beside them, and a whole life of nodes in minutes. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { catalogueFor } from '../../catalogue/index.js';
import { DEFAULT_PLAN_OPTIONS } from '../../planning/plan-options.js';
import type { Plan } from '../../planning/plan.js';
import { plan } from '../../planning/engine/plan.js';
import { buildSnapshot } from '../../planning/snapshot/build-snapshot.js';
import { pinoLogger } from '../../runtime/pino-logger.js';
import { systemClock } from '../../runtime/system-clock.js';
import { REGION } from '../../../world/demo/embedded-region.js';
import { exampleFolders, folderManifests, ownManifests } from '../../../world/demo/manifest-set.js';
import { clusterInput } from '../input/cluster-input.js';
import { demandOf } from '../input/demand.js';
import { readManifests } from '../input/read-manifests.js';
import { readSources } from '../input/read-sources.js';
import { stopSignal } from '../service/stop-signal.js';
import type { CliIo } from './cli-io.js';
import type { Arguments, Command } from './command.js';
import { EXIT_ERROR, EXIT_OK } from './exit-codes.js';
import { terminalOf } from './render/terminal.js';
import { UsageError } from './usage-error.js';

const DEFAULT_SPEED = 24;
const MOST_SPEED = 30;

export const DEMO: Command = {
  usage: '[--once] [--speed N] [--fast] [--manifests DIR] [--directory DIR]',
  maxWords: 0,
  flags: [
    { name: 'once', help: 'end after the summary: exit code 0 when all that was expected happened, else 1' },
    {
      name: 'speed',
      value: 'N',
      help: `how many times as fast as your clock time runs at most, 1 to ${String(MOST_SPEED)} (default: ${String(DEFAULT_SPEED)})`,
    },
    { name: 'fast', help: 'stay so fast after the summary; ages by your own clock are too large then' },
    { name: 'seed', value: 'N', help: 'of chance in the world: boot times, names (default: 1)' },
    { name: 'manifests', value: 'DIR', help: "Berth's manifests folder (default: manifests)" },
    { name: 'directory', value: 'DIR', help: 'where kubeconfig and logs go (default: .berth)' },
  ],
  details: [
    'Applies the manifests and every example, then scales down, rolls out a new image, and loses a spot machine.\n' +
      'Time slows down while this machine cannot keep up. Without --once the world then catches up with your clock and\n' +
      'stays up for your own kubectl until Ctrl-C.',
  ],
  run,
};

async function run(args: Arguments, io: CliIo): Promise<number> {
  const manifests = args.value('manifests') ?? 'manifests';
  const folders = exampleFolders(manifests, io.files);
  const { Demo } = await import('../../../world/demo/run-demo.js');
  const { style } = terminalOf(io);
  const demo = new Demo({
    speed: numberOf(args, 'speed', DEFAULT_SPEED, MOST_SPEED),
    staysFast: args.value('fast') !== undefined,
    seed: numberOf(args, 'seed', 1, 2 ** 31),
    directory: args.value('directory') ?? '.berth',
    program: fileURLToPath(io.program),
    own: ownManifests(manifests, io.files),
    examples: folders.map((name) => ({ name, manifests: folderManifests(name, io.files) })),
    plan: planOf(folders, io),
    wall: systemClock,
    logger: pinoLogger({ level: 'error', clock: systemClock }),
    style,
    version: 'demo',
    write: (line) => {
      io.stdout.write(`${line}\n`);
    },
  });
  const stopped = stopSignal(process);
  const isOver = new Promise<'stopped'>((resolve) => {
    stopped.addEventListener('abort', () => {
      resolve('stopped');
    });
  });
  try {
    const outcome = await Promise.race([demo.run(), isOver]);
    if (args.value('once') === undefined && outcome !== 'stopped') {
      io.stdout.write('\nThe world goes on until Ctrl-C: try kubectl on it, or open the page.\n');
      await Promise.race([demo.catchUp(), isOver]);
      await isOver;
    }
    return outcome === false ? EXIT_ERROR : EXIT_OK;
  } finally {
    await demo.close();
  }
}

function planOf(folders: readonly string[], io: CliIo): Plan {
  const manifests = readManifests(readSources(folders, io.files));
  const { pods } = demandOf(manifests.cluster.pods);
  return plan(buildSnapshot(clusterInput(manifests, pods, catalogueFor(REGION))), DEFAULT_PLAN_OPTIONS);
}

/** @throws UsageError */
function numberOf(args: Arguments, flag: string, fallback: number, most: number): number {
  const text = args.value(flag);
  if (text === undefined) return fallback;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (number >= 1 && number <= most) return number;
  throw new UsageError(`--${flag} ${text}: expected a whole number from 1 to ${String(most)}`, {
    aboutFlags: true,
  });
}

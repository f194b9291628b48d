/** `berth demo`: a cluster and a cloud imagined on this machine, Berth beside them, and a whole life of nodes in minutes. */
import { fileURLToPath } from 'node:url';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR } from '../../command/exit-codes.js';
import { UsageError } from '../../command/usage-error.js';

/** What the user asked of the demo. */
export interface DemoRequest {
  /** How many times as fast as the host's clock time runs at most. */
  readonly speed: number;
  /** Whether it stays so fast after the summary. */
  readonly staysFast: boolean;
  /** Whether it ends after the summary. */
  readonly once: boolean;
  readonly seed: number;
  /** Path of Berth's manifests folder. */
  readonly manifests: string;
  /** Path of the folder for kubeconfig and logs. */
  readonly directory: string;
  /** Path of the program that runs as Berth's controller. */
  readonly program: string;
}

/** What the bundle of the simulated world exports. */
interface WorldModule {
  /** Answers the exit code. */
  runDemo(request: DemoRequest, io: CliIo): Promise<number>;
}

/** The bundle that `npm run build` puts beside the program, which holds nothing of it. */
const WORLD = './world.js';
const DEFAULT_SPEED = 24;
const MOST_SPEED = 30;

export const DEMO: Command = {
  usage: '[--once] [--speed N] [--fast] [--manifests DIR] [--directory DIR]',
  maxWords: 0,
  flags: [
    { name: 'once', help: 'exit after the summary: with 0 if all expectations were met, else 1' },
    {
      name: 'speed',
      value: 'N',
      help: `maximum speed of simulated time as a multiple of real time, 1 to ${String(MOST_SPEED)} (default: ${String(DEFAULT_SPEED)})`,
    },
    { name: 'fast', help: 'keep the simulated time fast after the summary; ages then look too large' },
    { name: 'seed', value: 'N', help: 'seed of random boot times and names (default: 1)' },
    { name: 'manifests', value: 'DIR', help: "Berth's manifests folder (default: manifests)" },
    { name: 'directory', value: 'DIR', help: 'directory for kubeconfig and logs (default: .berth)' },
  ],
  details: [
    'Applies the manifests and all examples, scales down, rolls out a new image, and interrupts a spot instance.\n' +
      'Simulated time slows down when this computer cannot keep up. Without --once it then catches up with real time, and\n' +
      'the simulation runs until Ctrl-C, for use with kubectl.',
  ],
  run,
};

async function run(args: Arguments, io: CliIo): Promise<number> {
  const request: DemoRequest = {
    speed: numberOf(args, 'speed', DEFAULT_SPEED, MOST_SPEED),
    staysFast: args.value('fast') !== undefined,
    once: args.value('once') !== undefined,
    seed: numberOf(args, 'seed', 1, 2 ** 31),
    manifests: args.value('manifests') ?? 'manifests',
    directory: args.value('directory') ?? '.berth',
    program: fileURLToPath(io.program),
  };
  const bundle = new URL(WORLD, io.program);
  const path = fileURLToPath(bundle);
  if (io.files.kind(path) !== 'file') {
    io.stderr.write(
      `berth demo: ${path} does not exist: the simulated cluster and cloud are a file of their own, which the container image leaves out; build it from a checkout with \`make build\`\n`,
    );
    return EXIT_ERROR;
  }
  const world = (await import(bundle.href)) as WorldModule;
  return world.runDemo(request, io);
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

/** `berth adopt` takes running nodes over without replacing them, and `berth release` gives them back to Karpenter. */
import { describePause } from '../../../domain/records/pause.js';
import { PortError } from '../../../ports/port-error.js';
import type { ChangePause } from '../../change-pause.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command, Flag } from '../../command/command.js';
import { EXIT_ERROR, EXIT_FINDINGS, EXIT_OK } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { UsageError } from '../../command/usage-error.js';
import { handOver, type HandoverResult } from '../../handover/hand-over.js';
import { lookAtKarpenter, startAgain, untilStopped } from '../../handover/karpenter-process.js';
import type { OpenHandover } from '../../handover/open-handover.js';
import type { HandoverWish } from '../../handover/survey.js';
import { CLOUD_FLAGS, readServiceOptions } from '../../service/options/options.js';
import type { ServiceOptions } from '../../service/options/service-options.js';
import {
  handoverDocument,
  nodeText,
  outcomes,
  pastOf,
  stepsText,
  summaryText,
  type HandoverVerb,
} from '../render/handover-text.js';
import { jsonText, yamlText } from '../render/document-text.js';

/** What the commands reach of the outside, beside `CliIo`. */
export interface HandoverMeans {
  readonly open: (options: ServiceOptions) => Promise<OpenHandover>;
  readonly pause: ChangePause;
}

/** Of the pause that a release leaves: an adoption ends it. */
const RELEASED = 'released to Karpenter';
const MOST_NODES = 1000;
/** How often it is looked whether Karpenter was started again. */
const CHECK_MILLIS = 5000;

const SHARED_FLAGS: readonly Flag[] = [
  {
    name: 'nodepool',
    value: 'NAME',
    repeated: true,
    help: 'only nodes of this NodePool; may be repeated (default: all)',
  },
  { name: 'dry-run', help: 'print the steps, and change nothing' },
  {
    name: 'stop-other',
    help: 'scale the Deployment of Karpenter to 0, and remember its replicas for the way back',
  },
  { name: 'timeout', value: 'SECONDS', help: 'how long to wait until Karpenter has stopped (default: 300)' },
  OUTPUT_FLAG,
  ...CLOUD_FLAGS,
];

export function adoptCommand(means: HandoverMeans): Command {
  return {
    usage: '--from karpenter|nodegroup [--nodepool NAME] [NODE …] [--dry-run]',
    maxWords: MOST_NODES,
    flags: [
      {
        name: 'from',
        value: 'karpenter|nodegroup',
        allowed: ['karpenter', 'nodegroup'],
        help: 'whose the nodes are; with nodegroup, --nodepool names the NodePool of the Nodes that are named',
      },
      ...SHARED_FLAGS,
    ],
    details: [
      'No pod is evicted, and no instance is launched or terminated. Karpenter must have stopped. After an interruption, run the command again: it continues. Changes tags with your credentials, not those of Berth. See docs/migrating.md.',
      'Exit code 3: nodes were refused; the reason is printed for each.',
      'Example: berth adopt --from karpenter --cloud aws --cluster-name my-cluster --stop-other --dry-run',
    ],
    run: (args, io) => run(args, io, { means, verb: 'adopt', wish: adoptionOf(args) }),
  };
}

export function releaseCommand(means: HandoverMeans): Command {
  return {
    usage: '--to karpenter [--nodepool NAME] [--dry-run]',
    maxWords: 0,
    flags: [
      { name: 'to', value: 'karpenter', allowed: ['karpenter'], help: 'who gets the nodes' },
      ...SHARED_FLAGS,
    ],
    details: [
      'The way back from berth adopt, also for nodes that Berth launched. Without --nodepool it pauses Berth first, and starts Karpenter at the end if --stop-other stopped it. Do not start Karpenter before the command has ended: it would launch instances for NodeClaims that are not complete. See docs/migrating.md.',
      'Exit code 3: nodes were refused; the reason is printed for each.',
      'Example: berth release --to karpenter --cloud aws --cluster-name my-cluster',
    ],
    run: (args, io) => run(args, io, { means, verb: 'release', wish: releaseOf(args) }),
  };
}

/** Loads the API client and the cloud's SDK, which take longer than most commands to run, only when they are needed. */
const REAL_MEANS: HandoverMeans = {
  open: async (options) => (await import('../../handover/open-handover.js')).openHandover(options),
  pause: async (change) => (await import('../../change-pause.js')).changePause(change),
};

export const ADOPT = adoptCommand(REAL_MEANS);
export const RELEASE = releaseCommand(REAL_MEANS);

function adoptionOf(args: Arguments): HandoverWish {
  const from = args.value('from');
  const nodePools = args.values('nodepool');
  const nodes = args.words;
  if (from === 'karpenter') {
    if (nodes.length > 0) throw new UsageError('with --from karpenter, nodes are chosen by --nodepool');
    return { direction: 'adopting', from, nodePools, nodes };
  }
  if (from !== 'nodegroup')
    throw new UsageError('--from is required: karpenter or nodegroup', { aboutFlags: true });
  if (nodePools.length !== 1)
    throw new UsageError('--from nodegroup needs one --nodepool: the NodePool that the nodes come to');
  if (nodes.length === 0) throw new UsageError('--from nodegroup needs the names of Nodes');
  return { direction: 'adopting', from, nodePools, nodes };
}

function releaseOf(args: Arguments): HandoverWish {
  if (args.value('to') === undefined)
    throw new UsageError('--to is required: karpenter', { aboutFlags: true });
  return { direction: 'releasing', nodePools: args.values('nodepool'), nodes: [] };
}

interface Work {
  readonly means: HandoverMeans;
  readonly verb: HandoverVerb;
  readonly wish: HandoverWish;
}

async function run(args: Arguments, io: CliIo, work: Work): Promise<number> {
  const options = readServiceOptions(args, io.env);
  const timeoutMillis = timeoutOf(args);
  try {
    const opened = await work.means.open(options);
    try {
      const results = await handedOver(args, io, { ...work, opened, options, timeoutMillis });
      print(args, io, work.verb, results);
      return exitCode(results);
    } finally {
      opened.close();
    }
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    io.stderr.write(`berth ${work.verb}: ${error.message}\n`);
    return EXIT_ERROR;
  }
}

interface OpenWork extends Work {
  readonly opened: OpenHandover;
  readonly options: ServiceOptions;
  readonly timeoutMillis: number;
}

async function handedOver(args: Arguments, io: CliIo, work: OpenWork): Promise<readonly HandoverResult[]> {
  const { verb, wish, opened, timeoutMillis } = work;
  const { context, clock } = opened;
  const { objects } = context;
  const isDryRun = args.value('dry-run') !== undefined;
  const meetsKarpenter = wish.from !== 'nodegroup';
  const isWhole = wish.nodePools.length === 0;
  const tell = (text: string): void => {
    io.stderr.write(text);
  };
  if (meetsKarpenter && isDryRun)
    for (const text of (await lookAtKarpenter(objects, clock.now())).running)
      tell(`Karpenter runs, and must be stopped first: ${text}\n`);
  if (!isDryRun && meetsKarpenter) {
    const stops = args.value('stop-other') !== undefined;
    await untilStopped({ objects, clock, stops, timeoutMillis, tell });
    if (isWhole && verb === 'release') await pauseBerth(io, work);
  }
  let through = 0;
  const results = await handOver({
    wish,
    context,
    isDryRun,
    check: meetsKarpenter ? stoppedCheck(opened) : () => Promise.resolve(),
    tell: (result, total) => {
      through++;
      const text = progressText(result, verb);
      if (text !== undefined) tell(`[${String(through)}/${String(total)}] ${text}\n`);
    },
  });
  if (!isDryRun && meetsKarpenter && isWhole) await settle(io, work, results);
  return results;
}

/** Looks again now and then. */
function stoppedCheck({ context: { objects }, clock }: OpenHandover): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let lookedAt = clock.monotonic();
  return () => {
    if (clock.monotonic() - lookedAt < CHECK_MILLIS) return last;
    lookedAt = clock.monotonic();
    last = lookAtKarpenter(objects, clock.now()).then(({ running }) => {
      if (running.length === 0) return;
      throw new PortError('Unavailable', {
        operation: 'hand nodes over',
        message: `Karpenter was started again: ${running.join('; ')}; stop it, and what starts it (GitOps?), and run the command again`,
      });
    });
    return last;
  };
}

function progressText(result: HandoverResult, verb: HandoverVerb): string | undefined {
  switch (result.outcome) {
    case 'done':
      return `${pastOf(verb)} ${nodeText(result)}`;
    case 'refused':
    case 'failed':
      return `${result.outcome} ${nodeText(result)}: ${result.message ?? ''}`;
    case 'planned':
    case 'unchanged':
      return undefined;
  }
}

/** Two autoscalers would both launch nodes for the same pods. */
async function pauseBerth(io: CliIo, { means, options }: OpenWork): Promise<void> {
  const pause = await means.pause({ ...pauseTarget(io, options), reason: RELEASED });
  if (pause !== undefined) io.stderr.write(`${describePause(pause)}\n`);
}

/** The new owner continues: Karpenter is started where it was stopped, or Berth resumed where a release had paused it. */
async function settle(
  io: CliIo,
  { verb, means, options, opened }: OpenWork,
  results: readonly HandoverResult[],
): Promise<void> {
  const { refused, failed } = outcomes(results);
  const left = refused + failed;
  if (verb === 'release') {
    const started = left > 0 ? [] : await startAgain(opened.context.objects);
    for (const text of started) io.stderr.write(`started Deployment ${text}\n`);
    if (left > 0) io.stderr.write('Karpenter was not started, since nodes are left\n');
    return;
  }
  const pause = await opened.pauseOf();
  if (pause?.reason !== RELEASED) return;
  await means.pause({ ...pauseTarget(io, options), reason: undefined });
  io.stderr.write('ended the pause of the release before\n');
}

function pauseTarget(io: CliIo, { kubeconfig, context, namespace }: ServiceOptions) {
  return { kubeconfig, context, namespace, user: io.env['USER'] ?? '' };
}

function print(args: Arguments, io: CliIo, verb: HandoverVerb, results: readonly HandoverResult[]): void {
  const dryRun = args.value('dry-run') !== undefined;
  const document = (): unknown => handoverDocument(results, { command: verb, dryRun });
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText(document()));
      break;
    case 'yaml':
      io.stdout.write(yamlText(document()));
      break;
    case 'table':
      if (dryRun) io.stdout.write(stepsText(results));
      io.stdout.write(`${summaryText(results, verb)}\n`);
      break;
  }
}

function exitCode(results: readonly HandoverResult[]): number {
  const { refused, failed } = outcomes(results);
  if (failed > 0) return EXIT_ERROR;
  return refused > 0 ? EXIT_FINDINGS : EXIT_OK;
}

function timeoutOf(args: Arguments): number {
  const text = args.value('timeout') ?? '300';
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text) * 1000;
  throw new UsageError(`--timeout ${text}: expected whole seconds, such as 300`, { aboutFlags: true });
}

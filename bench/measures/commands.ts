/** What short commands cost: the processor time of a whole process, from its start to its end. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { Bench } from '../run-workload.js';
import { verdict, type Measure } from './measure.js';

const ROUNDS = 7;

interface ShortCommand {
  readonly name: string;
  readonly argv: readonly string[];
  readonly input?: string;
  /** Most seconds of processor time. */
  readonly most: number;
}

const COMMANDS: readonly ShortCommand[] = [
  { name: 'berth --version', argv: ['--version'], most: 0.15 },
  { name: 'berth plan, ten pods', argv: ['plan', '-f', '-'], input: tenPods(), most: 0.45 },
];

/** Builds the program, and runs each command a few times; the least time of all rounds counts. */
export function measureCommands({ projectRoot }: Bench): Promise<Measure> {
  execFileSync(process.execPath, ['esbuild.config.js'], { cwd: projectRoot });
  const program = join(projectRoot, 'dist/berth.js');
  const rows = COMMANDS.map(({ name, argv, input, most }) => {
    const times = Array.from({ length: ROUNDS }, () => cpuSeconds([program, ...argv], input));
    const seconds = Math.min(...times);
    return { command: name, cpuSeconds: seconds, most, reached: seconds < most };
  });
  const node = Math.min(...Array.from({ length: ROUNDS }, () => cpuSeconds(['-e', '0'], undefined)));
  const lines = rows.map(
    ({ command, cpuSeconds: seconds, most, reached }) =>
      `  ${command.padEnd(22)} ${seconds.toFixed(3)} s of CPU ${verdict(`under ${String(most)} s`, reached)}`,
  );
  return Promise.resolve({
    line: [`commands (Node alone: ${node.toFixed(3)} s of CPU):`, ...lines].join('\n'),
    figures: { rows, nodeCpuSeconds: node },
    valid: true,
    reached: rows.every(({ reached }) => reached),
  });
}

/**
 * Seconds of processor time, of all threads, in user and system.
 * @throws Error when the command fails.
 */
function cpuSeconds(argv: readonly string[], input: string | undefined): number {
  const script = 'TIMEFORMAT="%U %S"; time "$@" > /dev/null';
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...argv], {
    encoding: 'utf8',
    input,
  });
  if (status !== 0) throw new Error(`${argv.join(' ')}: exit code ${String(status)}: ${stderr}`);
  const [user = NaN, system = NaN] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return user + system;
}

/** A Deployment of ten pods, a NodePool that leaves all types open, and its EC2NodeClass. */
function tenPods(): string {
  const nodeClass = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      role: 'node',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { cluster: 'bench' } }],
      securityGroupSelectorTerms: [{ tags: { cluster: 'bench' } }],
    },
  };
  const capacityType = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] };
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const pool = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: { template: { spec: { nodeClassRef, requirements: [capacityType] } } },
  };
  const containers = [{ name: 'web', image: 'web', resources: { requests: { cpu: '1', memory: '1Gi' } } }];
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
    },
  };
  return [nodeClass, pool, deployment].map((document) => JSON.stringify(document)).join('\n---\n');
}

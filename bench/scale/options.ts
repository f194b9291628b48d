/** What the scale bench is asked on its command line. */
import { parseArgs } from 'node:util';

export const CASES = ['start', 'pending', 'small', 'churn', 'consolidate'] as const;
export type CaseName = (typeof CASES)[number];

/** One case of a run: what its child process is started with. */
export interface CaseRequest {
  readonly name: CaseName;
  /** Nodes that are there before. */
  readonly nodes: number;
  readonly podsPerNode: number;
  /** That become Unschedulable at once. */
  readonly pods: number;
  /** Milliseconds that the API server takes for each request. */
  readonly latencyMillis: number;
  /** MiB that Berth may hold; a row with more has failed. */
  readonly memoryMiB: number;
  readonly profile: boolean;
  /** Seconds after which the case is stopped. */
  readonly limitSeconds: number;
}

export interface ScaleOptions {
  readonly cases: readonly CaseRequest[];
}

export const USAGE = `bench/scale/run [start|pending|small|churn|consolidate …] [--nodes N] [--pods-per-node N] [--pods N] [--latency MS] [--memory MIB]
                [--limit SECONDS] [--profile]
  start               start at a full cluster, until the first decision (--nodes 5000 --pods-per-node 30)
  pending             pods that become Unschedulable at once, on 0 and on 2,000 nodes (--pods 50000; --nodes N: on N only)
  small               five pods on an empty cluster, again and again (--pods 5)
  churn               100 pods a second replaced, alone and beside kube-scheduler's calls (--nodes 5000 --pods-per-node 10)
  consolidate         a half-full cluster, until nothing more is consolidated (--nodes 2000 --pods-per-node 10)
  --latency MS        what the API server takes for each request (each case twice, with 0 and with 10; consolidate once, with 10)
  --memory MIB        a row whose peak is above it has failed (the limit of manifests/base/controller.yaml)
  --limit SECONDS     stop a case after so long
  --profile           also write down which functions take the main thread's time
Without a case: all of them, which takes about 40 minutes. Needs Go.
`;

/** Sizes of the goals. */
const DEFAULTS: Readonly<Record<CaseName, Pick<CaseRequest, 'podsPerNode' | 'pods' | 'limitSeconds'>>> = {
  start: { podsPerNode: 30, pods: 1, limitSeconds: 300 },
  pending: { podsPerNode: 10, pods: 50_000, limitSeconds: 420 },
  small: { podsPerNode: 0, pods: 5, limitSeconds: 240 },
  churn: { podsPerNode: 10, pods: 0, limitSeconds: 480 },
  consolidate: { podsPerNode: 10, pods: 0, limitSeconds: 720 },
};
const NODES: Readonly<Record<CaseName, readonly number[]>> = {
  start: [5000],
  pending: [0, 2000],
  small: [0],
  churn: [5000],
  consolidate: [2000],
};
const LATENCIES = [0, 10];
/** Consolidation waits for evictions and instances, not for the API server: the slow one is enough. */
const LEAST_LATENCY: Readonly<Partial<Record<CaseName, number>>> = { consolidate: 10 };

/**
 * @param memoryMiB the limit of Berth's own manifest.
 * @throws Error naming an argument that is unknown or no number.
 */
export function readScaleOptions(argv: readonly string[], memoryMiB: number): ScaleOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      nodes: { type: 'string' },
      'pods-per-node': { type: 'string' },
      pods: { type: 'string' },
      latency: { type: 'string' },
      memory: { type: 'string' },
      limit: { type: 'string' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const given = (name: 'nodes' | 'pods-per-node' | 'pods' | 'latency' | 'memory' | 'limit') =>
    count(name, values[name]);
  const latency = given('latency');
  const nodes = given('nodes');
  const names = positionals.length === 0 ? CASES : positionals.map(caseName);
  const cases = (latency === undefined ? LATENCIES : [latency]).flatMap((latencyMillis) =>
    names
      .filter((name) => latency !== undefined || latencyMillis >= (LEAST_LATENCY[name] ?? 0))
      .flatMap((name) =>
        (nodes === undefined || name === 'small' ? NODES[name] : [nodes]).map((size): CaseRequest => {
          const usual = DEFAULTS[name];
          return {
            ...{ name, nodes: size, latencyMillis, profile: values.profile },
            podsPerNode: given('pods-per-node') ?? usual.podsPerNode,
            pods: given('pods') ?? usual.pods,
            memoryMiB: given('memory') ?? memoryMiB,
            limitSeconds: given('limit') ?? usual.limitSeconds,
          };
        }),
      ),
  );
  return { cases };
}

function caseName(text: string): CaseName {
  const name = CASES.find((known) => known === text);
  if (name !== undefined) return name;
  throw new Error(`there is no case '${text}', only ${CASES.join(', ')}`);
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0) return value;
  throw new Error(`--${name} must be a whole number, 0 or more, not '${text}'`);
}

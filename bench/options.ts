/** What the benchmark is asked on its command line. */
import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** A workload, or how its name begins; undefined: all of them and what else is measured. */
  readonly name: string | undefined;
  /** Planned besides the workload as it is. */
  readonly shuffles: number;
  /** Whether Karpenter runs, if it can be built. */
  readonly karpenter: boolean;
  /** Seconds after which a Karpenter run is stopped. */
  readonly karpenterSeconds: number;
  /** Seconds of processor time that Berth's repeats of one workload may take. */
  readonly budget: number;
}

/** Seconds of processor time in which V8 is done with a fast plan. */
const BUDGET = 10;

/** Of Karpenter, with a name so that the whole takes less than a minute, and without. */
const SHORT_RUN = 15;
const LONG_RUN = 120;
const MOST_SHUFFLES = 12;

export const USAGE = `bench/run [NAME] [--shuffles N] [--no-karpenter] [--karpenter-seconds N] [--budget SECONDS]
  NAME                   a workload, or how its name begins, or scaling, second-batch, consolidation, disruptor, churn, memory,
                         extender, commands, blowups or one of them (blowup-gangs); without it, everything, which takes
                         twenty to forty minutes
  --shuffles N           also plan N shuffles: pods from another seed, in another order, under other names
                         (0 with a NAME, ${String(MOST_SHUFFLES)} without)
  --no-karpenter         Berth only
  --karpenter-seconds N  stop a Karpenter run after so long (${String(SHORT_RUN)} with a NAME, ${String(LONG_RUN)} without)
  --budget SECONDS       processor time that Berth's repeats of one workload may take (${String(BUDGET)})
Workloads of a folder that BERTH_BENCH_DIR names (NAME.json and catalog.json) are planned too.
`;

/** @throws Error naming an argument that is unknown or no number. */
export function readOptions(argv: readonly string[]): BenchOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      shuffles: { type: 'string' },
      'no-karpenter': { type: 'boolean', default: false },
      'karpenter-seconds': { type: 'string' },
      budget: { type: 'string', default: String(BUDGET) },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const [name] = positionals;
  const usual = name === undefined ? LONG_RUN : SHORT_RUN;
  return {
    name,
    shuffles: count('shuffles', values.shuffles ?? String(name === undefined ? MOST_SHUFFLES : 0)),
    karpenter: !values['no-karpenter'],
    karpenterSeconds: count('karpenter-seconds', values['karpenter-seconds'] ?? String(usual)),
    budget: count('budget', values.budget),
  };
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 0)
    throw new Error(`--${name} must be a whole number, 0 or more, not '${text}'`);
  return value;
}

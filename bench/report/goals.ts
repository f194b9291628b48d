/** What issue 6 wants of each workload, beside what came of it. */
import { aligned } from './aligned.js';
import type { Row } from './row.js';
import type { ShuffleRow } from './shuffle-row.js';
import { diverseShare, fasterBy, ratioOf } from './table.js';

interface Goal {
  /** Most that the price may be, by the bound. */
  readonly ratio?: number | undefined;
  /** Least times the pods per second of the better Karpenter run. */
  readonly faster?: number | undefined;
  /** Most seconds. */
  readonly seconds?: number | undefined;
}

/** How names of workloads begin → what is wanted on demand, and with spot. */
const GOALS: readonly (readonly [RegExp, Goal, Goal])[] = [
  [/^(a-)?homog/, { ratio: 1.001, faster: 300 }, { ratio: 1.001, faster: 300 }],
  [/^(b-)?mixed/, { ratio: 1.003, faster: 100 }, { ratio: 1.015, faster: 100 }],
  [/^(c2-)?deploy/, { ratio: 1.015, faster: 100 }, { ratio: 1.04, faster: 100 }],
  [/^(c-)?diverse/, { ratio: 1.055, faster: 100 }, { ratio: 1.09, faster: 100 }],
  [/^(d-)?multi-?pool/, { ratio: 1.012, faster: 100 }, { ratio: 1.012, faster: 100 }],
  [/^shapes-50k/, { seconds: 0.3 }, { seconds: 0.3 }],
];

function goalOf(workload: string): Goal {
  const [, onDemand, spot] = GOALS.find(([name]) => name.test(workload)) ?? [];
  return (workload.endsWith('-spot') ? spot : onDemand) ?? {};
}

export interface Reached {
  readonly workload: string;
  readonly ratio: number | undefined;
  readonly worstRatio: number | undefined;
  readonly faster: number | undefined;
  readonly goal: Goal;
  /** What falls short, in a word each. */
  readonly short: readonly ('price' | 'speed' | 'seconds' | 'rules')[];
}

/** One for each row of Berth's: prices are medians of its shuffles where there are any. */
export function reachedGoals(rows: readonly Row[], shuffles: readonly ShuffleRow[]): readonly Reached[] {
  return rows
    .filter(({ solver }) => solver === 'berth')
    .map((row) => {
      const shuffled = shuffles.find(({ workload }) => workload === row.workload);
      const goal = goalOf(row.workload);
      const ratio = shuffled?.medianRatio ?? ratioOf(row);
      const faster = fasterBy(row, rows);
      const isValid = row.valid && shuffled?.valid !== false;
      const short = shortOf(goal, { ratio, faster, seconds: row.seconds, isValid });
      return { workload: row.workload, ratio, worstRatio: shuffled?.worstRatio, faster, goal, short };
    });
}

interface Figures {
  readonly ratio: number | undefined;
  readonly faster: number | undefined;
  readonly seconds: number;
  readonly isValid: boolean;
}

/** What was not measured does not fall short. */
function shortOf(goal: Goal, { ratio = 0, faster = Infinity, seconds, isValid }: Figures): Reached['short'] {
  const checks: readonly (readonly [boolean, Reached['short'][number]])[] = [
    [ratio > (goal.ratio ?? Infinity), 'price'],
    [faster < (goal.faster ?? 0), 'speed'],
    [seconds >= (goal.seconds ?? Infinity), 'seconds'],
    [!isValid, 'rules'],
  ];
  return checks.flatMap(([isShort, what]) => (isShort ? [what] : []));
}

export const GOALS_LEGEND = `ratio: price by bound, the median of the shuffles where there are any, and the worst of them; x: times the pods per second of the better
of Karpenter's two runs; ms: a middle warm run; highest/lowest: price at the most expensive listed offering of each claim, by that at the cheapest.
`;

/** A line for each workload: what was reached beside what is wanted, and what falls short. */
export function goalsTable(rows: readonly Row[], shuffles: readonly ShuffleRow[]): string {
  const head = [
    'workload',
    'falls short',
    'ratio',
    'wanted',
    'worst',
    'x',
    'wanted',
    'ms',
    'wanted',
    'spot>=15',
    'highest/lowest',
    'valid',
  ];
  const lines = reachedGoals(rows, shuffles).map((reached) => {
    const row = rows.find(({ workload, solver }) => workload === reached.workload && solver === 'berth');
    const shuffled = shuffles.find(({ workload }) => workload === reached.workload);
    return [
      ...pricesAndSpeed(reached),
      ...timeAndChoice(row, shuffled, reached.goal),
      reached.short.includes('rules') ? 'no' : 'yes',
    ];
  });
  return aligned([head, ...lines]);
}

function pricesAndSpeed({ workload, ratio, worstRatio, faster, goal, short }: Reached): readonly string[] {
  return [
    workload,
    short.join(', ') || '-',
    fixed(ratio, 4),
    fixed(goal.ratio, 3),
    fixed(worstRatio, 4),
    fixed(faster, 0),
    fixed(goal.faster, 0),
  ];
}

function timeAndChoice(
  row: Row | undefined,
  shuffled: ShuffleRow | undefined,
  { seconds }: Goal,
): readonly string[] {
  const alone = row?.berth && row.berth.highest / row.hourly;
  return [
    fixed(row && 1000 * row.seconds, 1),
    fixed(seconds && 1000 * seconds, 0),
    diverseShare(row?.berth),
    fixed(shuffled?.highestShare ?? alone, 2),
  ];
}

function fixed(value: number | undefined, digits: number): string {
  return value?.toFixed(digits) ?? '';
}

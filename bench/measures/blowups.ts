/** Inputs that once made planning slow or large: what their largest sizes take, and how time grows up to there. */
import { growthExponent } from '../report/growth.js';
import type { Bench } from '../run-workload.js';
import { measureBlowupInProcess } from '../solvers/berth.js';
import type { BlowupPoint } from '../solvers/measure-blowup.js';
import { BLOWUPS, HOSTILE, type Blowup } from '../workloads/blowups.js';
import { workloadFolder } from '../workload-folder.js';
import { verdict, type Measure } from './measure.js';

const MOST_SECONDS = 2;
const MOST_MEBIBYTES = 400;
const MOST_EXPONENT = 1.2;
/** What one hostile pod may add to the planning of a thousand others. */
const MOST_DELAY = 1;
/** Rounds of measuring a kind until it is as wanted: other work on the host makes processor time longer, never shorter. */
const MOST_ROUNDS = 3;

/** Before the name of a kind, in rows and on the command line. */
const PREFIX = 'blowup-';

/** What one kind takes; every plan in a process of its own. */
interface BlowupRow {
  readonly workload: string;
  /** The largest, which `pods`, `seconds` and `rssMiB` are of. */
  readonly size: number;
  readonly counts: string;
  readonly pods: number;
  /** Seconds of all processors in the first plan of a process, the snapshot included. */
  readonly seconds: number;
  readonly rssMiB: number;
  /** Power of the size that fits the seconds of all sizes; absent where there is no size to grow. */
  readonly exponent?: number;
  /** Seconds more than without the hostile pod. */
  readonly delaySeconds?: number;
  readonly reached: boolean;
}

/** Names of single kinds, as the command line takes them. */
export const BLOWUP_NAMES: readonly string[] = [...BLOWUPS, HOSTILE].map(({ name }) => PREFIX + name);

/** Each size of each kind, or of the kinds whose names begin as asked, planned as by a process that has just started. */
export async function measureBlowups(bench: Bench): Promise<Measure> {
  const { blowup: wanted = PREFIX } = bench;
  const rows: BlowupRow[] = [];
  for (const blowup of [...BLOWUPS, HOSTILE]) {
    if (!(PREFIX + blowup.name).startsWith(wanted)) continue;
    bench.report(`  ${blowup.name} …`);
    rows.push(await rowOf(bench, blowup));
  }
  const reached = rows.every((row) => row.reached);
  const goal = `under ${String(MOST_SECONDS)} s of processor time, ${String(MOST_MEBIBYTES)} MiB and the power of ${String(MOST_EXPONENT)}, a hostile pod under ${String(MOST_DELAY)} s more`;
  return {
    line: [`blowups ${verdict(goal, reached)}:`, ...rows.map(lineOf)].join('\n'),
    figures: { rows, reached },
    valid: rows.every(({ pods }) => pods > 0),
    reached,
  };
}

function lineOf({
  workload,
  size,
  counts,
  seconds,
  rssMiB,
  exponent,
  delaySeconds,
  reached,
}: BlowupRow): string {
  const growth = exponent === undefined ? '' : `, power of ${exponent.toFixed(2)}`;
  const delay = delaySeconds === undefined ? '' : `, ${delaySeconds.toFixed(2)} s more than without`;
  return `  ${workload.padEnd(24)} ${String(size).padStart(5)} ${counts}: ${seconds.toFixed(2)} s, ${String(rssMiB)} MiB${growth}${delay}${reached ? '' : ' NOT reached'}`;
}

/** Measured again while it is not as wanted; of each size the least counts. */
async function rowOf(bench: Bench, blowup: Blowup): Promise<BlowupRow> {
  let points: readonly BlowupPoint[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    points = least(points, await pointsOf(bench, blowup));
    const row = rowOfPoints(blowup, points);
    if (row.reached) return row;
  }
  return rowOfPoints(blowup, points);
}

async function pointsOf(bench: Bench, { name, sizes }: Blowup): Promise<readonly BlowupPoint[]> {
  const folder = workloadFolder(bench.projectRoot);
  const points: BlowupPoint[] = [];
  for (const size of sizes) points.push(await measureBlowupInProcess(bench.program, { name, size, folder }));
  return points;
}

function least(before: readonly BlowupPoint[], now: readonly BlowupPoint[]): readonly BlowupPoint[] {
  return now.map((point, index) => {
    const { seconds, rssMiB } = before[index] ?? point;
    return { ...point, seconds: Math.min(seconds, point.seconds), rssMiB: Math.min(rssMiB, point.rssMiB) };
  });
}

function rowOfPoints(blowup: Blowup, points: readonly BlowupPoint[]): BlowupRow {
  const last = points.at(-1) ?? { size: 0, pods: 0, placed: 0, seconds: Infinity, rssMiB: Infinity };
  const { size, pods, seconds, rssMiB } = last;
  const isSmall = seconds < MOST_SECONDS && rssMiB < MOST_MEBIBYTES;
  const row = { workload: PREFIX + blowup.name, size, counts: blowup.counts, pods, seconds, rssMiB };
  if (blowup === HOSTILE) {
    const delaySeconds = seconds - (points[0]?.seconds ?? 0);
    return { ...row, delaySeconds, reached: isSmall && delaySeconds < MOST_DELAY && last.placed === pods };
  }
  const exponent = growthExponent(points.map((point) => ({ pods: point.size, seconds: point.seconds })));
  return { ...row, exponent, reached: isSmall && exponent <= MOST_EXPONENT };
}

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

/** The largest size of one kind, in a process of its own. */
interface BlowupRow {
  readonly workload: string;
  readonly size: number;
  readonly counts: string;
  readonly pods: number;
  /** Seconds of all processors in the first plan of a process, the snapshot included. */
  readonly seconds: number;
  readonly rssMiB: number;
  /** Power of the size that fits the seconds of all sizes. */
  readonly exponent: number;
  readonly reached: boolean;
}

/** Each size of each kind is planned once, as by a process that has just started. */
export async function measureBlowups(bench: Bench): Promise<Measure> {
  const folder = workloadFolder(bench.projectRoot);
  const rows: BlowupRow[] = [];
  for (const blowup of BLOWUPS) {
    bench.report(`  ${blowup.name} …`);
    rows.push(await rowOf(bench, blowup, folder));
  }
  const ordinary = await measureBlowupInProcess(bench.program, { name: HOSTILE.name, size: 0, folder });
  const beside = await measureBlowupInProcess(bench.program, { name: HOSTILE.name, size: 1, folder });
  const delay = beside.seconds - ordinary.seconds;
  const isQuick = delay < MOST_DELAY && beside.placed === beside.pods;
  const reached = rows.every((row) => row.reached) && isQuick;
  const wanted = `under ${String(MOST_SECONDS)} s of processor time, ${String(MOST_MEBIBYTES)} MiB and the power of ${String(MOST_EXPONENT)}`;
  const lines = rows.map(
    (row) =>
      `  ${row.workload.padEnd(24)} ${String(row.size).padStart(5)} ${row.counts}: ${row.seconds.toFixed(2)} s, ${String(row.rssMiB)} MiB, power of ${row.exponent.toFixed(2)}${row.reached ? '' : ' NOT reached'}`,
  );
  return {
    line: [
      `blowups ${verdict(wanted, reached)}:`,
      ...lines,
      `  one hostile pod beside ${String(ordinary.pods)}: ${delay.toFixed(2)} s more ${verdict('under 1 s', isQuick)}`,
    ].join('\n'),
    figures: { rows, hostilePodDelaySeconds: delay, reached },
    valid: rows.every(({ pods }) => pods > 0),
    reached,
  };
}

async function rowOf(bench: Bench, blowup: Blowup, folder: string | undefined): Promise<BlowupRow> {
  const points: BlowupPoint[] = [];
  for (const size of blowup.sizes)
    points.push(await measureBlowupInProcess(bench.program, { name: blowup.name, size, folder }));
  const { size = 0, seconds = 0, rssMiB = 0, pods = 0 } = points.at(-1) ?? {};
  const exponent = growthExponent(points.map((point) => ({ pods: point.size, seconds: point.seconds })));
  const reached = seconds < MOST_SECONDS && rssMiB < MOST_MEBIBYTES && exponent <= MOST_EXPONENT;
  return {
    workload: `blowup-${blowup.name}`,
    size,
    counts: blowup.counts,
    pods,
    seconds,
    rssMiB,
    exponent,
    reached,
  };
}

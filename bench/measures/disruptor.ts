/** The disruptor on a half-full cluster of 2,000 nodes and 20,000 pods that it may change as it likes. */
import { aligned } from '../report/aligned.js';
import type { Bench } from '../run-workload.js';
import { measureDisruptorInProcess } from '../solvers/berth.js';
import type { DisruptorMeasurement } from '../solvers/measure-disruptor.js';
import { HALF_FULL } from '../workloads/named-workloads.js';
import { questionOf, verdict, type Measure } from './measure.js';

const MOST_RATIO = 1.03;
const MOST_CPU = 60;
const MOST_PASS_SECONDS = 1;
/** Of sums of rounded prices. */
const ROUNDING = 1e-6;

/** Until it rests with all budgets open; and one answer for each of ten budgets, beside the curve. */
export async function measureDisruptor(bench: Bench): Promise<Measure> {
  const measured = await measureDisruptorInProcess(bench.program, questionOf(HALF_FULL));
  const { before, fresh, passes, movedAgain, limited } = measured;
  const after = passes.at(-1)?.hourly ?? before;
  const moves = passes.reduce((sum, pass) => sum + pass.moves, 0);
  const cpu = passes.reduce((sum, pass) => sum + pass.cpu, 0);
  const longest = Math.max(...passes.slice(1).map((pass) => pass.cpu));
  const first = passes[0]?.cpu ?? 0;
  const isNear = after <= MOST_RATIO * fresh && movedAgain === 0 && cpu <= MOST_CPU;
  const isQuick = longest <= MOST_PASS_SECONDS;
  const isOnCurve = limited.every(({ hourly, curve }) => hourly <= curve + ROUNDING);
  const end = `${usd(before)} to ${usd(after)}, ${(after / fresh).toFixed(4)} of a fresh plan, ${String(moves)} moves, ${String(movedAgain)} pods moved again, ${cpu.toFixed(1)} s of CPU ${verdict('at most 1.03, none, 60 s', isNear)}`;
  const times = `${String(passes.length)} passes, the first ${first.toFixed(2)} s of CPU, the longest of the others ${longest.toFixed(2)} s ${verdict('at most 1 s', isQuick)}`;
  const curve = `one answer for each budget ${verdict('on or below the curve', isOnCurve)}`;
  return {
    line: `disruptor: 2,000 nodes, 20,000 pods: ${end}\n${times}\n${curve}\n${limitedTable(measured)}`,
    figures: {
      ...measured,
      after,
      moves,
      cpuSeconds: cpu,
      longest,
      first,
      reached: isNear && isQuick && isOnCurve,
    },
    valid: true,
    reached: isNear && isQuick && isOnCurve,
  };
}

function limitedTable({ limited }: DisruptorMeasurement): string {
  const lines = limited.map(({ percent, moves, hourly, curve }) => [
    `${String(percent)} %`,
    String(moves),
    hourly.toFixed(2),
    curve.toFixed(2),
    (hourly / curve).toFixed(4),
  ]);
  return aligned([['budget', 'moves', 'USD/h', 'curve', 'ratio'], ...lines]).trimEnd();
}

function usd(hourly: number): string {
  return `${hourly.toFixed(2)} USD/h`;
}

/** How planning time grows, and a second batch. */
import { growthExponent } from '../report/growth.js';
import type { Bench } from '../run-workload.js';
import { GROWING, SECOND_BATCH } from '../workloads/named-workloads.js';
import { measureKind, millis, verdict, type Measure } from './measure.js';

interface Point {
  readonly pods: number;
  /** The least of the warm runs, and of all processors in one. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly valid: boolean;
}

/** From 1,000 to 50,000 pods of up to 1,000 shapes; six sizes share the time of three workloads. */
export async function measureScaling(bench: Bench): Promise<Measure> {
  const points: Point[] = [];
  for (const kind of GROWING) {
    const { measured, pods, valid } = await measureKind({ ...bench, budget: bench.budget / 2 }, kind);
    points.push({ pods, seconds: measured.least, cpuSeconds: measured.cpu, valid });
  }
  const exponent = growthExponent(points);
  const most = growthExponent(points.map(({ pods }) => ({ pods, seconds: pods * Math.log(pods) })));
  const listed = points.map(({ pods, seconds }) => `${String(pods)} pods ${millis(seconds)}`).join(', ');
  const reached = exponent <= most;
  const wanted = verdict(`at most ${most.toFixed(2)}, as n log n`, reached);
  return {
    line: `scaling: time grows with pods to the power of ${exponent.toFixed(2)} ${wanted}: ${listed}`,
    figures: { exponent, most, points, reached },
    valid: points.every(({ valid }) => valid),
    reached,
  };
}

const MOST_SECONDS = 0.02;

/** A hundred new pods beside 2,000 nodes that the planner has seen before; what comes before plan() counts too. */
export async function measureSecondBatch(bench: Bench): Promise<Measure> {
  const { measured, valid } = await measureKind(bench, SECOND_BATCH);
  const { least, middle, snapshot, cold, cpu } = measured;
  const reached = middle + snapshot < MOST_SECONDS;
  const times = `plan ${millis(middle)} (least ${millis(least)}, first ${millis(cold)}, processor ${millis(cpu)}), snapshot ${millis(snapshot)}`;
  return {
    line: `second batch: 100 pods on 2,000 nodes with 20,000 pods: ${times} ${verdict('together under 20 ms', reached)}`,
    figures: {
      seconds: middle,
      cpuSeconds: cpu,
      leastSeconds: least,
      coldSeconds: cold,
      snapshotSeconds: snapshot,
      reached,
    },
    valid,
    reached,
  };
}

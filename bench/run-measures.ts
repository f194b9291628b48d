/** What is measured of Berth alone: how time grows, a second batch, and memory. */
import { judgePlan } from './judge/judge-plan.js';
import { growthExponent } from './report/growth.js';
import type { Bench } from './run-workload.js';
import { measureInProcess, type BerthMeasurement } from './solvers/berth.js';
import { clusterInputOf } from './workloads/cluster-input.js';
import { FULL_CLUSTER, GROWING, SECOND_BATCH, type WorkloadKind } from './workloads/named-workloads.js';
import { pose } from './workloads/question.js';

/** One thing measured: a line for people, and its figures. */
export interface Measure {
  readonly line: string;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly valid: boolean;
}

/** Name → how it is measured. */
export const MEASURES: Readonly<Record<string, (bench: Bench) => Promise<Measure>>> = {
  scaling: measureScaling,
  'second-batch': measureSecondBatch,
  memory: measureMemory,
};

/** From 1,000 to 50,000 pods of up to 1,000 shapes. */
async function measureScaling(bench: Bench): Promise<Measure> {
  const points: { readonly pods: number; readonly seconds: number; readonly valid: boolean }[] = [];
  for (const kind of GROWING) {
    const { measured, pods, valid } = await measureKind(bench, kind);
    points.push({ pods, seconds: measured.least, valid });
  }
  const exponent = growthExponent(points);
  const listed = points.map(({ pods, seconds }) => `${String(pods)} pods ${millis(seconds)}`).join(', ');
  return {
    line: `scaling: time grows with pods to the power of ${exponent.toFixed(2)} (${listed})`,
    figures: { exponent, points },
    valid: points.every(({ valid }) => valid),
  };
}

/** A hundred new pods beside 2,000 nodes that the planner has seen before. */
async function measureSecondBatch(bench: Bench): Promise<Measure> {
  const { measured, valid } = await measureKind(bench, SECOND_BATCH);
  const { least, middle, snapshot, cold, cpu } = measured;
  return {
    line: `second batch: 100 pods on 2,000 nodes with 20,000 pods: plan ${millis(middle)} (least ${millis(least)}, first ${millis(cold)}, processor ${millis(cpu)}), snapshot ${millis(snapshot)}`,
    figures: {
      seconds: middle,
      cpuSeconds: cpu,
      leastSeconds: least,
      coldSeconds: cold,
      snapshotSeconds: snapshot,
    },
    valid,
  };
}

/** 1,000 pods beside 50,000 that run on 5,000 nodes. */
async function measureMemory(bench: Bench): Promise<Measure> {
  const { measured, valid } = await measureKind(bench, FULL_CLUSTER);
  const { rssMiB, middle, snapshot } = measured;
  return {
    line: `memory: 50,000 pods on 5,000 nodes: ${String(rssMiB)} MiB resident at the peak (plan ${millis(middle)}, snapshot ${millis(snapshot)})`,
    figures: { rssMiB, seconds: middle, snapshotSeconds: snapshot },
    valid,
  };
}

interface Measured {
  readonly measured: BerthMeasurement;
  readonly pods: number;
  readonly valid: boolean;
}

async function measureKind(bench: Bench, { name }: WorkloadKind): Promise<Measured> {
  const question = { workload: name, folder: undefined, shuffle: 0 };
  const measured = await measureInProcess(bench.program, question, bench);
  const { workload, types } = pose(question);
  const { valid, complaints } = judgePlan(clusterInputOf(workload, types), measured.plan);
  if (!valid) bench.report(`${name}: ${complaints}`);
  return { measured, pods: workload.pods.length, valid };
}

function millis(seconds: number): string {
  return `${(seconds * 1000).toFixed(1)} ms`;
}

/** What every measure gives: lines for people, figures for the report, and whether it is as wanted. */
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import type { Plan } from '../../src/planning/plan.js';
import { judgePlan } from '../judge/judge-plan.js';
import type { Bench } from '../run-workload.js';
import { measureInProcess, type BerthMeasurement } from '../solvers/berth.js';
import { clusterInputOf } from '../workloads/cluster-input.js';
import type { WorkloadKind } from '../workloads/named-workloads.js';
import { pose, type Question } from '../workloads/question.js';

export interface Measure {
  readonly line: string;
  readonly figures: Readonly<Record<string, unknown>>;
  /** Whether every plan that was looked at keeps all rules. */
  readonly valid: boolean;
  /** Whether the figures are as wanted. */
  readonly reached: boolean;
}

interface Measured {
  readonly measured: BerthMeasurement;
  readonly pods: number;
  readonly valid: boolean;
}

/** A workload planned again and again in a process of its own, and judged. */
export async function measureKind(bench: Bench, kind: WorkloadKind): Promise<Measured> {
  const question = questionOf(kind);
  const measured = await measureInProcess(bench.program, question, bench);
  const { workload } = pose(question);
  const valid = isValid(bench, kind, measured.plan);
  return { measured, pods: workload.pods.length, valid };
}

export function questionOf({ name }: WorkloadKind): Question {
  return { workload: name, folder: undefined, shuffle: 0 };
}

export function inputOf(kind: WorkloadKind): ClusterInput {
  const { workload, types } = pose(questionOf(kind));
  return clusterInputOf(workload, types);
}

export function isValid(bench: Bench, kind: WorkloadKind, plan: Plan): boolean {
  const { valid, complaints } = judgePlan(inputOf(kind), plan);
  if (!valid) bench.report(`${kind.name}: ${complaints}`);
  return valid;
}

export function millis(seconds: number): string {
  return `${(seconds * 1000).toFixed(1)} ms`;
}

/** `(wanted: under 20 ms: reached)` */
export function verdict(wanted: string, reached: boolean): string {
  return `(wanted: ${wanted}: ${reached ? 'reached' : 'NOT reached'})`;
}

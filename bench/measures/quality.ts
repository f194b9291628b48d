/** Prices of inputs with rules that the compared workloads leave out, by a bound that knows what each is about. */
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import type { Plan } from '../../src/planning/plan.js';
import { bestBound } from '../judge/best-bound.js';
import type { Bench } from '../run-workload.js';
import { BerthPlanner } from '../solvers/berth-planner.js';
import { instanceTypes } from '../workloads/instance-types.js';
import { QUALITY, type QualityKind } from '../workloads/quality.js';
import { judgePlan } from '../judge/judge-plan.js';
import { verdict, type Measure } from './measure.js';

const MOST_RATIO = 1.05;

interface QualityRow {
  readonly workload: string;
  readonly pods: number;
  readonly placed: number;
  readonly claims: number;
  /** USD/h. */
  readonly hourly: number;
  /** USD/h that nothing goes below which places the same pods. */
  readonly bound: number;
  readonly boundBy: 'judge' | 'duals';
  readonly ratio: number;
  readonly valid: boolean;
}

/** Each input is planned once. */
export function measureQuality(bench: Bench): Promise<Measure> {
  const types = instanceTypes(undefined);
  const rows = QUALITY.map((kind) => {
    bench.report(`  ${kind.name} …`);
    return rowOf(bench, kind, kind.make(types));
  });
  const reached = rows.every(({ ratio }) => ratio <= MOST_RATIO);
  const lines = rows.map(
    ({ workload, placed, pods, claims, hourly, bound, ratio }) =>
      `  ${workload.padEnd(22)} ${String(placed)} of ${String(pods)} pods on ${String(claims)} claims: ${hourly.toFixed(3)} USD/h, bound ${bound.toFixed(3)}, ratio ${ratio.toFixed(3)}${ratio <= MOST_RATIO ? '' : ' NOT reached'}`,
  );
  return Promise.resolve({
    line: [`quality ${verdict(`at most ${String(MOST_RATIO)} of the bound`, reached)}:`, ...lines].join('\n'),
    figures: { rows, reached },
    valid: rows.every(({ valid }) => valid),
    reached,
  });
}

function rowOf(bench: Bench, { name }: QualityKind, input: ClusterInput): QualityRow {
  const plan = new BerthPlanner().prove(input);
  const { hourly, claims, complaints } = judgePlan(input, plan);
  if (complaints !== '') bench.report(`${name}: ${complaints}`);
  const bound = bestBound(placedOnly(input, plan), plan);
  return {
    workload: name,
    pods: input.pods.length,
    placed: plan.placements.length,
    claims,
    hourly,
    bound: bound.hourly,
    boundBy: bound.by,
    ratio: bound.hourly > 0 ? hourly / bound.hourly : hourly > 0 ? Infinity : 1,
    valid: complaints === '',
  };
}

/** The question for the pods that the plan places: of those that it leaves out no bound can say what they would cost. */
function placedOnly(input: ClusterInput, { unschedulable }: Plan): ClusterInput {
  const leftOut = new Set(unschedulable.map(({ pod }) => pod));
  return { ...input, pods: input.pods.filter(({ namespace, name }) => !leftOut.has(`${namespace}/${name}`)) };
}

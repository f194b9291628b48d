/** The consolidation query: price against moving, for a cluster of 2,000 nodes and 20,000 pods. */
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { boundOf } from '../judge/bound/index.js';
import { judgeCurve } from '../judge/judge-curve.js';
import { aligned } from '../report/aligned.js';
import type { Bench } from '../run-workload.js';
import { measureCurveInProcess, type CurveMeasurement } from '../solvers/berth.js';
import { RUNNING_CLUSTER } from '../workloads/named-workloads.js';
import { inputOf, millis, questionOf, verdict, type Measure } from './measure.js';

const MOST_SECONDS = 1;
const POINTS = 10;
const SHOWN = 5;

/** The whole curve, each point judged: rules of all pods that move, moves and their costs counted, prices added up. */
export async function measureConsolidation(bench: Bench): Promise<Measure> {
  const measured = await measureCurveInProcess(bench.program, questionOf(RUNNING_CLUSTER), bench.budget);
  const input = inputOf(RUNNING_CLUSTER);
  const complaints = judgeCurve(input, measured.curve);
  if (complaints.length > 0) bench.report(complaints.slice(0, SHOWN).join('\n'));
  const { curve, middle, least, cold, cpu } = measured;
  const bound = boundOf(allPending(input));
  const reached = middle < MOST_SECONDS && curve.length === POINTS;
  const times = `${millis(middle)} (least ${millis(least)}, first ${millis(cold)}, processor ${millis(cpu)})`;
  const pods = String(input.pods.length);
  return {
    line: `consolidation: ${String(input.nodes.length)} nodes, ${pods} pods, ${String(curve.length)} points of the curve: ${times} ${verdict('under 1 s', reached)}\n${curveTable(measured, bound)}`,
    figures: {
      ...{ seconds: middle, leastSeconds: least, coldSeconds: cold, cpuSeconds: cpu, lowerBound: bound },
      points: curve.map(({ budget, movingCost, moves, hourly, nodesDeleted, newNodes }) => ({
        ...{ budget, movingCost, moves, hourly },
        ...{ nodesDeleted: nodesDeleted.length, newNodes: newNodes.length },
      })),
      reached,
    },
    valid: complaints.length === 0,
    reached,
  };
}

/** The same pods bought anew: what no point goes below. */
function allPending(input: ClusterInput): ClusterInput {
  return { ...input, nodes: [], pods: input.pods.map((pod) => ({ ...pod, nodeName: undefined })) };
}

function curveTable({ curve }: CurveMeasurement, bound: number): string {
  const head = ['moves', 'moving cost', 'budget', 'nodes deleted', 'bought', 'USD/h', 'ratio'];
  const lines = curve.map(({ moves, movingCost, budget, nodesDeleted, newNodes, hourly }) => [
    String(moves),
    movingCost.toFixed(0),
    budget.toFixed(0),
    String(nodesDeleted.length),
    String(newNodes.length),
    hourly.toFixed(2),
    (hourly / bound).toFixed(3),
  ]);
  return aligned([head, ...lines]).trimEnd();
}

/** A controller as a process: its memory, and how long kube-scheduler waits for it while it plans. */
import {
  measureMemory as measurePeak,
  measureWaiting,
  waitingVerdict,
} from '../controller/measure-controller.js';
import type { Bench } from '../run-workload.js';
import { FULL_CLUSTER, LARGEST, THOUSAND_NODES } from '../workloads/named-workloads.js';
import { isValid, verdict, type Measure } from './measure.js';

const MOST_MEBIBYTES = 512;
const PLANS = 10;

/** A cluster of 50,000 pods on 5,000 nodes in memory, the planner's thread with it, 1,000 pods planned again and again. */
export async function measureMemory(bench: Bench): Promise<Measure> {
  const { plan, millis, rssMiB } = await measurePeak(bench.program, FULL_CLUSTER.name, PLANS);
  const reached = rssMiB <= MOST_MEBIBYTES;
  const wanted = verdict(`at most ${String(MOST_MEBIBYTES)} MiB`, reached);
  return {
    line: `memory: 50,000 pods on 5,000 nodes: ${String(rssMiB)} MiB resident at the peak, of the whole process ${wanted}; plan ${millis.toFixed(1)} ms`,
    figures: { rssMiB, seconds: millis / 1000, plans: PLANS, reached },
    valid: isValid(bench, FULL_CLUSTER, plan),
    reached,
  };
}

/** 50 calls a second about 1,000 nodes, at rest and while 50,000 pods are planned over and over. */
export async function measureExtender(bench: Bench): Promise<Measure> {
  const runs = await measureWaiting(bench.program, { knows: THOUSAND_NODES.name, plans: LARGEST.name });
  const { idle, busy, isWithin } = waitingVerdict(runs);
  const listed = runs
    .map((run) => `${run.idle.toFixed(1)} → ${run.busy.toFixed(1)} (${String(run.plans)} plans)`)
    .join(', ');
  const wanted = verdict('within twice the idle one, or 5 ms', isWithin);
  return {
    line: `extender: p99 ${idle.toFixed(1)} ms idle, ${busy.toFixed(1)} ms while 50,000 pods are planned ${wanted}: ${listed}`,
    figures: { idleMillis: idle, busyMillis: busy, runs, reached: isWithin },
    valid: runs.every(({ plans }) => plans > 0),
    reached: isWithin,
  };
}

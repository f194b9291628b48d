/** Berth's planner as a controller holds it: it lives on from batch to batch. */
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import type { Plan } from '../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { assemblePlan } from '../../src/planning/engine/assemble-plan.js';
import { CompileCache } from '../../src/planning/engine/compile-cache.js';
import { finishClaims } from '../../src/planning/finish/finish-claims.js';
import { pack } from '../../src/planning/pack/pack.js';
import { plan } from '../../src/planning/engine/plan.js';
import { compileProblem } from '../../src/planning/model/problem.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import { processorSeconds, timed } from './stopwatch.js';

export interface TimedPlan {
  readonly plan: Plan;
  /** Seconds of building the snapshot, and of plan(). */
  readonly snapshot: number;
  readonly seconds: number;
  /** Seconds of all processors in plan(). */
  readonly cpu: number;
}

export class BerthPlanner {
  readonly #cache = new CompileCache();

  plan(input: ClusterInput): TimedPlan {
    sweep();
    const [snapshot, building] = timed(() => buildSnapshot(input, this.#cache.snapshots));
    const before = process.cpuUsage();
    const [made, planning] = timed(() => plan(snapshot, DEFAULT_PLAN_OPTIONS, { cache: this.#cache }));
    return { plan: made, snapshot: building, seconds: planning, cpu: processorSeconds(before) };
  }

  /** The same by first-fit-decreasing alone, which looks for no better plan; nothing is kept for the next. */
  planFirstFit(input: ClusterInput): TimedPlan {
    sweep();
    const [snapshot, building] = timed(() => buildSnapshot(input));
    const before = process.cpuUsage();
    const [made, planning] = timed(() => {
      const packing = pack(compileProblem(snapshot, DEFAULT_PLAN_OPTIONS));
      return assemblePlan({ packing, finished: finishClaims(packing), lowerBound: 0 });
    });
    return { plan: made, snapshot: building, seconds: planning, cpu: processorSeconds(before) };
  }

  /** The plan with the proof of its lower bound. */
  prove(input: ClusterInput): Plan {
    const options = { ...DEFAULT_PLAN_OPTIONS, duals: true };
    return plan(buildSnapshot(input, this.#cache.snapshots), options, { cache: this.#cache });
  }

  /** Seconds of the part of plan() that compiles. */
  compile(input: ClusterInput): number {
    const snapshot = buildSnapshot(input, this.#cache.snapshots);
    const [, seconds] = timed(() => compileProblem(snapshot, DEFAULT_PLAN_OPTIONS, this.#cache));
    return seconds;
  }
}

/**
 * Sweeps up the new pods that the benchmark itself left behind, before a clock starts. Young objects only: a full collection
 * lets go of compiled code whose kinds of objects happen to be dead between two plans, which never happens in a controller
 * that lives, and the next plan would be interpreted, two to four times slower.
 */
export function sweep(): void {
  globalThis.gc?.({ type: 'minor' });
}

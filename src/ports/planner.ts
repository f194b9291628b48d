/** Planning as a port: in this thread, or in a worker that leaves this one free to answer. */
import type { Plan } from '../planning/plan.js';
import type { PlanOptions } from '../planning/plan-options.js';
import type { ClusterInput } from '../planning/snapshot/cluster-input.js';

export interface PlanRequest {
  readonly input: ClusterInput;
  readonly options: PlanOptions;
}

export interface PlanAnswer {
  readonly plan: Plan;
  /** Time spent planning. */
  readonly millis: number;
}

export interface Planner {
  /**
   * Plans; requests are answered in order.
   * @throws PortError TimedOut, when there is no plan by the adapter's deadline; Unavailable, when planning broke.
   */
  plan(request: PlanRequest, signal?: AbortSignal): Promise<PlanAnswer>;
  close(): Promise<void>;
}

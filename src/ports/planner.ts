/** Planning as a port: in this thread, or in a worker that leaves this one free to answer. */
import type { DisruptionAnswer, DisruptionInput, DisruptionOptions } from '../planning/disrupt/disruption.js';
import type { Plan } from '../planning/plan.js';
import type { PlanOptions } from '../planning/plan-options.js';
import type { ClusterInput } from '../planning/snapshot/cluster-input.js';
import type { PortErrorCode } from './port-error.js';

export interface PlanRequest {
  readonly input: ClusterInput;
  readonly options: PlanOptions;
}

export interface PlanAnswer {
  readonly plan: Plan;
  /** Time spent planning. */
  readonly millis: number;
  /** Given for a draft: the plan holds like any other, but planning was ended before it had looked for a better one. */
  readonly draft?: DraftReason | undefined;
}

/** What ended planning before it was done. */
export interface DraftReason {
  /** As of the PortError, had there been no draft. */
  readonly code: PortErrorCode;
  readonly message: string;
}

export interface DisruptRequest {
  readonly input: DisruptionInput;
  readonly options: DisruptionOptions;
}

export interface DisruptAnswer {
  readonly answer: DisruptionAnswer;
  /** Time spent deciding. */
  readonly millis: number;
}

/** Requests of both kinds are answered in order. */
export interface Planner {
  /**
   * Finds places for pods; answers a draft where there is one by the time planning is ended.
   * @throws PortError TimedOut, when there is no plan by the adapter's deadline; Unavailable, when planning broke.
   */
  plan(request: PlanRequest, signal?: AbortSignal): Promise<PlanAnswer>;
  /**
   * Decides which nodes go.
   * @throws PortError as `plan`.
   */
  disrupt(request: DisruptRequest, signal?: AbortSignal): Promise<DisruptAnswer>;
  close(): Promise<void>;
}

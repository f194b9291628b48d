/** What the planner and its worker thread say to each other. */
import type { PlanAnswer, PlanRequest } from '../../ports/planner.js';

/** What a thread is given, so that the program knows at its start that it is to plan. */
export interface PlannerWorkerData {
  readonly berth: 'planner';
}

export interface PlannerQuestion {
  readonly id: number;
  readonly request: PlanRequest;
}

export type PlannerReply =
  { readonly id: number; readonly answer: PlanAnswer } | { readonly id: number; readonly error: string };

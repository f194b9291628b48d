/** What the planner and its worker thread say to each other. */
import type { DisruptAnswer, DisruptRequest, PlanAnswer, PlanRequest } from '../../ports/planner.js';

/** What a thread is given, so that the program knows at its start that it is to plan. */
export interface PlannerWorkerData {
  readonly berth: 'planner';
}

/** One piece of work. */
export type PlannerTask =
  | { readonly kind: 'plan'; readonly request: PlanRequest }
  | { readonly kind: 'disrupt'; readonly request: DisruptRequest };

/** What comes of it: a PlanAnswer of a plan, a DisruptAnswer of the other. */
export type PlannerAnswer = PlanAnswer | DisruptAnswer;

export interface PlannerQuestion {
  readonly id: number;
  readonly task: PlannerTask;
}

export type PlannerReply =
  { readonly id: number; readonly answer: PlannerAnswer } | { readonly id: number; readonly error: string };

/** What the planner and its worker thread say to each other. */
import type { DisruptAnswer, DisruptRequest, PlanAnswer, PlanRequest } from '../../ports/planner.js';
import type { PackedAnswer } from './packed-answer.js';
import type { ListEdit } from './list-edit.js';
import type { ObjectNews } from './sent-objects.js';
import type { Moment } from './told-lists.js';

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

/** Lists of which requests are made. The options and what is in no list are lists of one element. */
export type ListName =
  | 'pods'
  | 'nodes'
  | 'daemonSets'
  | 'pools'
  | 'offers'
  | 'persistentVolumeClaims'
  | 'persistentVolumes'
  | 'storageClasses'
  | 'namespaces'
  | 'clusterRest'
  | 'planOptions'
  | 'managedNodes'
  | 'observedPods'
  | 'podDisruptionBudgets'
  | 'workloads'
  | 'disruptionOptions'
  | 'disruptionRest';

/** A task, by what is different since the task before. */
export interface PlannerQuestion {
  readonly id: number;
  /** Lists that are not the same. */
  readonly edits: readonly (readonly [ListName, ListEdit])[];
  /** The same for lists of instance types; offers name them by index. */
  readonly typeEdits: readonly (readonly [number, ListEdit])[];
  /** undefined for a plan. */
  readonly moment: Moment | undefined;
}

/** News of objects, and once all is told, what is asked. */
export interface PlannerMessage {
  readonly news: ObjectNews;
  readonly question?: PlannerQuestion;
}

export type PlannerReply =
  | { readonly id: number; readonly outcome: 'answer' | 'draft'; readonly packed: PackedAnswer }
  | { readonly id: number; readonly outcome: 'error'; readonly message: string };

/** What the planner and its worker thread say to each other. */
import type { ObservedKind } from '../../../ports/cluster-feed.js';
import type { DisruptionQuestion, PlanQuestion } from '../../../ports/planner.js';
import type { PackedAnswer } from './packed-answer.js';
import type { ObjectNews } from './objects-by-number.js';

/** What a thread is given, so that the program knows at its start that it is to plan. */
export interface PlannerWorkerData {
  readonly berth: 'planner';
  /** One number in shared memory: the question that is no longer to be answered; 0 before the first. */
  readonly interrupted: Int32Array<SharedArrayBuffer>;
}

/** Objects of one kind that are new, different, or gone; each at most once. */
export interface SentChanges {
  readonly kind: ObservedKind;
  /** Keys. */
  readonly gone: readonly string[];
  /** Without their `spec` where `specs` names one. */
  readonly objects: readonly object[];
  /** For each object the number of the shared object that is its `spec`; −1: none is shared. */
  readonly specs: Int32Array;
}

/** A pool's offer with its pool and its types by number. */
export interface SentOffer {
  /** Number of a shared object. */
  readonly pool: number;
  /** Index of a list of types; undefined: the pool has none. */
  readonly types: number | undefined;
  /** The same of its dedicated instances. */
  readonly dedicated: number | undefined;
  readonly rest: object;
}

/** What can be launched. */
export interface SentOffers {
  readonly pools: readonly SentOffer[];
  /** Lists of types, each as numbers of shared objects; undefined: as in the last question. */
  readonly lists: readonly Int32Array[] | undefined;
  /** Node class, pool and tenancy as one text (`kindOfClaim`), and index of the list of types. */
  readonly typesOf: readonly (readonly [string, number])[];
}

/** A question but for what can be launched; pods go by their uids, joined by line feeds. */
export type SentQuestion =
  | {
      readonly kind: 'plan';
      readonly demand: string;
      readonly setAside: string;
      readonly buffers: PlanQuestion['buffers'];
      /** As they are: the thread does not know them. */
      readonly virtual: PlanQuestion['virtual'];
      readonly now: PlanQuestion['now'];
      readonly options: PlanQuestion['options'];
    }
  | { readonly kind: 'disrupt'; readonly rest: Omit<DisruptionQuestion, 'pools' | 'typesOf'> };

/** Messages are taken in their order: a question is about the cluster as all messages up to it leave it. */
export interface PlannerMessage {
  readonly shared: ObjectNews;
  readonly changes: readonly SentChanges[];
  /** It has as much as a message may: the thread says when it has taken it. */
  readonly isFull?: true | undefined;
  readonly question?:
    { readonly id: number; readonly about: SentQuestion; readonly offers: SentOffers } | undefined;
}

export type PlannerReply =
  | { readonly outcome: 'taken' }
  | { readonly id: number; readonly outcome: 'answer' | 'draft'; readonly packed: PackedAnswer }
  | { readonly id: number; readonly outcome: 'error'; readonly message: string };

/** Decisions: why something was done, or was not (berth.sh/v1, cluster-scoped). */
import type { Proposal, ProposalPhase, ProposalProgress, Verdict } from './proposal.js';

export interface DecisionSubject {
  readonly kind: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Another object that a Decision names. */
export interface DecisionRelated {
  readonly kind: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** One constraint that does not hold, as a value; texts without a full stop. */
export interface DecisionReason {
  /** A planning Reason's code, or the Decision's own reason. */
  readonly code: string;
  /** '' where it is not about one NodePool. Further reasons of a pool say what would still be in the way. */
  readonly nodePool: string;
  readonly constraint: string;
  /** What is asked for and what there is; '' where the constraint is not about amounts or values. */
  readonly wanted: string;
  readonly got: string;
  /** The nearest change that would help; '' where none is known. */
  readonly change: string;
}

/** What Berth does to a subject, or refuses to. */
export const DECISION_ACTIONS = [
  'Launch',
  'Place',
  'Refuse',
  'Nominate',
  'Register',
  'Disrupt',
  'Drain',
  'Terminate',
  'Freeze',
  'Accept',
  'Propose',
  'Observe',
] as const;
export type DecisionAction = (typeof DECISION_ACTIONS)[number];

export interface DecisionSpec {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly subject: DecisionSubject;
  readonly action: DecisionAction;
  /** One CamelCase word of a closed vocabulary: a planning Reason's code, or an event reason. */
  readonly reason: string;
  readonly message: string;
  /** What set it off: a pod, a watch event, a timer. */
  readonly trigger: string;
  /** What else was looked at, best first; '' where nothing was. */
  readonly considered: string;
  /** USD/h saved; undefined where money was not the point. */
  readonly saving: number | undefined;
  /** Of a refusal: what does not hold, the nearest pool first, at most MOST_REASONS. */
  readonly reasons?: readonly DecisionReason[] | undefined;
  /**
   * Other objects that it is about, at most MOST_RELATED. Of a NodeClaim's Decisions the one Node is the claim's own; the
   * NodeClaims are those that it replaces.
   */
  readonly related?: readonly DecisionRelated[] | undefined;
  /** Of the action Propose: what waits for approval. */
  readonly proposal?: Proposal | undefined;
}

export interface Decision {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly spec: DecisionSpec;
  /** What came of it; '' while that is open. */
  readonly outcome: string;
  /** How far a proposal is; absent until that was written. */
  readonly progress?: ProposalProgress | undefined;
  /** The last answer to a proposal; absent while there is none. */
  readonly verdict?: Verdict | undefined;
}

/** A Decision that proposes something. */
export interface ProposedDecision extends Decision {
  readonly spec: DecisionSpec & { readonly proposal: Proposal };
}

export function isProposal(decision: Decision): decision is ProposedDecision {
  return decision.spec.proposal !== undefined;
}

/** A proposal begins as Proposed, written or not. */
export function phaseOf({ progress }: ProposedDecision): ProposalPhase {
  return progress?.phase ?? 'Proposed';
}

/** What came of it, in words; of a proposal how far it is. '' while that is open. */
export function describeOutcome(decision: Decision): string {
  const { outcome } = decision;
  if (!isProposal(decision)) return outcome;
  const phase = phaseOf(decision);
  if (phase === 'Proposed') return 'it waits for approval';
  return outcome === '' ? phase : `${phase}: ${outcome}`;
}

/** Objects that one Decision names at the most, as its schema has it. */
export const MOST_RELATED = 32;

/** Reasons that one Decision keeps at the most, as its schema has it. */
export const MOST_REASONS = 100;

/** Characters of a summary at the most: what a column of `kubectl get` shows. */
const SUMMARY_CHARACTERS = 80;

/** The beginning of a message: all of it when it is short enough, else whole words and an ellipsis. */
export function decisionSummary(message: string): string {
  const [line = ''] = message.split('\n', 1);
  if (message.length <= SUMMARY_CHARACTERS && line.length === message.length) return message;
  const head = line.slice(0, SUMMARY_CHARACTERS - 1);
  const end = line.length < SUMMARY_CHARACTERS ? line.length : head.lastIndexOf(' ');
  return `${head.slice(0, end > SUMMARY_CHARACTERS / 2 ? end : head.length).replace(/[\s,;:(]+$/, '')}…`;
}

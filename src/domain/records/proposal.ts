/** Launches and disruptions that wait for approval (`--mode approve`): what a Decision proposes, and what became of it. */
import type { Labels } from '../values/labels.js';

export const PROPOSED_ACTS = ['Launch', 'Disruption'] as const;
export type ProposedAct = (typeof PROPOSED_ACTS)[number];

/** How much something changes: what thresholds are compared with. */
export interface Burden {
  /** USD/h of the instances to be launched, each at its cheapest offering. */
  readonly price: number;
  /** Nodes that come, for a launch; nodes that go, for a disruption. */
  readonly nodes: number;
  /** Pods that are evicted. */
  readonly evictions: number;
}

export interface Proposal extends Burden {
  readonly act: ProposedAct;
  /** NodePools that instances come from, sorted. */
  readonly nodePools: readonly string[];
  /** UIDs of the pods that a launch is for, at most MOST_PROPOSED_PODS. */
  readonly pods: readonly string[];
  /** Names of the NodeClaims that a disruption ends, sorted. */
  readonly nodeClaims: readonly string[];
}

/** As the schema has it. */
export const MOST_PROPOSED_PODS = 10_000;
/** As the schema has it. */
export const MOST_PROPOSED_CLAIMS = 5000;

/**
 * Proposed: it waits. Approved: it is carried out as far as it still holds. Rejected: it is not proposed again for a while.
 * Expired: neither approved nor rejected in time. Superseded: it no longer holds. CarriedOut: done.
 */
export const PROPOSAL_PHASES = [
  'Proposed',
  'Approved',
  'Rejected',
  'Expired',
  'Superseded',
  'CarriedOut',
] as const;
export type ProposalPhase = (typeof PROPOSAL_PHASES)[number];

/** How far a proposal is. */
export interface ProposalProgress {
  readonly phase: ProposalPhase;
  /** Who approved or rejected it, as the API server knows them; '' where no user has. */
  readonly by: string;
  /** When the phase began, in milliseconds since 1970. */
  readonly since: number | undefined;
}

/** On a Decision: `approved` or `rejected`. Every user who may patch Decisions may write it. */
export const APPROVAL_ANNOTATION = 'berth.sh/approval';
/** Who says so. The ValidatingAdmissionPolicy berth-approvals compares it with the user of the request. */
export const APPROVAL_BY_ANNOTATION = 'berth.sh/approval-by';
/** Why. */
export const APPROVAL_REASON_ANNOTATION = 'berth.sh/approval-reason';
/** On a NodeClaim: the name of the Decision under whose approval it was created. */
export const PROPOSAL_ANNOTATION = 'berth.sh/proposal';
/** On a NodeClaim: the USD/h that it counts as in that approval. */
export const PROPOSAL_PRICE_ANNOTATION = 'berth.sh/proposal-price';

export const VERDICTS = ['approved', 'rejected'] as const;

/** What a person answers to a proposal. */
export interface Verdict {
  readonly verdict: (typeof VERDICTS)[number];
  readonly by: string;
  readonly reason: string;
}

/** Longer texts are cut: they are repeated in statuses and messages. */
const MOST_CHARACTERS = 200;

/** undefined while there is no answer, or none that has a meaning. */
export function readVerdict(annotations: Labels): Verdict | undefined {
  const said = annotations.get(APPROVAL_ANNOTATION)?.trim().toLowerCase();
  const verdict = VERDICTS.find((each) => each === said);
  if (verdict === undefined) return undefined;
  return {
    verdict,
    by: cut(annotations.get(APPROVAL_BY_ANNOTATION)),
    reason: cut(annotations.get(APPROVAL_REASON_ANNOTATION)),
  };
}

/** The annotations that say it. */
export function verdictAnnotations({ verdict, by, reason }: Verdict): Readonly<Record<string, string>> {
  return {
    [APPROVAL_ANNOTATION]: verdict,
    [APPROVAL_BY_ANNOTATION]: by,
    ...(reason !== '' && { [APPROVAL_REASON_ANNOTATION]: cut(reason) }),
  };
}

function cut(text = ''): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}

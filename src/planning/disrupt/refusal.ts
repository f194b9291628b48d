/** The closed union of reasons for which a node is left alone, and their words. */
import type { Reason } from '../reason.js';
import { describeReason } from '../describe-reason.js';

export type DisruptionRefusal =
  | { readonly code: 'NotInitialized' }
  /** `nodeClass`: the EC2NodeClass of the pool, where its document is gone, and not that of the pool. */
  | { readonly code: 'NodePoolFrozen'; readonly nodePool: string; readonly nodeClass: string | undefined }
  | { readonly code: 'StaticNodePool'; readonly nodePool: string }
  /** `until`, in milliseconds since 1970, where the annotation is a duration. */
  | { readonly code: 'NodeDoNotDisrupt'; readonly until: number | undefined }
  | { readonly code: 'PodDoNotDisrupt'; readonly pod: string; readonly until: number | undefined }
  | { readonly code: 'PodDisruptionBudget'; readonly pod: string; readonly budget: string }
  | {
      readonly code: 'SeveralPodDisruptionBudgets';
      readonly pod: string;
      readonly budgets: readonly string[];
    }
  | { readonly code: 'AwaitsPods'; readonly pod: string }
  | { readonly code: 'ConsolidationDisabled'; readonly nodePool: string }
  | { readonly code: 'NotQuiet'; readonly until: number }
  | { readonly code: 'NotEmpty'; readonly nodePool: string; readonly pods: number }
  /** '' as nodePool: a budget over the nodes of all pools. */
  | {
      readonly code: 'Budget';
      readonly nodePool: string;
      readonly total: number;
      readonly used: number;
      readonly allowed: number;
    }
  | { readonly code: 'OutsideWindows'; readonly nodePool: string; readonly opens: number | undefined }
  | { readonly code: 'UnknownPrice' }
  | { readonly code: 'NoPlace'; readonly pod: string; readonly why: Reason | undefined }
  /** USD/h. */
  | { readonly code: 'NotCheaper'; readonly price: number; readonly replacement: number }
  /** The saving does not pay for moving: USD/h, USD, hours. */
  | {
      readonly code: 'MovingCost';
      readonly saving: number;
      readonly movingCost: number;
      readonly horizonHours: number;
    }
  | { readonly code: 'Unbalanced'; readonly nodePool: string; readonly score: number }
  | { readonly code: 'SpotToSpotDisabled' }
  | { readonly code: 'SpotFlexibility'; readonly cheaper: number; readonly wanted: number }
  | { readonly code: 'NotLookedAt' };

export type RefusalCode = DisruptionRefusal['code'];

type Words = {
  readonly [Code in RefusalCode]: (refusal: Extract<DisruptionRefusal, { code: Code }>) => string;
};

const WORDS: Words = {
  NotInitialized: () => 'the node is not initialized yet; wait until it is',
  NodePoolFrozen: ({ nodePool, nodeClass }) => {
    const gone = nodeClass === undefined ? `NodePool ${nodePool}` : `EC2NodeClass ${nodeClass}`;
    return `the document of ${gone} was removed, which freezes the nodes of NodePool ${nodePool}; restore it, or annotate the PolicyStatus of ${gone} berth.sh/delete: drain`;
  },
  StaticNodePool: ({ nodePool }) =>
    `NodePool ${nodePool} is static (spec.replicas); lower its replicas to have fewer nodes`,
  NodeDoNotDisrupt: ({ until }) =>
    `the node is annotated karpenter.sh/do-not-disrupt${untilText(until)}; remove the annotation${orWait(until)}`,
  PodDoNotDisrupt: ({ pod, until }) =>
    `pod ${pod} is annotated karpenter.sh/do-not-disrupt${untilText(until)}; remove the annotation${orWait(until)}`,
  PodDisruptionBudget: ({ pod, budget }) =>
    `PodDisruptionBudget ${budget} does not allow pod ${pod} to be evicted now; more healthy pods or a looser budget are needed`,
  SeveralPodDisruptionBudgets: ({ pod, budgets }) =>
    `pod ${pod} matches several PodDisruptionBudgets (${budgets.join(', ')}), which the eviction API does not support; leave one`,
  AwaitsPods: ({ pod }) => `pod ${pod} is planned on the node; wait until it is bound`,
  ConsolidationDisabled: ({ nodePool }) =>
    `NodePool ${nodePool} has consolidateAfter: Never; set a time to let it consolidate`,
  NotQuiet: ({ until }) => `pods were added or removed within consolidateAfter; wait until ${moment(until)}`,
  NotEmpty: ({ nodePool, pods }) =>
    `NodePool ${nodePool} consolidates empty nodes only (WhenEmpty), and it runs ${String(pods)} ${pods === 1 ? 'pod' : 'pods'}; use WhenEmptyOrUnderutilized`,
  Budget: describeBudget,
  OutsideWindows: ({ nodePool, opens }) =>
    `no window of NodePool ${nodePool} that allows this is open; ${opens === undefined ? 'none ever opens' : `the next opens at ${moment(opens)}`}`,
  UnknownPrice: () => 'no price is known for the instance type, zone and capacity type of the node',
  NoPlace: ({ pod, why }) =>
    `pod ${pod} could not be placed elsewhere${why === undefined ? '' : `: ${describeReason(why)}`}`,
  NotCheaper: ({ price, replacement }) =>
    `a replacement costs ${usd(replacement)} per hour and the node ${usd(price)}, so the saving is too small; allow cheaper types, zones or capacity types`,
  MovingCost: ({ saving, movingCost, horizonHours }) =>
    `saving ${usd(saving)} per hour does not pay for moving (${usd(movingCost)}) within ${String(horizonHours)} hours`,
  Unbalanced: ({ nodePool, score }) =>
    `the share saved of what NodePool ${nodePool} costs is ${score.toFixed(2)} of the share of it disrupted; Balanced wants 0.50`,
  SpotToSpotDisabled: () => 'spot nodes are not replaced by cheaper spot nodes (spotToSpot is off)',
  SpotFlexibility: ({ cheaper, wanted }) =>
    `${String(cheaper)} types are cheaper than the spot node, ${String(wanted)} are needed so that the replacement is not replaced again; allow more types`,
  NotLookedAt: () => 'the work budget of this pass was used up; the node is first in the next pass',
};

/** The refusal in one sentence: what stands in the way, and the nearest thing that would have to change. */
export function describeRefusal(refusal: DisruptionRefusal): string {
  return (WORDS[refusal.code] as (refusal: DisruptionRefusal) => string)(refusal);
}

function describeBudget({
  nodePool,
  total,
  used,
  allowed,
}: Extract<DisruptionRefusal, { code: 'Budget' }>): string {
  const whose = nodePool === '' ? 'of all pools' : `of NodePool ${nodePool}`;
  return `budgets allow ${String(allowed)} of ${String(total)} nodes ${whose} to be disrupted at once, and ${String(used)} are disrupted or not ready; wait, or raise the budget`;
}

function untilText(until: number | undefined): string {
  return until === undefined ? '' : ` until ${moment(until)}`;
}

function orWait(until: number | undefined): string {
  return until === undefined ? '' : ' or wait';
}

function moment(millis: number): string {
  return new Date(millis).toISOString();
}

function usd(amount: number): string {
  return `USD ${amount.toFixed(4)}`;
}

/** Why a node is left alone: values that cross threads, and their words. */
import type { WindowsClosed } from '../../../domain/pods/disruption-windows.js';
import { counted } from '../../../domain/values/text.js';
import type { Reason } from '../../reason.js';
import { describeReason } from '../../describe-reason.js';

/** A reason to leave a node alone, with what its words need. */
export interface Refusal {
  readonly code: string;
}

/** A sentence for each code of a union of refusals: what stands in the way, and the nearest thing that would have to change. */
export type RefusalWords<Refusals extends Refusal> = {
  readonly [Code in Refusals['code']]: (refusal: Extract<Refusals, { code: Code }>) => string;
};

export interface RefusalTexts {
  /** By code. */
  readonly words: Readonly<Record<string, (refusal: never) => string>>;
  /** Codes of what passes by itself, or was asked for: no news. */
  readonly quiet: readonly string[];
}

/** What may stand in the way of any method. */
export type RuleRefusal =
  | { readonly code: 'NotInitialized' }
  /** `nodeClass`: kind and name of the pool's node class, where its document is gone, and not that of the pool. */
  | { readonly code: 'NodePoolFrozen'; readonly nodePool: string; readonly nodeClass: string | undefined }
  | { readonly code: 'StaticNodePool'; readonly nodePool: string }
  /** `limit`: limits.nodes of the static pool. */
  | { readonly code: 'StaticPoolFull'; readonly nodePool: string; readonly limit: number }
  /** A static pool that is to have fewer nodes: scaling removes some, and this one perhaps. */
  | { readonly code: 'SurplusNodes'; readonly nodePool: string; readonly replicas: number }
  | { readonly code: 'NoReplica'; readonly nodePool: string; readonly why: Reason | undefined }
  /** `until`, in milliseconds since 1970, where the annotation is a duration. */
  | { readonly code: 'NodeDoNotDisrupt'; readonly until: number | undefined }
  | { readonly code: 'PodDoNotDisrupt'; readonly pod: string; readonly until: number | undefined }
  | ({ readonly code: 'PodOutsideWindows'; readonly pod: string } & WindowsClosed)
  | { readonly code: 'PodDisruptionBudget'; readonly pod: string; readonly budget: string }
  | {
      readonly code: 'SeveralPodDisruptionBudgets';
      readonly pod: string;
      readonly budgets: readonly string[];
    }
  | { readonly code: 'AwaitsPods'; readonly pod: string }
  /** '' as nodePool: a budget over the nodes of all pools. */
  | {
      readonly code: 'Budget';
      readonly nodePool: string;
      readonly total: number;
      readonly used: number;
      readonly allowed: number;
    }
  | {
      readonly code: 'LoadBudget';
      readonly nodePool: string;
      readonly unit: 'pods' | 'usdPerHour';
      readonly used: number;
      readonly own: number;
      readonly allowed: number;
    }
  /** A node that is to go before its replacement is launched, while others are missing. */
  | { readonly code: 'NodesMissing'; readonly nodePool: string }
  | { readonly code: 'MinimumNodes'; readonly nodePool: string; readonly minimum: number }
  | { readonly code: 'Freeze'; readonly nodePool: string; readonly until: number }
  | { readonly code: 'OutsideWindows'; readonly nodePool: string; readonly opens: number | undefined }
  | { readonly code: 'NoPlace'; readonly pod: string; readonly why: Reason | undefined }
  | { readonly code: 'NotLookedAt' }
  | { readonly code: 'ZonalShift'; readonly zones: readonly string[] };

const WORDS: RefusalWords<RuleRefusal> = {
  NotInitialized: () => 'the node is not initialized yet; wait until it is',
  NodePoolFrozen: ({ nodePool, nodeClass }) => {
    const gone = nodeClass ?? `NodePool ${nodePool}`;
    return `the document of ${gone} was removed, which freezes the nodes of NodePool ${nodePool}; restore it, or annotate the PolicyStatus of ${gone} berth.sh/delete: drain`;
  },
  StaticNodePool: ({ nodePool }) =>
    `NodePool ${nodePool} is static (spec.replicas); lower its replicas to have fewer nodes`,
  StaticPoolFull: ({ nodePool, limit }) =>
    `static NodePool ${nodePool} has as many nodes as limits.nodes allows (${String(limit)}), which leaves none for a replacement; raise it above spec.replicas, or set berth.terminateFirst`,
  SurplusNodes: ({ nodePool, replicas }) =>
    `static NodePool ${nodePool} has more nodes than spec.replicas (${String(replicas)}); wait until there are as many`,
  NoReplica: ({ nodePool, why }) =>
    `static NodePool ${nodePool} can launch no replacement${why === undefined ? '' : `: ${describeReason(why)}`}`,
  NodeDoNotDisrupt: ({ until }) =>
    `the node is annotated karpenter.sh/do-not-disrupt${untilText(until)}; remove the annotation${orWait(until)}`,
  PodDoNotDisrupt: ({ pod, until }) =>
    `pod ${pod} is annotated karpenter.sh/do-not-disrupt${untilText(until)}; remove the annotation${orWait(until)}`,
  PodOutsideWindows: ({ pod, opens, problem }) =>
    problem === undefined
      ? `no window of annotation berth.sh/disruption-windows of pod ${pod}, or of its namespace, is open; ${openingText(opens)}`
      : `annotation berth.sh/disruption-windows of pod ${pod}, or of its namespace, cannot be read (${problem}); correct it`,
  PodDisruptionBudget: ({ pod, budget }) =>
    `PodDisruptionBudget ${budget} does not allow pod ${pod} to be evicted now; more healthy pods or a looser budget are needed`,
  SeveralPodDisruptionBudgets: ({ pod, budgets }) =>
    `pod ${pod} matches several PodDisruptionBudgets (${budgets.join(', ')}), which the eviction API does not support; leave one`,
  AwaitsPods: ({ pod }) => `pod ${pod} is planned on the node; wait until it is bound`,
  Budget: describeBudget,
  LoadBudget: ({ nodePool, unit, used, own, allowed }) => {
    const of = (amount: number): string =>
      unit === 'pods' ? counted(amount, 'pod') : `nodes of ${String(Number(amount.toFixed(4)))} USD/h`;
    return `berth.budgets of NodePool ${nodePool} allow ${of(allowed)} to be disrupted at once, ${of(used)} are, and this node is ${of(own)} more; wait, or raise the budget`;
  },
  NodesMissing: ({ nodePool }) =>
    `nodes of NodePool ${nodePool} are missing or not ready, and this one goes before its replacement is launched; wait until they are ready`,
  MinimumNodes: ({ nodePool, minimum }) =>
    `NodePool ${nodePool} keeps at least ${String(minimum)} nodes (berth.minimumNodes); lower it to have fewer`,
  Freeze: ({ nodePool, until }) =>
    `NodePool ${nodePool} freezes this until ${moment(until)} (berth.freezes); wait, or end the freeze`,
  OutsideWindows: ({ nodePool, opens }) =>
    `no window of NodePool ${nodePool} that allows this is open; ${openingText(opens)}`,
  NoPlace: ({ pod, why }) =>
    `pod ${pod} could not be placed elsewhere${why === undefined ? '' : `: ${describeReason(why)}`}`,
  NotLookedAt: () => 'the work budget of this pass was used up; the node is first in the next pass',
  ZonalShift: ({ zones }) =>
    `voluntary disruption pauses while the cluster is shifted away from ${zones.join(', ')}; wait until the zonal shift is over`,
};

export const RULE_TEXTS: RefusalTexts = {
  words: WORDS,
  quiet: [
    ...['NotInitialized', 'StaticNodePool', 'SurplusNodes', 'MinimumNodes', 'NodesMissing', 'AwaitsPods'],
    ...['NotLookedAt', 'ZonalShift'],
  ],
};

const OF_NODE: ReadonlySet<string> = new Set<RuleRefusal['code']>([
  ...(['NotInitialized', 'NodePoolFrozen', 'NodeDoNotDisrupt', 'AwaitsPods', 'ZonalShift'] as const),
  ...([
    'PodDoNotDisrupt',
    'PodOutsideWindows',
    'PodDisruptionBudget',
    'SeveralPodDisruptionBudgets',
  ] as const),
]);

/** Whether the node itself, or a pod on it, stands in the way: neither budgets nor a lack of room elsewhere. */
export function isOfNode({ code }: Refusal): boolean {
  return OF_NODE.has(code);
}

function describeBudget({
  nodePool,
  total,
  used,
  allowed,
}: Extract<RuleRefusal, { code: 'Budget' }>): string {
  const whose = nodePool === '' ? 'of all pools' : `of NodePool ${nodePool}`;
  return `budgets allow ${String(allowed)} of ${String(total)} nodes ${whose} to be disrupted at once, and ${String(used)} are disrupted or not ready; wait, or raise the budget`;
}

function openingText(opens: number | undefined): string {
  return opens === undefined ? 'none ever opens' : `the next opens at ${moment(opens)}`;
}

function untilText(until: number | undefined): string {
  return until === undefined ? '' : ` until ${moment(until)}`;
}

function orWait(until: number | undefined): string {
  return until === undefined ? '' : ' or wait';
}

/** A time of day in a sentence; `millis` since 1970. */
export function moment(millis: number): string {
  return new Date(millis).toISOString();
}

/** What a disruption method is: a reason for which nodes go, with everything that is special about it. */
import { isTrue } from '../../domain/values/condition.js';
import type { DriftReason } from '../../domain/nodes/claim-conditions.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { NodeCondition, ObservedNode } from '../../domain/nodes/observed-node.js';
import type { DueInput, MethodRules } from './sets/candidates.js';
import type { DisruptionCommand, NodeLife } from './question/disruption.js';
import type { Draft } from './draft.js';
import type { RefusalTexts } from './question/refusal.js';

/** A method is one file of methods/ and one row of METHODS; no other code names it. */
export interface Method extends MethodRules {
  /** In the status of claims, events, metrics and Decisions; one CamelCase word that no other method has. */
  readonly reason: string;
  /** The condition of claims that it goes by; undefined where it decides by what the planner sees. */
  readonly condition?: MethodCondition | undefined;
  /** Whether the instance is about to be taken back: it cannot wait for the next look, nor long for its replacement. */
  readonly isUrgent: boolean;
  /** Most seconds that pods may take to leave a node that goes for it, beside what its claim says; undefined: it sets no bound. */
  readonly drainBound?: ((node: NodeLife) => number | undefined) | undefined;
  /** Whether a node that goes for it whatever happens does not have to go: its instance is rebooted instead. */
  readonly reboots?: ((node: NodeLife) => boolean) | undefined;
  /** How Karpenter's metrics call it where it consolidates, by the number of nodes that go together; undefined where it does not. */
  readonly consolidationType?: ((nodes: number) => string) | undefined;
  /** Words for a command, in place of those of the claim's condition, and after all others. */
  readonly words?: MethodWords | undefined;
  /** The texts of its own refusals. */
  readonly refusals?: RefusalTexts | undefined;
  /** Adds its commands and refusals to the draft. */
  readonly decide: (draft: Draft) => void;
}

export interface MethodWords {
  readonly cause?: string | undefined;
  readonly gain?: ((command: DisruptionCommand) => string) | undefined;
}

export type MethodCondition =
  | KeptCondition
  /** Something else writes the condition: it stands in CLAIM_CONDITIONS. */
  | { readonly type: string; readonly from?: undefined };

/** A condition that Berth keeps up to date, with its texts for the reference: without a full stop. */
export interface KeptCondition<Reason extends string = string> {
  readonly type: string;
  readonly meaning: string;
  /** When it has which reason. */
  readonly reasons: Readonly<Record<Reason, string>>;
  /** When a claim has it. */
  readonly from: (facts: ClaimFacts) => ConditionDue<Reason>;
}

/** The condition of a method, which gives no reason that is not in its own list. */
export function keptCondition<Reason extends string>(condition: KeptCondition<Reason>): KeptCondition {
  return condition;
}

/** What is known about a claim, for conditions that may have it disrupted. Times in milliseconds since 1970. */
export interface ClaimFacts {
  readonly claim: NodeClaim;
  readonly node: ObservedNode | undefined;
  /** undefined while no such pool is accepted. */
  readonly pool: NodePool | undefined;
  /** In what it differs from its pool and node class; one CamelCase word, and a sentence. */
  readonly drift: { readonly reason: DriftReason; readonly message: string } | undefined;
  /** The bad condition of the node that counts, and when its toleration ends; undefined for a healthy node. */
  readonly ailment: { readonly condition: NodeCondition; readonly until: number } | undefined;
  /** When a pod last came or went, as far as this process has seen. */
  readonly lastPodEvent: number | undefined;
  readonly now: number;
}

/** A condition that begins at a time; Infinity: never. */
export interface ConditionDue<Reason extends string = string> {
  readonly at: number;
  /** Its type is the reason where none is given. */
  readonly reason?: Reason | undefined;
  readonly message?: string | undefined;
}

export const NEVER_DUE: ConditionDue<never> = { at: Infinity };

/** Names of the nodes whose claims have the condition, each with the time since when. */
export function withCondition(
  { nodes }: DueInput,
  type: string,
  isMeant: (node: NodeLife) => boolean = () => true,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const node of nodes) {
    const condition = node.conditions.find((each) => each.type === type);
    if (condition !== undefined && isTrue([condition], type) && isMeant(node))
      found.set(node.name, condition.lastTransitionTime);
  }
  return found;
}

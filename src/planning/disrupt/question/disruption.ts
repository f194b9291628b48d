/** What disruption is asked and answers: which nodes may go, which do, where their pods go, and why the others stay. */
import type { Condition } from '../../../domain/values/condition.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import type { PodDisruptionBudget } from '../../../domain/pods/pod-disruption-budget.js';
import type { Workload } from '../../../domain/pods/workload.js';
import type { Repair } from '../../../domain/policies/repair-policy.js';
import type { PlannedClaim, Placement } from '../../plan.js';
import type { PlanOptions } from '../../plan-options.js';
import type { ClusterInput } from '../../snapshot/cluster-input.js';
import type { DriftHold } from './drift-hold.js';
import type { Refusal } from './refusal.js';

/** A node that Berth launched, with what its life cycle says. Times in milliseconds since 1970. */
export interface ManagedNode {
  /** Its name in `ClusterInput.nodes`. */
  readonly name: string;
  readonly nodePool: string;
  /** USD/h that it costs; undefined when it is unknown, and then the node is not consolidated. */
  readonly hourlyPrice: number | undefined;
  readonly initialized: boolean;
  readonly ready: boolean;
  /** It goes already: its claim or itself is being deleted, or its disruption is decided. */
  readonly leaving: boolean;
  readonly createdAt: number;
  /** When a pod last came or went, at the earliest when it was initialised: consolidateAfter counts from here. */
  readonly quietSince: number;
  /** When consolidation last moved a pod to it, and no pod has left it by itself since; undefined: not as far as is remembered. */
  readonly movedToAt?: number | undefined;
  /** Value of its annotation karpenter.sh/do-not-disrupt. */
  readonly doNotDisrupt: string | undefined;
  /** It is annotated karpenter.sh/do-not-repair. */
  readonly doNotRepair: boolean;
  /** undefined: never. */
  readonly expiresAt: number | undefined;
  /** After so long drained pods go whatever stands in the way; undefined: never. */
  readonly terminationGracePeriodSeconds: number | undefined;
  /** The conditions of its claim. */
  readonly conditions: readonly Condition[];
  /** It was chosen to empty out, by an answer before. */
  readonly emptying: boolean;
  /** What a repair policy says of the node, which it calls unhealthy now, for however short a time; undefined: none does. */
  readonly repair: Repair | undefined;
  /** Its instance is being rebooted: it is left alone, and budgets count it as disrupted. */
  readonly rebooting?: true | undefined;
  /** It is in a zone that traffic is moved away from. */
  readonly shifted?: true | undefined;
  /** It may prove to have drifted as soon as it is compared with what has changed. */
  readonly uncompared?: true | undefined;
  /** Its disruption waits for approval: it takes no pods of nodes that go of free will, and budgets count it as disrupted. */
  readonly proposed?: boolean | undefined;
  /** `namespace/name` of pods that are to come to it: nominated, or with a reservation. */
  readonly awaitedPods: readonly string[];
}

/** What the life cycle alone says of it. */
export type NodeLife = Omit<ManagedNode, 'hourlyPrice' | 'awaitedPods'>;

export interface DisruptionInput {
  /** As for `plan`: pods without a node are demand that is being looked after otherwise. */
  readonly cluster: ClusterInput;
  /** Every node that Berth launched and that is in `cluster.nodes`. */
  readonly nodes: readonly ManagedNode[];
  /** All pods as observed: their health counts for PodDisruptionBudgets. */
  readonly pods: readonly ObservedPod[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** How many pods their owners want: shares in PodDisruptionBudgets are shares of these. */
  readonly workloads: readonly Workload[];
  /** `namespace/name` of Deployments whose replicas a HorizontalPodAutoscaler sets. */
  readonly autoscaled?: ReadonlySet<string> | undefined;
  /** Pools whose document is gone: nothing of theirs is disrupted of free will. */
  readonly frozenPools: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `DisruptionAnswer.cursor` of the answer before, so that nodes that there was no work left for come first; '' at first. */
  readonly cursor: string;
  /** Names of nodes that are left alone for a while, unless they go whatever happens. */
  readonly resting: ReadonlySet<string>;
  /** Pool → what holds its drifted nodes back; the others' are not held. */
  readonly driftHolds?: ReadonlyMap<string, DriftHold> | undefined;
  /**
   * Zones that traffic is moved away from: while there are any, consolidation pauses, and nodes there are not disrupted of free will.
   * None, unless given.
   */
  readonly shiftedZones?: ReadonlySet<string> | undefined;
  /** Namespace → its annotation berth.sh/disruption-windows, for pods without their own; undefined: no namespace has one. */
  readonly namespaceWindows?: ReadonlyMap<string, string> | undefined;
  /** Names of nodes; given, no other is a candidate, and all of them are tried together. */
  readonly only?: ReadonlySet<string> | undefined;
}

export interface DisruptionOptions {
  readonly plan: PlanOptions;
  /** Most plans made to find one answer; fewer where the cluster is very large, so that the work is bounded. */
  readonly simulations: number;
  /** Least hours that it is expected to last, while pods come and go. */
  readonly leastHorizonHours: number;
  /** Hours that a new node costs before it earns. */
  readonly bootHours: number;
  /** Whether spot nodes may be replaced by cheaper spot nodes (Karpenter: SpotToSpotConsolidation). */
  readonly spotToSpot: boolean;
}

export const DEFAULT_DISRUPTION_OPTIONS: Omit<DisruptionOptions, 'plan'> = {
  simulations: 64,
  leastHorizonHours: 0.25,
  bootHours: 0.05,
  spotToSpot: true,
};

/** Why nodes go before what replaces them is launched, as Karpenter's metric spells it. */
export type TerminateFirstReason = 'static-at-limit' | 'no-reserved-capacity';

/** Nodes that go together, and what comes instead. */
export interface DisruptionCommand {
  /** That of the method. */
  readonly reason: string;
  /** Names in `ClusterInput.nodes`, sorted. */
  readonly nodes: readonly string[];
  /** Nodes to launch first; their names are unique within the answer. */
  readonly claims: readonly PlannedClaim[];
  /** Where each pod of the nodes goes: a node that stays, or a claim of this command. Sorted by pod. */
  readonly placements: readonly Placement[];
  /** `namespace/name` of pods that there is no place for; only nodes that go whatever happens, or first, leave any. Sorted. */
  readonly unplaced: readonly string[];
  /** Given, what replaces the nodes is launched by others once they are gone: there is no room for both. */
  readonly terminateFirst?: TerminateFirstReason | undefined;
  /** Given, the node is not taken away: it is drained, and its instance rebooted. */
  readonly reboots?: true | undefined;
  /** Most seconds that pods may take to leave the nodes, beside what their claims say; undefined: the reason sets no bound. */
  readonly terminationGracePeriodSeconds?: number | undefined;
  /** USD/h of the nodes less that of the claims at their cheapest listed offering; negative where more is spent. */
  readonly saving: number;
  /** USD, once: evictions and nodes that boot. */
  readonly movingCost: number;
  /** What else was looked at, in words; '' when nothing. */
  readonly considered: string;
}

/** Why a node is not disrupted for a reason that it could have been. */
export interface NodeRefusal {
  readonly node: string;
  /** That of the method. */
  readonly reason: string;
  readonly refusal: Refusal;
}

export interface DisruptionAnswer {
  /** In the order in which they count on each other: each presumes that those before it are carried out. */
  readonly commands: readonly DisruptionCommand[];
  /** By node, then by reason; nodes of a command have none. */
  readonly refusals: readonly NodeRefusal[];
  /** Names of nodes that may be disrupted for Empty or Underutilized as far as rules go: for steering pods away. Sorted. */
  readonly candidates: readonly string[];
  /** Names of nodes that should empty out, the first first: as many as budgets let go together, and at most fifty. */
  readonly emptying: readonly string[];
  readonly cursor: string;
  /** Plans made. */
  readonly simulations: number;
}

/** Planning as a port: in this thread, or in a worker that leaves this one free to answer. */
import type { BufferDemand } from '../domain/pods/capacity-buffer.js';
import type { Repair } from '../domain/policies/repair-policy.js';
import type { InstanceType } from '../domain/nodes/instance-type.js';
import type { LaunchedAs } from '../domain/nodes/tenancy.js';
import type { DemandTerms } from '../domain/pods/demand.js';
import type { ObservedPod } from '../domain/pods/observed-pod.js';
import type { Pod } from '../domain/pods/pod.js';
import type { DisruptionAnswer, DisruptionOptions } from '../planning/disrupt/question/disruption.js';
import type { DriftHold } from '../planning/disrupt/question/drift-hold.js';
import type { Plan } from '../planning/plan.js';
import type { PlanOptions } from '../planning/plan-options.js';
import type { PoolOffer } from '../planning/snapshot/cluster-input.js';
import type { PortErrorCode } from './port-error.js';

/** What can be launched. Lists and types that have not changed are to be the same objects from one question to the next. */
export interface Offers {
  readonly pools: readonly PoolOffer[];
  /**
   * The instance types of a claim's node class for nodes of its pool and of its tenancy, whether or not they are available; empty when
   * there is no such class.
   */
  readonly typesOf: (claim: LaunchedAs) => readonly InstanceType[];
}

/** Where the pods of a batch go, in the planner's cluster as it is at the moment of the question. */
export interface PlanQuestion extends Offers {
  /**
   * Pods that want a place, and pods on deleted nodes in whose place others will come. Those that are gone, bound to other nodes
   * or reserved by then are left out.
   */
  readonly demand: readonly ObservedPod[];
  /**
   * Pods that are left out of the plan: those of the demand are not planned this time, though they still count as members of
   * their gangs; the room of those that are reserved counts as free.
   */
  readonly setAside?: readonly ObservedPod[] | undefined;
  /** CapacityBuffers whose pods are planned as well, by `virtualPods`; none, unless given. */
  readonly buffers?: readonly BufferDemand[] | undefined;
  /** Pods that do not exist, and that room is looked for all the same; none, unless given. */
  readonly virtual?: readonly Pod[] | undefined;
  /** Milliseconds since 1970; undefined: every node is taken for a new one, whose drivers may still publish its devices. */
  readonly now?: number | undefined;
  readonly options: PlanOptions;
}

export interface PlanAnswer {
  readonly plan: Plan;
  /** Time spent planning. */
  readonly millis: number;
  /** Given for a draft: the plan holds like any other, but planning was ended before it had looked for a better one. */
  readonly draft?: DraftReason | undefined;
}

/** What ended planning before it was done. */
export interface DraftReason {
  /** As of the PortError, had there been no draft. */
  readonly code: PortErrorCode;
  readonly message: string;
}

/** Which nodes go, in the planner's cluster as it is at the moment of the question. */
export interface DisruptionQuestion extends Offers {
  /** Which pods are demand. */
  readonly demandTerms: DemandTerms;
  /** CapacityBuffers whose pods need their room; none, unless given. */
  readonly buffers?: readonly BufferDemand[] | undefined;
  /** Pools whose document is gone. */
  readonly frozenPools: ReadonlySet<string>;
  /** Milliseconds since 1970, here and below. */
  readonly now: number;
  /** `DisruptionAnswer.cursor` of the answer before; FIRST_PASS at first. */
  readonly cursor: string;
  /** Node → when a pod last came to it or left it, as far as this process has seen. */
  readonly podEvents: ReadonlyMap<string, number>;
  /** Node → when consolidation last moved a pod to it, of nodes that no pod has left by itself since. */
  readonly movesTo: ReadonlyMap<string, number>;
  /** Nodes that a repair policy calls unhealthy now, however short a time, with what it says of them. */
  readonly unhealthy: ReadonlyMap<string, Repair>;
  /** Names of claims that are decided as though nothing had been decided about them, and no others. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Names of claims that are left alone for a while. */
  readonly resting: ReadonlySet<string>;
  /** Names of claims whose disruption waits for approval; none, unless given. */
  readonly proposed?: ReadonlySet<string> | undefined;
  /** Names of claims that may prove to have drifted as soon as they are compared with what has changed; none, unless given. */
  readonly uncompared?: ReadonlySet<string> | undefined;
  /** Pool → what holds its drifted nodes back; none is held, unless given. */
  readonly driftHolds?: ReadonlyMap<string, DriftHold> | undefined;
  /** Zones that traffic is moved away from; none, unless given. */
  readonly shiftedZones?: ReadonlySet<string> | undefined;
  readonly options: DisruptionOptions;
}

/** The nodes of one pool that Berth launched. */
export interface PoolCensus {
  readonly nodePool: string;
  /** Initialized nodes and those that reboot, and those of them that are not ready, are leaving or reboot. */
  readonly initialized: number;
  readonly unusable: number;
  /** Of them, those on their way out or rebooting. */
  readonly leaving: number;
}

/** The nodes that were asked about, counted. */
export interface DisruptionCensus {
  /** Pools without nodes are left out. */
  readonly pools: readonly PoolCensus[];
  /**
   * By reason, of the methods with a budget and a condition of their own: how many nodes meet it that are neither leaving nor kept by
   * what is on them (Karpenter: eligible).
   */
  readonly eligible: ReadonlyMap<string, number>;
}

export interface DisruptAnswer {
  readonly answer: DisruptionAnswer;
  readonly census: DisruptionCensus;
  /** Time spent deciding. */
  readonly millis: number;
}

/** Questions of both kinds are answered in order. */
export interface Planner {
  /**
   * Finds places for pods; answers a draft where there is one by the time planning is ended.
   * @throws PortError TimedOut, when there is no plan by the adapter's deadline; Unavailable, when planning broke.
   */
  plan(question: PlanQuestion, signal?: AbortSignal): Promise<PlanAnswer>;
  /**
   * Decides which nodes go. What is asked after a question that was given up, by its signal, does not wait for it for long.
   * @throws PortError as `plan`.
   */
  disrupt(question: DisruptionQuestion, signal?: AbortSignal): Promise<DisruptAnswer>;
  close(): Promise<void>;
}

/** Asking the planner which nodes may go: the question put together from the cluster as it is now, and the answer. */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { Repair } from '../../../domain/policies/repair-policy.js';
import type { ReservationTarget } from '../../../domain/records/reservation.js';
import {
  DEFAULT_DISRUPTION_OPTIONS,
  type DisruptionAnswer,
  type DisruptionOptions,
  type NodeLife,
  type NodeRefusal,
} from '../../../planning/disrupt/question/disruption.js';
import { FIRST_PASS } from '../../../planning/disrupt/methods/consolidation.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../planning/plan-options.js';
import type { PoolOffer } from '../../../planning/snapshot/cluster-input.js';
import type { Cloud } from '../../../ports/cloud.js';
import type { DisruptionQuestion, Planner, DisruptionCensus } from '../../../ports/planner.js';
import { hasCode } from '../../../ports/port-error.js';
import type { Metrics } from '../../../runtime/metrics/metrics.js';
import { acceptedPolicies } from '../../../state/policies/accepted-policies.js';
import { mayDisrupt } from '../../../planning/disrupt/may-disrupt.js';
import {
  disruptionOutlook,
  plannedClaim,
  type OutlookQuestion,
} from '../../../state/planning/disruption-input.js';
import { plannedTarget } from '../../../state/planning/plan-input.js';
import { PoolOffers, type PoolOffersOptions } from '../../provisioning/pool-offers.js';
import type { ResolvedBuffers } from '../../capacity-buffers/resolved-buffers.js';
import type { DisruptionContext } from './disruption-context.js';
import { repairOf, repairPoliciesFor } from '../conditions/health.js';
import type { PodEvents } from '../conditions/pod-events.js';
import type { OwnMoves } from './own-moves.js';
import { describeRefusal, isNews, methodOf } from '../../../planning/disrupt/methods.js';
import type { Recorder } from '../../../ports/recorder.js';
import { recordClaim } from '../../node-claim/record-claim.js';

export interface DeliberationOptions extends PoolOffersOptions {
  readonly context: DisruptionContext;
  readonly planner: Planner;
  readonly podEvents: PodEvents;
  readonly ownMoves: OwnMoves;
  readonly cloud: Pick<Cloud, 'repairPolicies'>;
  /** Names of claims whose disruption waits for approval; none, unless given. */
  readonly proposed?: (() => ReadonlySet<string>) | undefined;
  /** CapacityBuffers whose room stays; none, unless given. */
  readonly buffers?: Pick<ResolvedBuffers, 'placedDemand' | 'whenKnown'> | undefined;
  readonly disruptionOptions?: DisruptionOptions | undefined;
}

/** What the names of nodes in an answer mean, as long as there are such nodes. */
export interface DisruptionPicture {
  readonly targetOf: (nodeName: string) => ReservationTarget | undefined;
  readonly claimOf: (nodeName: string) => NodeClaim | undefined;
}

/** Claims that alone are asked about, and those that are left alone. */
interface Asked {
  readonly only?: ReadonlySet<string>;
  readonly resting: ReadonlySet<string>;
}

/** An answer with what its names mean. */
export interface Deliberated {
  readonly answer: DisruptionAnswer;
  readonly census: DisruptionCensus;
  /** When it was asked, in milliseconds since 1970. */
  readonly now: number;
  readonly picture: DisruptionPicture;
  readonly pools: readonly PoolOffer[];
}

export class Deliberation {
  readonly #options: DeliberationOptions;
  readonly #offers: PoolOffers;
  #cursor = FIRST_PASS;

  constructor(options: DeliberationOptions) {
    this.#options = options;
    this.#offers = new PoolOffers(options);
  }

  /** Whether the planner could find nodes that go, by what is known without asking it. */
  async mayFind(resting: ReadonlySet<string>, signal: AbortSignal): Promise<boolean> {
    const { cluster } = this.#options;
    const pools = await this.#offers.now(signal);
    const outlook = disruptionOutlook(cluster, this.#outlookQuestion({ resting }, pools));
    this.#options.context.driftRollouts?.look(pools, () => outlook.nodes);
    return mayDisrupt(outlook);
  }

  /**
   * Which nodes go now; those of claims that rest are not asked about.
   * @throws PortError, when there is no answer.
   */
  async all(resting: ReadonlySet<string>, signal: AbortSignal): Promise<Deliberated> {
    const deliberated = await this.#ask({ resting }, signal);
    this.#cursor = deliberated.answer.cursor;
    return deliberated;
  }

  /** The same about these claims alone, as though nothing had been decided about them. */
  about(only: ReadonlySet<string>, signal: AbortSignal): Promise<Deliberated> {
    return this.#ask({ only, resting: new Set() }, signal);
  }

  #outlookQuestion(asked: Asked, pools: readonly PoolOffer[]): OutlookQuestion {
    const { clock, podEvents, ownMoves, proposed, unavailableOfferings, context } = this.#options;
    return {
      ...asked,
      pools,
      proposed: proposed?.(),
      uncompared: context.driftRollouts?.uncompared,
      shiftedZones: unavailableOfferings.shiftedZones ?? AWAITED,
      frozenPools: this.#frozenPools(),
      now: clock.now(),
      podEvents: podEvents.times,
      movesTo: ownMoves.times,
      unhealthy: this.#unhealthy(pools),
    };
  }

  async #ask(asked: Asked, signal: AbortSignal): Promise<Deliberated> {
    const { cluster, planner, context } = this.#options;
    const { metrics, driftRollouts } = context;
    const { disruptionOptions: options = DEFAULT_OPTIONS } = this.#options;
    const buffered = this.#options.buffers?.placedDemand().map(({ spec }) => spec);
    const pools = await this.#offers.now(signal, buffered);
    const outlook = this.#outlookQuestion(asked, pools);
    let known: readonly NodeLife[] | undefined;
    const nodes = (): readonly NodeLife[] => (known ??= disruptionOutlook(cluster, outlook).nodes);
    if (asked.only === undefined) driftRollouts?.look(pools, nodes);
    const question: DisruptionQuestion = {
      ...outlook,
      driftHolds: driftRollouts?.holds(pools, nodes),
      buffers: this.#options.buffers?.placedDemand(),
      demandTerms: cluster.demandTerms,
      typesOf: (claim) => this.#offers.typesOf(claim),
      cursor: this.#cursor,
      options,
    };
    try {
      const { answer, census, millis } = await planner.disrupt(question, signal);
      metrics.disruptionDecisionEvaluation.observe({ reason: 'all', consolidation_type: '' }, millis / 1000);
      metrics.disruptionEvaluation.observe({ method: 'all', consolidation_type: '' }, millis / 1000);
      metrics.schedulingDuration.observe({ controller: 'disruption' }, millis / 1000);
      const picture: DisruptionPicture = {
        targetOf: (nodeName) => plannedTarget(cluster, nodeName),
        claimOf: (nodeName) => plannedClaim(cluster, nodeName),
      };
      countRejectedMoves(metrics, answer.refusals, picture.claimOf);
      return { answer, census, now: question.now, picture, pools };
    } catch (error) {
      if (hasCode(error, 'TimedOut')) metrics.consolidationTimeouts.inc({ consolidation_type: '' });
      throw error;
    }
  }

  #frozenPools(): ReadonlySet<string> {
    const { policyConfigMaps, policyStatuses } = this.#options.cluster;
    const { pools } = acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
    return new Set(pools.flatMap(({ nodePool, frozen }) => (frozen ? [nodePool.name] : [])));
  }

  /** Nodes that a repair policy calls unhealthy now. */
  #unhealthy(pools: readonly PoolOffer[]): ReadonlyMap<string, Repair> {
    const { cluster, cloud, clock } = this.#options;
    const now = clock.now();
    const policies = new Map(
      pools.map(({ pool }) => [pool.name, repairPoliciesFor(pool, cloud.repairPolicies)]),
    );
    const unhealthy = new Map<string, Repair>();
    for (const claim of cluster.nodeClaims.values()) {
      const node = cluster.nodeOfClaim(claim.name);
      if (node === undefined) continue;
      const own = policies.get(claim.spec.nodePool) ?? cloud.repairPolicies;
      const repair = repairOf({ node, claim }, own, now);
      if (repair !== undefined) unhealthy.set(node.name, repair);
    }
    return unhealthy;
  }
}

/** After a change of leader, nothing is consolidated before it is known whether there is a zonal shift. */
const AWAITED: ReadonlySet<string> = new Set(['a zone that is not known yet']);

const DEFAULT_OPTIONS: DisruptionOptions = { ...DEFAULT_DISRUPTION_OPTIONS, plan: DEFAULT_PLAN_OPTIONS };

/** Each NodePool once: which nodes were to go together is not in the answer. */
function countRejectedMoves(
  metrics: Metrics,
  refusals: readonly NodeRefusal[],
  claimOf: DisruptionPicture['claimOf'],
): void {
  const unbalanced = refusals.filter(({ refusal }) => refusal.code === 'Unbalanced');
  const pools = new Set(unbalanced.flatMap(({ node }) => claimOf(node)?.spec.nodePool ?? []));
  for (const nodepool of pools)
    metrics.consolidationMoves.inc({ decision: 'rejected', nodepool, policy: 'Balanced' });
}

/** Tells why nodes stay: one reason for each node, the one that says most, and again only when it changes. */
export function tellRefusals(
  recorder: Recorder,
  refusals: readonly NodeRefusal[],
  claimOf: (nodeName: string) => NodeClaim | undefined,
): void {
  const told = new Set<string>();
  for (const { node, reason, refusal } of refusals) {
    const claim = told.has(node) || !isNews(refusal) ? undefined : claimOf(node);
    if (claim === undefined) continue;
    told.add(node);
    const isConsolidation = methodOf(reason)?.consolidationType !== undefined;
    recordClaim(recorder, claim, {
      action: 'Refuse',
      reason: refusal.code,
      message: `${reason}: ${describeRefusal(refusal)}`,
      trigger: 'disruption',
      refused: reason,
      event: { type: 'Normal', reason: isConsolidation ? 'Unconsolidatable' : 'DisruptionBlocked' },
    });
  }
}

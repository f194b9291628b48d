/**
 * Observes the nodes of another system: has the planner decide what Berth would do, does that in a model of the cluster, and
 * reports what both cost. It changes nothing but its own report.
 */
import { OBSERVATION_NAME, savedUsd, type ObservationPeriod } from '../../domain/records/observation.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { DisruptionOptions } from '../../planning/disrupt/question/disruption.js';
import { mayDisrupt } from '../../planning/disrupt/may-disrupt.js';
import { FIRST_PASS } from '../../planning/disrupt/methods/consolidation.js';
import { tenancyOfClaim } from '../../domain/nodes/tenancy.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { ObservationWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { DisruptionQuestion, Planner } from '../../ports/planner.js';
import { PortError } from '../../ports/port-error.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { withDeadline } from '../../runtime/time/deadline.js';
import { deviceKinds } from '../../state/planning/plan-input.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { demandOf } from '../../state/planning/demand.js';
import { disruptionOutlook } from '../../state/planning/disruption-input.js';
import { whileObserving } from '../while-observing.js';
import { fleetCost, type FleetPrices } from './fleet-cost.js';
import type { ModelCluster } from './model-cluster.js';
import type { Bought, ModelNode } from './model-nodes.js';
import { ObservationLedger } from './observation-ledger.js';
import type { ObservedPools } from './observed-pools.js';

export interface ObservingControllerOptions {
  /** As it is. */
  readonly cluster: Cluster;
  /** As it would be, which the planner looks at. */
  readonly model: Cluster;
  readonly modelCluster: ModelCluster;
  readonly pools: ObservedPools;
  readonly planner: Planner;
  readonly disruptionOptions: DisruptionOptions;
  /** Whether Berth would have pods of nodes that should go deleted first. */
  readonly isSteering: boolean;
  readonly kube: ObservationWriter;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Of the periods of the report. */
  readonly intervalMillis: number;
}

const KINDS: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'Namespace',
  'DaemonSet',
  'Workload',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'HorizontalPodAutoscaler',
  'PolicyConfigMap',
  'PolicyStatus',
  'Observation',
];
/** From one look to the next. */
const STEP_MILLIS = 20_000;
const STEP_TIMEOUT_MILLIS = 180_000;
/** While no pod came or went, nodes are looked at so often. */
const IDLE_MILLIS = 60_000;
/** A pod without a place is planned again after so long. */
const AGAIN_MILLIS = 60_000;
/** The report is written so often, and with each period. */
const WRITE_MILLIS = 600_000;

export class ObservingController {
  readonly #options: ObservingControllerOptions;
  #ledger: ObservationLedger | undefined;
  #cursor = FIRST_PASS;
  /** Uid of a pod without a place → when it is planned again. */
  readonly #unplaced = new Map<string, number>();
  /** Names of the other system's nodes at the last look; undefined before the first. */
  #nodes: ReadonlySet<string> | undefined;
  #lookedAt = -Infinity;
  #writtenAt = -Infinity;

  constructor(options: ObservingControllerOptions) {
    this.#options = options;
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster, modelCluster, clock, intervalMillis } = this.#options;
    const subscribe = (): readonly (() => void)[] => modelCluster.follow();
    return whileObserving(
      { cluster, kinds: [...KINDS, ...deviceKinds(cluster)], signal, subscribe },
      async () => {
        this.#ledger = new ObservationLedger(intervalMillis, cluster.observations.get(OBSERVATION_NAME));
        while (!signal.aborted) {
          await this.#try(signal, this.#ledger);
          await clock.sleep(STEP_MILLIS, signal).catch(() => undefined);
        }
      },
    );
  }

  /** Never rejects. */
  async #try(signal: AbortSignal, ledger: ObservationLedger): Promise<void> {
    const { clock, logger, metrics } = this.#options;
    const operation = 'observe';
    const deadline = { clock, millis: STEP_TIMEOUT_MILLIS, signal, operation };
    try {
      await withDeadline(deadline, (own) => this.#step(own, ledger));
    } catch (error) {
      if (signal.aborted) return;
      ledger.interrupt();
      metrics.apiErrors.inc({ operation, code: error instanceof PortError ? error.code : 'Unknown' });
      logger.warn('Failed to observe', { error });
    }
  }

  async #step(signal: AbortSignal, ledger: ObservationLedger): Promise<void> {
    const { pools, modelCluster } = this.#options;
    const offers = await pools.now(signal);
    if (offers.length === 0) {
      ledger.interrupt();
      return;
    }
    modelCluster.advance(offers.map(({ pool }) => pool));
    await this.#provision(offers, ledger, signal);
    await this.#disrupt(offers, ledger, signal);
    const ended = this.#look(offers, ledger);
    if (ended !== undefined) this.#tell(ended, ledger);
    await this.#write(ledger, ended !== undefined, signal);
  }

  async #provision(
    offers: readonly PoolOffer[],
    ledger: ObservationLedger,
    signal: AbortSignal,
  ): Promise<void> {
    const { model, modelCluster, planner, pools, clock, disruptionOptions } = this.#options;
    const now = clock.now();
    for (const [uid, until] of this.#unplaced)
      if (until <= now || model.podByUID(uid) === undefined) this.#unplaced.delete(uid);
    const demand = demandOf(model, now).filter(({ uid }) => !this.#unplaced.has(uid));
    if (demand.length === 0) return;
    const question = {
      ...{ demand, pools: offers, now, options: disruptionOptions.plan },
      typesOf: pools.typesOf.bind(pools),
    };
    const { plan } = await planner.plan(question, signal);
    const launched = modelCluster.place(plan, offers);
    for (const { uid } of demand) if (isWaiting(model, uid)) this.#unplaced.set(uid, now + AGAIN_MILLIS);
    this.#acted(ledger, { reason: 'Launch', nodes: [], launched, evictions: 0, saving: -plan.cost.hourly });
  }

  async #disrupt(
    offers: readonly PoolOffer[],
    ledger: ObservationLedger,
    signal: AbortSignal,
  ): Promise<void> {
    const {
      model,
      modelCluster,
      planner,
      pools,
      clock,
      disruptionOptions: options,
      isSteering,
    } = this.#options;
    const nothing: ReadonlySet<string> = new Set();
    const frozenPools = new Set(offers.flatMap(({ pool, frozen }) => (frozen === true ? [pool.name] : [])));
    const question: DisruptionQuestion = {
      ...{
        demandTerms: model.demandTerms,
        pools: offers,
        frozenPools,
        now: clock.now(),
        cursor: this.#cursor,
      },
      ...{
        podEvents: modelCluster.podEvents,
        movesTo: modelCluster.movesTo,
        unhealthy: new Map(),
        resting: nothing,
        options,
      },
      typesOf: pools.typesOf.bind(pools),
    };
    const isIdle = this.#cursor === '' && clock.monotonic() - this.#lookedAt < IDLE_MILLIS;
    if (isIdle || !mayDisrupt(disruptionOutlook(model, question))) return;
    const { answer } = await planner.disrupt(question, signal);
    this.#cursor = answer.cursor;
    if (isSteering) modelCluster.emptying = answer.emptying;
    this.#lookedAt = answer.commands.length > 0 ? -Infinity : clock.monotonic();
    for (const command of answer.commands) {
      const { reason, nodes, saving, placements, unplaced } = command;
      const launched = modelCluster.disrupt(command, offers);
      const evictions = placements.length + unplaced.length;
      this.#acted(ledger, { reason, nodes, launched, evictions, saving });
    }
  }

  #acted(
    ledger: ObservationLedger,
    acted: {
      readonly reason: string;
      readonly nodes: readonly string[];
      readonly launched: readonly ModelNode[];
      readonly evictions: number;
      readonly saving: number;
    },
  ): void {
    const { reason, nodes, launched, evictions, saving } = acted;
    if (nodes.length + launched.length === 0) return;
    const instanceTypes = launched.flatMap(({ claim }) => claim.status.instanceType ?? []);
    ledger.count({ berthLaunches: launched.length, berthRemovals: nodes.length, berthEvictions: evictions });
    ledger.act({ time: this.#options.clock.now(), reason, nodes, instanceTypes, saving });
  }

  /** Answers the period that has ended, if one has. */
  #look(offers: readonly PoolOffer[], ledger: ObservationLedger): ObservationPeriod | undefined {
    const { cluster, model, pools, clock, metrics } = this.#options;
    const prices: FleetPrices = {
      pools: new Map(offers.map(({ pool }) => [pool.name, pool])),
      typesOf: pools.typesOf.bind(pools),
    };
    const theirs = new Map<string, Bought>();
    for (const node of cluster.nodes.values()) {
      const bought = pools.boughtAs(node);
      if (bought !== undefined && prices.pools.has(bought.nodePool)) theirs.set(node.uid, bought);
    }
    this.#countCurrent(new Set(theirs.keys()), ledger);
    const current = fleetCost(theirs.values(), prices);
    const berth = fleetCost(boughtIn(model), prices);
    for (const [fleet, cost] of Object.entries({ current, berth })) {
      metrics.observedHourlyPrice.set({ fleet }, cost.hourly);
      metrics.observedNodes.set({ fleet }, cost.nodes);
    }
    return ledger.look(pools.system, { current, berth, unplacedPods: this.#unplaced.size }, clock.now());
  }

  #countCurrent(nodes: ReadonlySet<string>, ledger: ObservationLedger): void {
    const before = this.#nodes ?? nodes;
    this.#nodes = nodes;
    const currentLaunches = [...nodes].filter((uid) => !before.has(uid)).length;
    const currentRemovals = [...before].filter((uid) => !nodes.has(uid)).length;
    ledger.count({ currentLaunches, currentRemovals });
  }

  #tell(ended: ObservationPeriod, { content }: ObservationLedger): void {
    const { cluster, recorder } = this.#options;
    if (content === undefined) return;
    const { now, total, since } = content;
    const saving = now.currentHourly - now.berthHourly;
    const message = [
      `nodes cost ${usd(now.currentHourly)} USD/h, and those of Berth would cost ${usd(now.berthHourly)} USD/h`,
      `the last period cost ${usd(ended.currentUsd)} USD instead of ${usd(ended.berthUsd)} USD`,
      `since ${new Date(since).toISOString()} Berth would have saved ${usd(savedUsd(total))} USD`,
    ].join('; ');
    const uid = cluster.observations.get(OBSERVATION_NAME)?.uid ?? '';
    recorder.record({
      subject: { kind: 'PolicyStatus', namespace: '', name: OBSERVATION_NAME, uid },
      ...{ action: 'Observe', reason: 'Observed', message, trigger: 'timer', considered: '', saving },
      event: { type: 'Normal', reason: 'Observed' },
    });
  }

  async #write({ content }: ObservationLedger, isDue: boolean, signal: AbortSignal): Promise<void> {
    const { cluster, kube, clock, intervalMillis } = this.#options;
    const since = clock.monotonic() - this.#writtenAt;
    if (content === undefined || (!isDue && since < Math.min(WRITE_MILLIS, intervalMillis))) return;
    const known = cluster.observations.get(OBSERVATION_NAME);
    cluster.put('Observation', await kube.putObservation(content, known, signal));
    this.#writtenAt = clock.monotonic();
  }
}

function isWaiting(model: Cluster, uid: string): boolean {
  const pod: ObservedPod | undefined = model.podByUID(uid);
  return pod !== undefined && pod.nodeName === undefined;
}

function* boughtIn(model: Cluster): Iterable<Bought> {
  for (const claim of model.nodeClaims.values()) {
    const { instanceType = '', zone = '', capacityType = 'on-demand' } = claim.status;
    const tenancy = tenancyOfClaim(claim);
    yield { nodePool: claim.spec.nodePool, instanceType, zone, capacityType, tenancy };
  }
}

function usd(amount: number): string {
  return amount.toFixed(2);
}

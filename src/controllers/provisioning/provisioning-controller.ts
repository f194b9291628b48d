/** Gathers pods that want a place into batches, and has one batch at a time provided for. */
import { asksToMove } from '../../domain/pods/deferred-resize.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PolicyStatus } from '../../domain/policies/policy.js';
import { isProposal, phaseOf, type Decision } from '../../domain/records/decision.js';
import type { Reservation } from '../../domain/records/reservation.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import { PortError } from '../../ports/port-error.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import { BatchWindow } from '../../runtime/concurrency/batch-window.js';
import { untilAborted } from '../../runtime/time/deadline.js';
import { verdictOn, isProvisionable } from '../../state/planning/demand.js';
import { ownerKey } from '../../state/cluster/owner-key.js';
import type { Change } from '../../state/cluster/store.js';
import { whileObserving } from '../while-observing.js';
import { BurstWatch } from './burst-watch.js';
import { Provisioner, type BatchOutcome, type ProvisionerOptions } from './provisioner.js';
import { deviceKinds, PLANNED_KINDS } from '../../state/planning/plan-input.js';

export interface ProvisioningSettings {
  /** A batch closes when no pod has come for so long, in milliseconds; as Karpenter's. */
  readonly batchIdleMillis: number;
  /** And at the latest so long after its first. */
  readonly batchMaxMillis: number;
  /** Pods that no pool can hold are looked at again after so long. */
  readonly retryMillis: number;
  /** Planning a batch is given up after so long; carrying its plan out is not. */
  readonly planMillis: number;
}

export interface ProvisioningControllerOptions extends ProvisionerOptions {
  readonly settings?: Partial<ProvisioningSettings> | undefined;
}

const DEFAULT_SETTINGS: ProvisioningSettings = {
  batchIdleMillis: 1000,
  batchMaxMillis: 10_000,
  retryMillis: 10_000,
  planMillis: 120_000,
};

const KINDS: readonly ObservedKind[] = [...PLANNED_KINDS, 'Workload', 'PodGroup', 'PodDisruptionBudget'];
const BACKOFF = { baseMillis: 500, maxMillis: 30_000 };

export class ProvisioningController {
  readonly #options: ProvisioningControllerOptions;
  readonly #settings: ProvisioningSettings;
  readonly #provisioner: Provisioner;
  /** Batches in a row that went wrong. */
  #failed = 0;
  /** Whether the last batch left pods without a place. */
  #hasRefused = false;
  #cancelRetry: () => void = () => undefined;

  constructor(options: ProvisioningControllerOptions) {
    this.#options = options;
    this.#settings = { ...DEFAULT_SETTINGS, ...options.settings };
    this.#provisioner = new Provisioner(options);
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, clock, launchApprovals } = this.#options;
    const { batchIdleMillis, batchMaxMillis } = this.#settings;
    const window = new BatchWindow({ idleMillis: batchIdleMillis, maxMillis: batchMaxMillis, clock });
    let burst: BurstWatch | undefined;
    const subscribe = (): readonly (() => void)[] => {
      // It counts the pods that are there: all of them, now that they are listed.
      burst = new BurstWatch({ cluster, clock });
      return this.#subscribe(window, burst);
    };
    try {
      const approved: readonly ObservedKind[] = launchApprovals === undefined ? [] : ['Decision'];
      const kinds = [...KINDS, ...deviceKinds(cluster), ...approved];
      await whileObserving({ cluster, kinds, signal, subscribe }, async () => {
        for (;;) {
          await window.next(signal);
          burst?.reset();
          await this.#batch(window, signal);
        }
      });
    } finally {
      this.#cancelRetry();
    }
  }

  async #batch(window: BatchWindow, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    this.#cancelRetry();
    const { refused, failures, againMillis = Infinity } = await this.#provision(signal);
    this.#hasRefused = refused > 0;
    this.#failed = failures.length > 0 ? this.#failed + 1 : 0;
    if (this.#failed > 0) {
      await clock.sleep(backoffMillis({ attempt: this.#failed, ...BACKOFF, random }), signal);
      window.add();
      return;
    }
    const millis = Math.min(againMillis, refused > 0 ? this.#settings.retryMillis : Infinity);
    if (millis === Infinity) return;
    this.#cancelRetry = clock.timer(millis, () => {
      window.add();
    });
  }

  async #provision(signal: AbortSignal): Promise<BatchOutcome> {
    const { logger, metrics } = this.#options;
    const { planMillis } = this.#settings;
    let outcome: BatchOutcome;
    try {
      outcome = await untilAborted(signal, 'provision a batch', (own) =>
        this.#provisioner.provision(planMillis, own),
      );
    } catch (error) {
      if (signal.aborted) throw error;
      outcome = { refused: 0, failures: [error] };
    }
    for (const error of outcome.failures) {
      metrics.apiErrors.inc({
        operation: 'provision',
        code: error instanceof PortError ? error.code : 'Unknown',
      });
      logger.warn('Failed to provision part of a batch', { error });
    }
    return outcome;
  }

  #subscribe(window: BatchWindow, burst: BurstWatch): readonly (() => void)[] {
    const { cluster } = this.#options;
    const closeIfComplete = (): void => {
      if (burst.isComplete()) window.close();
    };
    const gather = (pod: ObservedPod): void => {
      burst.gathered(pod);
      window.add();
    };
    for (const pod of this.#provisioner.demand()) gather(pod);
    return [
      cluster.pods.subscribe((change) => {
        burst.podChanged(change);
        this.#countErrors(change);
        if (this.#isNewDemand(change)) gather(change.after);
        for (const pod of this.#awaiting(change)) gather(pod);
        if (beginsToAsk(change)) window.add();
        closeIfComplete();
      }),
      cluster.workloads.subscribe((change) => {
        burst.workloadChanged(change);
        closeIfComplete();
      }),
      cluster.reservations.subscribe((change) => {
        for (const pod of this.#released(change)) gather(pod);
        if (hasLostOwnersRoom(change)) window.add();
      }),
      cluster.nodeClaims.subscribe((change) => {
        if (isDeletion(change)) window.add();
      }),
      cluster.nodes.subscribe((change) => {
        if (isDeletion(change)) window.add();
      }),
      cluster.policyConfigMaps.subscribe(() => {
        this.#provisioner.policiesChanged();
      }),
      cluster.decisions.subscribe((change) => {
        if (this.#options.launchApprovals !== undefined && isLaunchDecided(change)) window.add();
      }),
      ...[cluster.deviceClasses, cluster.resourceClaimTemplates].map((store) =>
        store.subscribe(() => {
          if (this.#hasRefused) window.add();
        }),
      ),
      cluster.policyStatuses.subscribe(({ before, after }) => {
        if (this.#hasRefused && meaningOf(before) !== meaningOf(after)) window.add();
      }),
    ];
  }

  /** A pod that has asked already does not ask again each time that it is written to. */
  #isNewDemand(change: Change<ObservedPod>): change is Change<ObservedPod> & { readonly after: ObservedPod } {
    const { before, after } = change;
    const { cluster } = this.#options;
    if (after === undefined || !isProvisionable(cluster, after)) return false;
    return before?.uid !== after.uid || !isProvisionable(cluster, before);
  }

  /** Pods that a preemption makes room for, once a victim is gone: if kube-scheduler does not bind them now, they want a place. */
  #awaiting({ before, after }: Change<ObservedPod>): readonly ObservedPod[] {
    const { cluster } = this.#options;
    if (before?.nodeName === undefined || !before.terminating || after?.uid === before.uid) return [];
    return cluster.podsNominatedTo(before.nodeName).filter((pod) => isProvisionable(cluster, pod));
  }

  /** Pods that a reservation no longer holds room for, and that want a place again. */
  #released({ before, after }: Change<Reservation>): readonly ObservedPod[] {
    const { cluster } = this.#options;
    const kept = new Set(after?.entries.map(({ podUID }) => podUID));
    return (before?.entries ?? [])
      .flatMap(({ podUID, owner }) => {
        if (owner !== undefined) return cluster.podsOf(ownerKey(owner));
        return podUID === undefined || kept.has(podUID) ? [] : (cluster.podByUID(podUID) ?? []);
      })
      .filter((pod) => isProvisionable(cluster, pod));
  }

  #countErrors({ before, after }: Change<ObservedPod>): void {
    const { metrics, logger, cluster } = this.#options;
    const { demandTerms } = cluster;
    if (after === undefined || verdictOn(after, demandTerms) !== 'SchedulerError') return;
    if (before !== undefined && verdictOn(before, demandTerms) === 'SchedulerError') return;
    metrics.schedulerErrors.inc();
    logger.warn('kube-scheduler failed to schedule a pod', {
      namespace: after.namespace,
      pod: after.name,
      message: after.scheduled?.message,
    });
  }
}

/** Whether the pod began to ask for a move with the change, or for another one. */
function beginsToAsk({ before, after }: Change<ObservedPod>): boolean {
  if (after === undefined || !asksToMove(after)) return false;
  return before === undefined || !asksToMove(before) || before.spec !== after.spec;
}

/** Whether its deletion began with the change. */
function isDeletion<T extends NodeClaim | ObservedNode>({ before, after }: Change<T>): boolean {
  return after?.deletionTimestamp !== undefined && before?.deletionTimestamp === undefined;
}

/** Whether there was room for pods of an owner, and the reservation is gone. */
function hasLostOwnersRoom({ before, after }: Change<Reservation>): boolean {
  return after === undefined && before?.entries.some(({ owner }) => owner !== undefined) === true;
}

/** Whether a proposed launch is in another phase than before, or was deleted. */
function isLaunchDecided({ before, after }: Change<Decision>): boolean {
  const decision = after ?? before;
  if (decision === undefined || !isProposal(decision) || decision.spec.proposal.act !== 'Launch')
    return false;
  const was = before !== undefined && isProposal(before) ? phaseOf(before) : 'Proposed';
  return after === undefined || phaseOf(decision) !== was;
}

/** What of a policy decides about launches. */
function meaningOf(status: PolicyStatus | undefined): string {
  const ready = status?.conditions.find(({ type }) => type === 'Ready');
  return `${status?.lastAccepted?.hash ?? ''} ${ready?.status ?? ''}`;
}

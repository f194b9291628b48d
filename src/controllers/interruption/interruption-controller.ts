/**
 * Takes the cloud's messages about instances from their queue. A message is deleted once what it means is written on the claim it
 * is about; until then it is shown again, to this process or the next. What is to be done then is for disruption to decide.
 */
import { currentReboot } from '../../domain/nodes/claim-reboot.js';
import { isLaunchOpen, type ClaimDisruption, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { CAPACITY_RESERVATION_ID } from '../../domain/values/labels.js';
import type { Clock } from '../../ports/clock.js';
import type {
  Interruption,
  InterruptionQueue,
  ReceivedInterruption,
} from '../../ports/interruption-queue.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import { withDeadline } from '../../runtime/time/deadline.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';
import { ClusterWriter } from '../cluster-writer.js';
import { endClaim } from '../node-claim/end-claim.js';
import { recordClaim } from '../node-claim/record-claim.js';
import type { EventReason } from '../../domain/records/event-reasons.js';
import { interruptClaim, type InterruptNews } from './interrupt-claim.js';

export interface InterruptionControllerOptions {
  readonly queue: InterruptionQueue;
  /** What the queue is, for people: `interruption queue` unless given. */
  readonly source?: 'interruption queue' | 'instance status' | undefined;
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  /** Shared with provisioning. */
  readonly unavailableOfferings: UnavailableOfferings;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Whether nodes go for which a rebalance is recommended; as in Karpenter, they do not unless this says so. */
  readonly actsOnRebalance?: boolean | undefined;
}

/** The queue waits up to 20 s for messages. */
const RECEIVE_MILLIS = 30_000;
const HANDLE_MILLIS = 60_000;
const BACKOFF = { baseMillis: 1000, maxMillis: 60_000 };
/** A message about an instance that no claim has yet, while launches are open, is left in the queue for so long. */
const UNKNOWN_MILLIS = 300_000;

export class InterruptionController {
  readonly #options: InterruptionControllerOptions;
  readonly #writer: ClusterWriter;
  readonly #source: NonNullable<InterruptionControllerOptions['source']>;
  #failed = 0;

  constructor(options: InterruptionControllerOptions) {
    this.#options = options;
    this.#source = options.source ?? 'interruption queue';
    this.#writer = new ClusterWriter(options);
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, clock, random, logger } = this.#options;
    await cluster.whenSynced(['NodeClaim', 'Node'], signal).catch(() => undefined);
    while (!signal.aborted) {
      const error = await this.#round(signal).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      this.#failed = error === undefined ? 0 : this.#failed + 1;
      if (error === undefined) continue;
      const millis = backoffMillis({ attempt: this.#failed, ...BACKOFF, random });
      const level = hasCode(error, 'Cancelled') ? 'debug' : 'warn';
      logger[level](`Failed to poll the ${this.#source}`, { error, delayMillis: Math.round(millis) });
      await clock.sleep(millis, signal).catch(() => undefined);
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { clock, queue, metrics, logger } = this.#options;
    const receiving = { clock, millis: RECEIVE_MILLIS, signal, operation: 'receive interruptions' };
    const messages = await withDeadline(receiving, (own) => queue.receive(own));
    const done: string[] = [];
    const handling = { clock, millis: HANDLE_MILLIS, signal, operation: 'handle interruptions' };
    const failures = await withDeadline(handling, (own) =>
      tryInParallel(
        messages,
        async (message) => {
          if (await this.#handle(message, own)) done.push(message.receipt);
        },
        { signal: own },
      ),
    );
    for (const error of failures)
      logger.warn('Failed to handle an interruption message; it stays in the queue', { error });
    if (done.length === 0) return;
    await withDeadline(handling, (own) => queue.delete(done, own));
    metrics.interruptionDeleted.inc(done.length);
  }

  /** Answers whether the message has done what it can do. */
  async #handle(received: ReceivedInterruption, signal: AbortSignal): Promise<boolean> {
    const { clock, metrics, logger, actsOnRebalance = false } = this.#options;
    const { interruption, sentAt, id } = received;
    metrics.interruptionReceived.inc({ message_type: messageType(interruption) });
    if (this.#source === 'instance status')
      metrics.unhealthyStatuses.inc({ category: categoryOf(interruption) });
    if (sentAt !== undefined)
      metrics.interruptionQueueDuration.observe(Math.max(0, clock.now() - sentAt) / 1000);
    if (interruption.kind === 'Malformed')
      logger.warn('Ignored a malformed message in the interruption queue', {
        id,
        problem: interruption.problem,
      });
    const effect = effectOf(received, actsOnRebalance);
    if (effect.kind === 'nothing') return true;
    const claims = this.#claimsOf(interruption.instanceIDs);
    // That an instance ends which Berth has terminated is no news.
    const isNews = claims.some(({ deletionTimestamp }) => deletionTimestamp === undefined);
    logger[isNews ? 'info' : 'debug']('Received interruption', {
      kind: interruption.kind,
      instances: interruption.instanceIDs,
      nodeClaims: claims.map(({ name }) => name),
    });
    // A check fails while the instance is rebooted: the queue shows it again, unless that helps.
    const isCheck = interruption.kind === 'FailedStatusCheck';
    const spared = claims.filter((claim) => isCheck && currentReboot(claim) !== undefined);
    for (const claim of claims) if (!spared.includes(claim)) await this.#apply(claim, effect, signal);
    return spared.length === 0 && (claims.length > 0 || !this.#mayBeOurs(sentAt));
  }

  #claimsOf(instanceIDs: readonly string[]): readonly NodeClaim[] {
    const { cluster } = this.#options;
    return [...new Set(instanceIDs)].flatMap((id) => cluster.claimsOfInstance(id));
  }

  /** An instance that was launched a moment ago may not be written on its claim yet. */
  #mayBeOurs(sentAt: number | undefined): boolean {
    const { cluster, clock } = this.#options;
    if (sentAt === undefined || clock.now() - sentAt >= UNKNOWN_MILLIS) return false;
    return [...cluster.nodeClaims.values()].some(isLaunchOpen);
  }

  async #apply(
    claim: NodeClaim,
    effect: Exclude<Effect, { kind: 'nothing' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { recorder } = this.#options;
    switch (effect.kind) {
      case 'interrupt':
        await this.#interrupt(claim, effect, signal);
        return;
      case 'tell':
        recordClaim(recorder, claim, {
          action: 'Refuse',
          reason: effect.event,
          message: effect.message,
          trigger: this.#source,
          event: 'Normal',
        });
        return;
      case 'end': {
        const { reason, message, terminationGracePeriodSeconds } = effect;
        const news = {
          action: 'Terminate',
          ...{ reason, message, terminationGracePeriodSeconds },
          trigger: this.#source,
          event: 'Warning',
        } as const;
        await endClaim({ ...this.#options, writer: this.#writer }, claim, news, signal);
      }
    }
  }

  #interrupt(
    { name }: NodeClaim,
    effect: Extract<Effect, { kind: 'interrupt' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const context = { ...this.#options, writer: this.#writer };
    const seen = (claim: NodeClaim): void => {
      this.#avoid(claim, effect.reason);
    };
    return interruptClaim(context, name, { ...effect, trigger: this.#source, seen }, signal);
  }

  /** An offering that was just interrupted counts as unavailable for a while. */
  #avoid({ status, labels }: NodeClaim, reason: string): void {
    const { clock, unavailableOfferings } = this.#options;
    const { instanceType, zone, capacityType } = status;
    if (reason !== 'SpotInterruption' || instanceType === undefined) return;
    // Of other capacity reservations the message says nothing (Karpenter).
    const reservation = capacityType === 'reserved' ? labels.get(CAPACITY_RESERVATION_ID) : undefined;
    if (reservation !== undefined) unavailableOfferings.mark({ reservation }, clock.now());
    else unavailableOfferings.mark({ instanceType, zone, capacityType }, clock.now());
  }
}

/** Karpenter's message types. */
const MESSAGE_TYPES: Readonly<Record<Exclude<Interruption['kind'], 'FailedStatusCheck'>, string>> = {
  SpotInterruption: 'spot_interrupted',
  RebalanceRecommendation: 'rebalance_recommendation',
  ScheduledChange: 'scheduled_change',
  StateChange: 'state_change',
  Other: 'no_op',
  Malformed: 'malformed',
};

/** States in which an instance goes, or has gone, that it had to be kept in. */
const ENDING_STATES: ReadonlySet<string> = new Set(['stopping', 'stopped', 'shutting-down', 'terminated']);

/** The label of the message in metrics. */
function messageType(interruption: Interruption): string {
  if (interruption.kind === 'FailedStatusCheck') return `${interruption.check}_status`;
  if (interruption.kind !== 'StateChange') return MESSAGE_TYPES[interruption.kind];
  switch (interruption.state) {
    case 'stopping':
    case 'stopped':
      return 'instance_stopped';
    case 'shutting-down':
    case 'terminated':
      return 'instance_terminated';
    default:
      return MESSAGE_TYPES.Other;
  }
}

/** Karpenter's category of what an instance status says. */
function categoryOf(interruption: Interruption): string {
  return interruption.kind === 'ScheduledChange' ? 'event_status' : messageType(interruption);
}

/** What is to be done with the claims of its instances. */
type Effect =
  | ({ readonly kind: 'interrupt' } & Omit<InterruptNews, 'trigger' | 'seen'>)
  | { readonly kind: 'tell'; readonly event: EventReason<'Normal', 'NodeClaim'>; readonly message: string }
  | ({
      readonly kind: 'end';
      readonly reason: EventReason<'Warning', 'NodeClaim'>;
      readonly message: string;
    } & Pick<ClaimDisruption, 'terminationGracePeriodSeconds'>)
  | { readonly kind: 'nothing' };

/** `actsOnRebalance`: a recommendation counts as a warning. */
function effectOf({ interruption, sentAt }: ReceivedInterruption, actsOnRebalance: boolean): Effect {
  switch (interruption.kind) {
    case 'SpotInterruption':
      return {
        kind: 'interrupt',
        reason: 'SpotInterruption',
        event: 'SpotInterrupted',
        message: 'the spot instance is reclaimed in two minutes',
        warnedAt: sentAt,
      };
    case 'ScheduledChange':
      return {
        kind: 'interrupt',
        reason: 'ScheduledChange',
        event: 'ScheduledChange',
        message: 'maintenance or retirement of the instance is scheduled',
      };
    case 'RebalanceRecommendation':
      return actsOnRebalance ? REBALANCE : { ...TOLD, kind: 'tell' };
    case 'FailedStatusCheck':
      return {
        kind: 'end',
        reason: 'InstanceUnhealthy',
        message: `the ${interruption.check} status check has failed for two minutes`,
        // The kubelet may not answer any more: its pods are not waited for.
        terminationGracePeriodSeconds: 0,
      };
    case 'StateChange':
      return ENDING_STATES.has(interruption.state)
        ? {
            kind: 'end',
            reason:
              messageType(interruption) === 'instance_stopped' ? 'InstanceStopping' : 'InstanceTerminating',
            message: `the instance is ${interruption.state}, and Berth did not terminate it`,
          }
        : { kind: 'nothing' };
    case 'Other':
    case 'Malformed':
      return { kind: 'nothing' };
  }
}

const TOLD = {
  event: 'SpotRebalanceRecommendation',
  message: 'the spot instance has an elevated risk of interruption; no action is taken',
} as const;
/** Without the two minutes of a warning: the time of the interruption is unknown, and it may not happen. */
const REBALANCE: Effect = {
  kind: 'interrupt',
  reason: 'ScheduledChange',
  event: 'SpotRebalanceRecommendation',
  message: 'the spot instance has an elevated risk of interruption and is replaced',
};

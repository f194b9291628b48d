/** What messages about instances mean for their claims: names as Karpenter's metrics and events have them. */
import type { EventReason } from '../../domain/records/event-reasons.js';
import type { Interruption } from '../../ports/interruption-queue.js';

/** Karpenter's message types. */
const MESSAGE_TYPES: Readonly<Record<Interruption['kind'], string>> = {
  SpotInterruption: 'spot_interrupted',
  RebalanceRecommendation: 'rebalance_recommendation',
  ScheduledChange: 'scheduled_change',
  StateChange: 'state_change',
  Other: 'no_op',
  Malformed: 'malformed',
};

/** States in which an instance goes, or has gone, that it had to be kept in (EC2: instance state change). */
const ENDING_STATES: ReadonlySet<string> = new Set(['stopping', 'stopped', 'shutting-down', 'terminated']);

/** The label of the message in metrics. */
export function messageType(interruption: Interruption): string {
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

/** What is to be done with the claims of its instances. */
export type Effect =
  | {
      readonly kind: 'interrupt';
      readonly reason: 'SpotInterruption' | 'ScheduledChange';
      readonly event: EventReason<'Warning', 'NodeClaim'>;
      readonly message: string;
    }
  | { readonly kind: 'tell'; readonly event: EventReason<'Normal', 'NodeClaim'>; readonly message: string }
  | { readonly kind: 'end'; readonly reason: EventReason<'Warning', 'NodeClaim'>; readonly message: string }
  | { readonly kind: 'nothing' };

/** `actsOnRebalance`: a recommendation counts as a warning. */
export function effectOf(interruption: Interruption, actsOnRebalance: boolean): Effect {
  switch (interruption.kind) {
    case 'SpotInterruption':
      return {
        kind: 'interrupt',
        reason: 'SpotInterruption',
        event: 'SpotInterrupted',
        message: 'the spot instance is reclaimed in two minutes',
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

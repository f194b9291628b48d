/** What the cloud says will happen, or has happened, to instances; as a queue that keeps each message until it is deleted. */

/** A message, understood. Instances may be foreign ones: the queue serves a whole region. */
export type Interruption =
  /** The instance is taken back in about two minutes. */
  | { readonly kind: 'SpotInterruption'; readonly instanceIDs: readonly string[] }
  /** It is more likely than others to be taken back; nothing is certain. */
  | { readonly kind: 'RebalanceRecommendation'; readonly instanceIDs: readonly string[] }
  /** Its host or itself will be maintained or retired. */
  | { readonly kind: 'ScheduledChange'; readonly instanceIDs: readonly string[] }
  /** A check of the cloud has failed for so long that it is not expected to recover: of the instance, or of its host. */
  | {
      readonly kind: 'FailedStatusCheck';
      readonly check: 'instance' | 'system';
      readonly instanceIDs: readonly string[];
    }
  /** It entered this state, for whatever cause. */
  | { readonly kind: 'StateChange'; readonly instanceIDs: readonly string[]; readonly state: string }
  /** Well-formed, and nothing that concerns Berth. */
  | { readonly kind: 'Other'; readonly detailType: string; readonly instanceIDs: readonly string[] }
  /** Not an event at all; `problem` is the reason, without its text. */
  | { readonly kind: 'Malformed'; readonly problem: string; readonly instanceIDs: readonly string[] };

export interface ReceivedInterruption {
  /** The same message may come twice, with the same id. */
  readonly id: string;
  /** What `delete` takes; good until the message is shown again. */
  readonly receipt: string;
  /** When it was sent, in milliseconds since 1970; undefined when the queue does not say. */
  readonly sentAt: number | undefined;
  readonly interruption: Interruption;
}

export interface InterruptionQueue {
  /**
   * Waits up to 20 seconds for messages; none is an answer, too.
   * @throws PortError NotFound, when there is no such queue; Forbidden; Unavailable.
   */
  receive(signal?: AbortSignal): Promise<readonly ReceivedInterruption[]>;
  /** What is not deleted is shown again. */
  delete(receipts: readonly string[], signal?: AbortSignal): Promise<void>;
}

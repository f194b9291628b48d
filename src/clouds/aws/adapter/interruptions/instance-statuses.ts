/**
 * Scheduled events of instances as EC2 lists them (DescribeInstanceStatus), in the form of an interruption queue: they are received
 * without an SQS queue, and also where a message of AWS Health was lost or came before the queue did.
 */
import { DescribeInstanceStatusCommand, type InstanceStatus } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../../ports/clock.js';
import type { InterruptionQueue, ReceivedInterruption } from '../../../../ports/interruption-queue.js';
import type { Logger } from '../../../../ports/logger.js';
import { hasCode } from '../../../../ports/port-error.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';

export interface InstanceStatusesOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The codes that EC2 has for scheduled events. */
const EVENT_CODES = [
  ...['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'],
];
/** EC2 lists an event for days after it was carried out or canceled, and says so before its description. */
const OVER = /^\[(?:Completed|Canceled)\]/;
const EVERY_MILLIS = 60_000;
/** Roles that were made for an earlier version may not ask. */
const FORBIDDEN_MILLIS = 3_600_000;
/** As long as an interruption queue may take to answer. */
const WAIT_MILLIS = 20_000;
const PAGE = 100;

/** Every event until it is deleted here, which is forgotten once EC2 lists it no more. Instances may be foreign ones. */
export function instanceStatuses(options: InstanceStatusesOptions): InterruptionQueue {
  return new InstanceStatuses(options);
}

class InstanceStatuses implements InterruptionQueue {
  readonly #options: InstanceStatusesOptions;
  #deleted = new Set<string>();
  /** Monotonic. */
  #dueAt = -Infinity;
  #isForbidden = false;

  constructor(options: InstanceStatusesOptions) {
    this.#options = options;
  }

  async receive(signal?: AbortSignal): Promise<readonly ReceivedInterruption[]> {
    const { clock, logger } = this.#options;
    const millis = this.#dueAt - clock.monotonic();
    if (millis > 0) await clock.sleep(Math.min(millis, WAIT_MILLIS), signal);
    if (millis > WAIT_MILLIS) return [];
    this.#dueAt = clock.monotonic() + EVERY_MILLIS;
    try {
      const events = await this.#events(signal);
      this.#isForbidden = false;
      this.#deleted = new Set(events.map(({ receipt }) => receipt).filter((each) => this.#deleted.has(each)));
      return events.filter(({ receipt }) => !this.#deleted.has(receipt));
    } catch (error) {
      if (!hasCode(error, 'Forbidden')) throw error;
      this.#dueAt = clock.monotonic() + FORBIDDEN_MILLIS;
      if (!this.#isForbidden)
        logger.warn('Not permitted to read scheduled events of instances; asking again every hour', {
          error,
        });
      this.#isForbidden = true;
      return [];
    }
  }

  delete(receipts: readonly string[]): Promise<void> {
    for (const receipt of receipts) this.#deleted.add(receipt);
    return Promise.resolve();
  }

  async #events(signal?: AbortSignal): Promise<readonly ReceivedInterruption[]> {
    const { clients, clock } = this.#options;
    const Filters = [{ Name: 'event.code', Values: EVENT_CODES }];
    const pages = await allPages({
      operation: 'ec2:DescribeInstanceStatus',
      fetch: (NextToken) =>
        clients.call(
          'DescribeInstanceStatus',
          (client, options) =>
            client.send(new DescribeInstanceStatusCommand({ Filters, MaxResults: PAGE, NextToken }), options),
          { signal },
        ),
      next: ({ NextToken }) => NextToken,
    });
    const sentAt = clock.now();
    return pages
      .flatMap(({ InstanceStatuses = [] }) => InstanceStatuses)
      .flatMap((status) => eventsOf(status, sentAt));
  }
}

function eventsOf(
  { InstanceId, Events = [] }: InstanceStatus,
  sentAt: number,
): readonly ReceivedInterruption[] {
  if (InstanceId === undefined) return [];
  return Events.filter(({ Description = '' }) => !OVER.test(Description)).map(
    ({ InstanceEventId = '', Code = '' }) => {
      const id = `${InstanceId} ${InstanceEventId} ${Code}`;
      const interruption = { kind: 'ScheduledChange', instanceIDs: [InstanceId] } as const;
      return { id, receipt: id, sentAt, interruption };
    },
  );
}

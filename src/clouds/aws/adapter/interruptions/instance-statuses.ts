/**
 * Scheduled events and failed status checks of instances as EC2 lists them (DescribeInstanceStatus), in the form of an interruption
 * queue: events are received without an SQS queue, and also where a message of AWS Health was lost or came before the queue did.
 */
import {
  DescribeInstanceStatusCommand,
  type Filter,
  type InstanceStatus,
  type InstanceStatusSummary,
} from '@aws-sdk/client-ec2';
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
/** Filters for the statuses that are of interest: EC2 joins those of one request by "and". */
const FILTERS: readonly Filter[] = [
  { Name: 'event.code', Values: EVENT_CODES },
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
];
/** A check that has failed for so long is not expected to recover (Karpenter). */
const IMPAIRED_MILLIS = 120_000;
const EVERY_MILLIS = 60_000;
/** Roles that were made for an earlier version may not ask. */
const FORBIDDEN_MILLIS = 3_600_000;
/** As long as an interruption queue may take to answer. */
const WAIT_MILLIS = 20_000;
const PAGE = 100;

/** Each event and failed check until it is deleted here, which is forgotten once EC2 lists it no more. Instances may be foreign ones. */
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
      const events = await this.#news(signal);
      this.#isForbidden = false;
      this.#deleted = new Set(events.map(({ receipt }) => receipt).filter((each) => this.#deleted.has(each)));
      return events.filter(({ receipt }) => !this.#deleted.has(receipt));
    } catch (error) {
      if (!hasCode(error, 'Forbidden')) throw error;
      this.#dueAt = clock.monotonic() + FORBIDDEN_MILLIS;
      if (!this.#isForbidden)
        logger.warn('Not permitted to read the statuses of instances; asking again every hour', {
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

  async #news(signal?: AbortSignal): Promise<readonly ReceivedInterruption[]> {
    const lists = await Promise.all(FILTERS.map((filter) => this.#statuses(filter, signal)));
    const now = this.#options.clock.now();
    // An instance may be in several lists, with all that EC2 says of it.
    const news = lists.flat().flatMap((status) => [...eventsOf(status, now), ...failedChecksOf(status, now)]);
    return [...new Map(news.map((each) => [each.id, each])).values()];
  }

  async #statuses(filter: Filter, signal?: AbortSignal): Promise<readonly InstanceStatus[]> {
    const { clients } = this.#options;
    const pages = await allPages({
      operation: 'ec2:DescribeInstanceStatus',
      fetch: (NextToken) =>
        clients.call(
          'DescribeInstanceStatus',
          (client, options) =>
            client.send(
              new DescribeInstanceStatusCommand({ Filters: [filter], MaxResults: PAGE, NextToken }),
              options,
            ),
          { signal },
        ),
      next: ({ NextToken }) => NextToken,
    });
    return pages.flatMap(({ InstanceStatuses = [] }) => InstanceStatuses);
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

/** The check of the host first: it fails for both, and says more. */
function failedChecksOf(
  { InstanceId, SystemStatus, InstanceStatus: own }: InstanceStatus,
  now: number,
): readonly ReceivedInterruption[] {
  if (InstanceId === undefined) return [];
  for (const [check, status] of [
    ['system', SystemStatus],
    ['instance', own],
  ] as const) {
    const since = impairedSince(status);
    if (since === undefined || now - since < IMPAIRED_MILLIS) continue;
    const id = `${InstanceId} ${check}-status ${String(since)}`;
    const interruption = { kind: 'FailedStatusCheck', check, instanceIDs: [InstanceId] } as const;
    return [{ id, receipt: id, sentAt: since + IMPAIRED_MILLIS, interruption }];
  }
  return [];
}

/** In milliseconds since 1970; undefined where the check does not fail. */
function impairedSince(summary: InstanceStatusSummary | undefined): number | undefined {
  if (summary?.Status !== 'impaired') return undefined;
  const times = summary.Details?.flatMap(({ ImpairedSince }) => ImpairedSince?.getTime() ?? []) ?? [];
  return times.length === 0 ? undefined : Math.min(...times);
}

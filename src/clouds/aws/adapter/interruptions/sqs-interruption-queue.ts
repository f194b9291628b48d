/** The interruption queue over SQS, into which EventBridge puts what happens to instances. */
import {
  DeleteMessageBatchCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type {
  Interruption,
  InterruptionQueue,
  ReceivedInterruption,
} from '../../../../ports/interruption-queue.js';
import { hasCode, PortError } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/aws-clients.js';

export interface SqsInterruptionQueueOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  /** Its name, or its whole URL. */
  readonly queue: string;
}

/** SQS' limits: the longest wait, and entries of one call. */
const WAIT_SECONDS = 20;
const MOST_ENTRIES = 10;
/** Handling a message takes no longer; if it does, the message comes again. */
const HIDDEN_SECONDS = 30;

export function sqsInterruptionQueue(options: SqsInterruptionQueueOptions): InterruptionQueue {
  return new SqsInterruptionQueue(options);
}

class SqsInterruptionQueue implements InterruptionQueue {
  readonly #options: SqsInterruptionQueueOptions;
  #url: string | undefined;

  constructor(options: SqsInterruptionQueueOptions) {
    this.#options = options;
    this.#url = /^https?:\/\//.test(options.queue) ? options.queue : undefined;
  }

  async receive(signal?: AbortSignal): Promise<readonly ReceivedInterruption[]> {
    const QueueUrl = await this.#urlOf(signal);
    try {
      const answer = await this.#options.clients.call(
        'ReceiveMessage',
        (client, options) =>
          client.send(
            new ReceiveMessageCommand({
              QueueUrl,
              MaxNumberOfMessages: MOST_ENTRIES,
              WaitTimeSeconds: WAIT_SECONDS,
              VisibilityTimeout: HIDDEN_SECONDS,
              MessageSystemAttributeNames: ['SentTimestamp'],
            }),
            options,
          ),
        { signal, subject: this.#options.queue },
      );
      return (answer.Messages ?? []).flatMap((message) => received(message) ?? []);
    } catch (error) {
      this.#doubtURL(error);
      throw error;
    }
  }

  /** A receipt that is good no more is no error: the message is gone, or shown again. */
  async delete(receipts: readonly string[], signal?: AbortSignal): Promise<void> {
    if (receipts.length === 0) return;
    const QueueUrl = await this.#urlOf(signal);
    const rest = [...receipts];
    while (rest.length > 0) {
      const Entries = rest
        .splice(0, MOST_ENTRIES)
        .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      const { Failed = [] } = await this.#options.clients.call(
        'DeleteMessageBatch',
        (client, options) => client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }), options),
        { signal, subject: this.#options.queue },
      );
      const failure = Failed.find(({ SenderFault }) => SenderFault !== true);
      if (failure === undefined) continue;
      throw new PortError('Unavailable', {
        operation: `sqs:DeleteMessageBatch for ${this.#options.queue}`,
        message: `${String(Failed.length)} of ${String(Entries.length)} messages were not deleted: ${failure.Code ?? ''}`,
      });
    }
  }

  async #urlOf(signal?: AbortSignal): Promise<string> {
    if (this.#url !== undefined) return this.#url;
    const { clients, queue } = this.#options;
    const answer = await clients.call(
      'GetQueueUrl',
      (client, options) => client.send(new GetQueueUrlCommand({ QueueName: queue }), options),
      { signal, subject: queue },
    );
    if (answer.QueueUrl === undefined)
      throw new PortError('Unavailable', {
        operation: `sqs:GetQueueUrl for ${queue}`,
        message: 'the answer has no URL',
      });
    this.#url = answer.QueueUrl;
    return this.#url;
  }

  /** A queue that was created again may have another URL. */
  #doubtURL(error: unknown): void {
    const { queue } = this.#options;
    if (hasCode(error, 'NotFound') && this.#url !== queue) this.#url = undefined;
  }
}

/** undefined for what cannot even be deleted. */
function received({
  MessageId,
  ReceiptHandle,
  Body = '',
  Attributes,
}: Message): ReceivedInterruption | undefined {
  if (ReceiptHandle === undefined) return undefined;
  const sentAt = Number(Attributes?.SentTimestamp ?? Number.NaN);
  return {
    id: MessageId ?? ReceiptHandle,
    receipt: ReceiptHandle,
    sentAt: Number.isFinite(sentAt) ? sentAt : undefined,
    interruption: readEvent(Body),
  };
}

// The text of a message, an EventBridge event by what it should be, as an interruption. Nothing that it holds makes it throw.

type Fields = Readonly<Record<string, unknown>>;

interface Event {
  readonly source: string;
  readonly detailType: string;
  readonly detail: Fields;
  /** Instances that it names anywhere, its detail first. */
  readonly instanceIDs: readonly string[];
}

const INSTANCE = /\bi-[0-9a-f]{8,17}\b/;

/** By source and detail-type (Amazon EC2 user guide, "EventBridge events"), with a blank between them. */
const READERS: ReadonlyMap<string, (event: Event) => Interruption> = new Map([
  ['aws.ec2 EC2 Spot Instance Interruption Warning', about('SpotInterruption')],
  // The owner of the capacity wants it back, with as much warning.
  ['aws.ec2 EC2 Capacity Reservation Instance Interruption Warning', about('SpotInterruption')],
  ['aws.ec2 EC2 Instance Rebalance Recommendation', about('RebalanceRecommendation')],
  ['aws.ec2 EC2 Instance State-change Notification', stateChange],
  ['aws.health AWS Health Event', healthEvent],
]);

/** The kinds of events that are read: source and detail-type. */
export const EVENT_KINDS: readonly (readonly [source: string, detailType: string])[] = [
  ...READERS.keys(),
].map((kind) => [kind.slice(0, kind.indexOf(' ')), kind.slice(kind.indexOf(' ') + 1)]);

export function readEvent(body: string): Interruption {
  const event = parseEvent(body);
  if (typeof event === 'string') return malformed(event);
  return (READERS.get(`${event.source} ${event.detailType}`) ?? other)(event);
}

/** The event, or why it is none. */
function parseEvent(body: string): Event | string {
  let whole: unknown;
  try {
    whole = JSON.parse(body);
  } catch {
    return 'is not JSON';
  }
  if (!isFields(whole)) return 'is not a JSON object';
  const { source, detail, resources } = whole;
  const detailType = whole['detail-type'];
  if (typeof source !== 'string' || source === '') return 'has no source';
  if (typeof detailType !== 'string' || detailType === '') return 'has no detail-type';
  const fields = isFields(detail) ? detail : {};
  return { source, detailType, detail: fields, instanceIDs: instancesIn(fields, resources) };
}

/** The detail's own id counts, since what resources look like varies. */
function instancesIn(detail: Fields, resources: unknown): readonly string[] {
  const own = detail['instance-id'];
  const entities = listOf(detail['affectedEntities']).map((entity) =>
    isFields(entity) ? entity['entityValue'] : undefined,
  );
  const named = [own, ...entities].flatMap(instanceIn);
  const ids = named.length > 0 ? named : listOf(resources).flatMap(instanceIn);
  return [...new Set(ids)];
}

function instanceIn(value: unknown): readonly string[] {
  const found = typeof value === 'string' ? INSTANCE.exec(value)?.[0] : undefined;
  return found === undefined ? [] : [found];
}

function about(kind: 'SpotInterruption' | 'RebalanceRecommendation'): (event: Event) => Interruption {
  return ({ detailType, instanceIDs }) =>
    instanceIDs.length > 0 ? { kind, instanceIDs } : malformed(`is an ${detailType} without an instance`);
}

function stateChange({ detailType, detail, instanceIDs }: Event): Interruption {
  const { state } = detail;
  if (typeof state !== 'string') return malformed(`is an ${detailType} without a state`);
  if (instanceIDs.length === 0) return malformed(`is an ${detailType} without an instance`);
  return { kind: 'StateChange', instanceIDs, state };
}

/** Of AWS Health only changes that are scheduled for instances, and still to come. */
function healthEvent(event: Event): Interruption {
  const { detail, instanceIDs } = event;
  const { service, eventTypeCategory, statusCode } = detail;
  const isComing = service === 'EC2' && eventTypeCategory === 'scheduledChange' && statusCode !== 'closed';
  return isComing && instanceIDs.length > 0 ? { kind: 'ScheduledChange', instanceIDs } : other(event);
}

function other({ detailType, instanceIDs }: Event): Interruption {
  return { kind: 'Other', detailType: detailType.slice(0, 100), instanceIDs };
}

function malformed(problem: string): Interruption {
  return { kind: 'Malformed', problem, instanceIDs: [] };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The interruption queue over SQS, into which EventBridge puts what happens to instances. */
import {
  DeleteMessageBatchCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs';
import type { InterruptionQueue, ReceivedInterruption } from '../../../../ports/interruption-queue.js';
import { hasCode, PortError } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/index.js';
import { readEvent } from './read-event.js';

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

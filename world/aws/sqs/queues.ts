/** SQS: the account's queues, by URL. */
import type { Clock } from '../../../src/ports/clock.js';
import type { Random } from '../../../src/ports/random.js';
import type { Ids } from '../model/ids.js';
import type { JsonInput } from '../protocol/json.js';
import { ServiceError } from '../model/service-error.js';
import { changeVisibilityBatch, deleteBatch, sendBatch } from './batches.js';
import { Queue, type QueueChance } from './queue.js';
import { receiveMessage } from './receive-message.js';

export interface QueuesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly region: string;
  readonly account: string;
  readonly chance: QueueChance;
}

type QueueAction = (queue: Queue, input: JsonInput, signal: AbortSignal) => object | Promise<object>;

const MAX_BODY_BYTES = 1_048_576;

/** Actions on one queue, which the request names by its URL. */
const ON_QUEUE: Readonly<Record<string, QueueAction>> = {
  SendMessage: sendMessage,
  SendMessageBatch: (queue, input) => sendBatch(queue, input),
  ReceiveMessage: receiveMessage,
  DeleteMessage: (queue, input) => {
    queue.delete(input.required('ReceiptHandle'));
    return {};
  },
  DeleteMessageBatch: (queue, input) => deleteBatch(queue, input),
  ChangeMessageVisibility: (queue, input) => {
    queue.changeVisibility(input.required('ReceiptHandle'), 1000 * (input.integer('VisibilityTimeout') ?? 0));
    return {};
  },
  ChangeMessageVisibilityBatch: (queue, input) => changeVisibilityBatch(queue, input),
  GetQueueAttributes: getAttributes,
  SetQueueAttributes: (queue, input) => {
    queue.setAttributes(input.textMap('Attributes'));
    return {};
  },
  PurgeQueue: (queue) => {
    queue.purge();
    return {};
  },
};

export class Queues {
  readonly #options: QueuesOptions;
  readonly #queues = new Map<string, Queue>();

  constructor(options: QueuesOptions) {
    this.#options = options;
  }

  /** A queue, made if there is none of that name. */
  create(name: string, attributes: ReadonlyMap<string, string> = new Map()): Queue {
    const known = this.#queues.get(name);
    if (known) return known;
    const { clock, random, ids, region, account, chance } = this.#options;
    const queue = new Queue({
      name,
      url: `https://sqs.${region}.amazonaws.com/${account}/${name}`,
      arn: `arn:aws:sqs:${region}:${account}:${name}`,
      clock,
      random,
      ids,
      chance,
      attributes,
    });
    this.#queues.set(name, queue);
    return queue;
  }

  /** @throws ServiceError QueueDoesNotExist, UnknownOperationException and what the action throws. */
  act(action: string, input: JsonInput, signal: AbortSignal): object | Promise<object> {
    switch (action) {
      case 'GetQueueUrl':
        return { QueueUrl: this.#byName(input.required('QueueName')).url };
      case 'CreateQueue':
        return { QueueUrl: this.create(queueName(input), input.textMap('Attributes')).url };
      case 'ListQueues':
        return this.#list(input);
      case 'DeleteQueue':
        this.#queues.delete(this.#byURL(input).name);
        return {};
      default:
        break;
    }
    const act = Object.hasOwn(ON_QUEUE, action) ? ON_QUEUE[action] : undefined;
    if (act === undefined)
      throw new ServiceError('UnknownOperationException', `The operation ${action} is not known`, 404);
    return act(this.#byURL(input), input, signal);
  }

  #list(input: JsonInput): object {
    const prefix = input.text('QueueNamePrefix') ?? '';
    const urls = [...this.#queues.values()]
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ url }) => url);
    return urls.length > 0 ? { QueueUrls: urls } : {};
  }

  /** The last part of the URL decides: callers reach the simulator under many host names. */
  #byURL(input: JsonInput): Queue {
    return this.#byName(input.required('QueueUrl').replace(/^.*\//, ''));
  }

  #byName(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue) return queue;
    throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
  }
}

function queueName(input: JsonInput): string {
  const name = input.required('QueueName');
  if (/^[A-Za-z0-9_-]{1,80}$/.test(name)) return name;
  throw new ServiceError(
    'InvalidParameterValue',
    'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
  );
}

function sendMessage(queue: Queue, input: JsonInput): object {
  const body = input.required('MessageBody');
  if (Buffer.byteLength(body) > MAX_BODY_BYTES)
    throw new ServiceError('InvalidParameterValue', 'One or more parameters are invalid: too long');
  const message = queue.send(body, input.integer('DelaySeconds'));
  return { MessageId: message.id, MD5OfMessageBody: message.md5 };
}

function getAttributes(queue: Queue, input: JsonInput): object {
  const names = input.texts('AttributeNames');
  const found = [...queue.attributes].filter(([name]) => names.includes('All') || names.includes(name));
  return found.length > 0 ? { Attributes: Object.fromEntries(found) } : {};
}

/** One standard queue: messages that are shown, hidden for a while, and shown again until they are deleted. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../src/ports/clock.js';
import type { Random } from '../../../src/ports/random.js';
import { reasonOf } from '../faults/meet-faults.js';
import type { Ids } from '../model/ids.js';
import { ServiceError } from '../model/service-error.js';

export interface QueueChance {
  /** Share of messages that are there twice. */
  readonly duplicates: number;
  /** Share of receives that take messages in any order. */
  readonly reordering: number;
}

export interface QueueOptions {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly chance: QueueChance;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  readonly md5: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  /** Not shown before. */
  visibleAt: number;
  received: number;
  firstReceivedAt: number | undefined;
  /** Of the last time it was shown. */
  receipt: string;
}

export interface ReceiveOptions {
  readonly max: number;
  /** How long the messages are hidden then. */
  readonly visibilityMillis: number | undefined;
}

const USUAL_ATTRIBUTES = new Map([
  ['VisibilityTimeout', '30'],
  ['MessageRetentionPeriod', '345600'],
  ['DelaySeconds', '0'],
  ['ReceiveMessageWaitTimeSeconds', '0'],
]);

export class Queue {
  readonly name: string;
  readonly url: string;
  readonly #options: QueueOptions;
  readonly #attributes: Map<string, string>;
  readonly #waiting = new Set<() => void>();
  #messages: QueueMessage[] = [];
  #copies = 0;

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.url = options.url;
    this.#options = options;
    this.#attributes = new Map([...USUAL_ATTRIBUTES, ...options.attributes]);
  }

  /** Messages that no consumer holds. */
  get visibleCount(): number {
    this.#expire();
    return this.#messages.filter(({ visibleAt }) => visibleAt <= this.#now).length;
  }

  get attributes(): ReadonlyMap<string, string> {
    const visible = this.visibleCount;
    return new Map([
      ...this.#attributes,
      ['QueueArn', this.#options.arn],
      ['ApproximateNumberOfMessages', String(visible)],
      ['ApproximateNumberOfMessagesNotVisible', String(this.#messages.length - visible)],
      ['ApproximateNumberOfMessagesDelayed', '0'],
    ]);
  }

  setAttributes(attributes: ReadonlyMap<string, string>): void {
    for (const [name, value] of attributes) this.#attributes.set(name, value);
  }

  /** A number among the attributes. */
  setting(name: string): number {
    return Number(this.#attributes.get(name));
  }

  send(body: string, delaySeconds = this.setting('DelaySeconds')): QueueMessage {
    const { ids, random, chance } = this.#options;
    const message = {
      id: ids.uuid(),
      body,
      md5: createHash('md5').update(body).digest('hex'),
      sentAt: this.#now,
      visibleAt: this.#now + delaySeconds * 1000,
      received: 0,
      firstReceivedAt: undefined,
      receipt: '',
    };
    this.#messages.push(message);
    if (chance.duplicates > 0 && random.next() < chance.duplicates) this.#messages.push({ ...message });
    for (const wake of this.#waiting) wake();
    return message;
  }

  /** Shows what is there, and hides it. */
  receive({ max, visibilityMillis }: ReceiveOptions): readonly QueueMessage[] {
    this.#expire();
    const now = this.#now;
    const there = this.#messages.filter(({ visibleAt }) => visibleAt <= now);
    const shown = this.#inSomeOrder(there).slice(0, max);
    for (const message of shown) {
      message.visibleAt = now + (visibilityMillis ?? this.setting('VisibilityTimeout') * 1000);
      message.received++;
      message.firstReceivedAt ??= now;
      message.receipt = this.#receiptFor(message);
    }
    return shown;
  }

  /** Waits until something may be there, at most so long; answers how long it was. @throws the signal's reason. */
  async wait(millis: number, signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    const since = clock.monotonic();
    const hidden = this.#messages.map(({ visibleAt }) => visibleAt - this.#now).filter((left) => left > 0);
    const next = Math.min(...hidden, millis);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        stop();
        this.#waiting.delete(done);
        signal.removeEventListener('abort', giveUp);
      };
      const done = (): void => {
        leave();
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(reasonOf(signal));
      };
      const stop = clock.timer(next, done);
      this.#waiting.add(done);
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
    return clock.monotonic() - since;
  }

  /**
   * Deletes what the receipt was for, if it is the last one; deleting again, or with an older receipt, does nothing.
   * @throws ServiceError ReceiptHandleIsInvalid.
   */
  delete(receipt: string): void {
    this.#checkReceipt(receipt);
    this.#messages = this.#messages.filter((message) => message.receipt !== receipt);
  }

  /** @throws ServiceError ReceiptHandleIsInvalid; MessageNotInflight when it is shown already, or gone. */
  changeVisibility(receipt: string, millis: number): void {
    this.#checkReceipt(receipt);
    const message = this.#messages.find((other) => other.receipt === receipt);
    if (message === undefined || message.visibleAt <= this.#now)
      throw new ServiceError('MessageNotInflight', 'The specified message is not in flight.');
    message.visibleAt = this.#now + millis;
    for (const wake of this.#waiting) wake();
  }

  purge(): void {
    this.#messages = [];
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  #expire(): void {
    const oldest = this.#now - this.setting('MessageRetentionPeriod') * 1000;
    this.#messages = this.#messages.filter(({ sentAt }) => sentAt >= oldest);
  }

  #inSomeOrder(messages: readonly QueueMessage[]): readonly QueueMessage[] {
    const { random, chance } = this.#options;
    if (chance.reordering === 0 || messages.length < 2 || random.next() >= chance.reordering) return messages;
    return messages
      .map((message) => ({ message, rank: random.next() }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ message }) => message);
  }

  #receiptFor({ id, received }: QueueMessage): string {
    const text = `${this.name}/${id}/${String(received)}/${String(++this.#copies)}`;
    return Buffer.from(text).toString('base64');
  }

  #checkReceipt(receipt: string): void {
    if (Buffer.from(receipt, 'base64').toString().startsWith(`${this.name}/`)) return;
    throw new ServiceError('ReceiptHandleIsInvalid', 'The input receipt handle is invalid.', 404);
  }
}

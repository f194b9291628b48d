/** What EventBridge sends to the interruption queue: an envelope per event (EC2 and AWS Health event references). */
import type { Clock } from '../../../src/ports/clock.js';
import type { Random } from '../../../src/ports/random.js';
import type { Ids } from '../model/ids.js';
import type { EventRules } from './event-rules.js';
import { pickMillis, type MillisSpan } from '../model/span.js';
import type { Queue } from '../sqs/queue.js';

export interface InstanceEventsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly region: string;
  readonly account: string;
  readonly queue: Queue;
  /** Which events get there. */
  readonly rules: EventRules;
  /** From the event until it is in the queue. */
  readonly delay: MillisSpan;
}

interface Event {
  readonly detailType: string;
  readonly source: 'aws.ec2' | 'aws.health';
  readonly resources: readonly string[];
  readonly detail: object;
}

export class InstanceEvents {
  readonly #options: InstanceEventsOptions;
  readonly #timers = new Set<() => void>();

  constructor(options: InstanceEventsOptions) {
    this.#options = options;
  }

  stateChange(id: string, state: string): void {
    this.#sendEC2('EC2 Instance State-change Notification', id, { 'instance-id': id, state });
  }

  /** The instance is taken back in two minutes. */
  spotInterruption(id: string): void {
    const detail = { 'instance-id': id, 'instance-action': 'terminate' };
    this.#sendEC2('EC2 Spot Instance Interruption Warning', id, detail);
  }

  rebalance(id: string): void {
    this.#sendEC2('EC2 Instance Rebalance Recommendation', id, { 'instance-id': id });
  }

  /** Maintenance of the instance, or the end of its host, at a time in milliseconds since 1970. */
  scheduledChange(id: string, startTime: number): void {
    const { ids, region } = this.#options;
    this.#send({
      detailType: 'AWS Health Event',
      source: 'aws.health',
      resources: [id],
      detail: {
        eventArn: `arn:aws:health:${region}::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/${ids.uuid()}`,
        service: 'EC2',
        eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
        eventTypeCategory: 'scheduledChange',
        startTime: new Date(startTime).toUTCString(),
        eventDescription: [
          { language: 'en_US', latestDescription: 'The host of this instance will be retired.' },
        ],
        affectedEntities: [{ entityValue: id }],
      },
    });
  }

  /** Events that are on their way never arrive. */
  close(): void {
    for (const stop of this.#timers) stop();
    this.#timers.clear();
  }

  #sendEC2(detailType: string, id: string, detail: object): void {
    const { region, account } = this.#options;
    const resources = [`arn:aws:ec2:${region}:${account}:instance/${id}`];
    this.#send({ detailType, source: 'aws.ec2', resources, detail });
  }

  #send({ detailType, source, resources, detail }: Event): void {
    const { clock, random, ids, region, account, queue, rules, delay } = this.#options;
    if (!rules.lets(source, detailType)) return;
    const body = JSON.stringify({
      version: '0',
      id: ids.uuid(),
      'detail-type': detailType,
      source,
      account,
      time: new Date(clock.now()).toISOString().replace(/\.\d+/, ''),
      region,
      resources,
      detail,
    });
    const millis = pickMillis(delay, random);
    if (millis === 0) {
      queue.send(body);
      return;
    }
    const stop = clock.timer(millis, () => {
      this.#timers.delete(stop);
      queue.send(body);
    });
    this.#timers.add(stop);
  }
}

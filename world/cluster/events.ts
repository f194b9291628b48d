/** Events as controllers record them: told again, the same one counts up. */
import type { Clock } from '../../src/ports/clock.js';
import type { ClusterApi, ObjectRef } from './cluster-api.js';
import type { KubeObject } from './objects.js';
import { timestamp } from './timestamps.js';

export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Who says so: `default-scheduler`, `kubelet`. */
  readonly component: string;
}

/** As the API server's --event-ttl. */
const KEPT_MILLIS = 3_600_000;
const EVENTS = 'events';

interface Recorded {
  readonly ref: ObjectRef;
  readonly key: string;
  readonly at: number;
}

export class EventLog {
  readonly #api: ClusterApi;
  readonly #clock: Clock;
  readonly #known = new Map<string, ObjectRef>();
  readonly #kept: Recorded[] = [];
  #count = 0;

  constructor({ api, clock }: { readonly api: ClusterApi; readonly clock: Clock }) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Never fails: an event that cannot be written is lost. */
  record(object: KubeObject, event: NewEvent): void {
    const key = [object.metadata.uid, event.component, event.reason, event.message].join('\n');
    const known = this.#known.get(key);
    if (known === undefined) this.#create(key, object, event);
    else this.#repeat(known);
    this.#expire();
  }

  #create(key: string, object: KubeObject, { type, reason, message, component }: NewEvent): void {
    const { name, namespace = 'default', uid } = object.metadata;
    const ref = { namespace, name: `${name}.${(++this.#count).toString(16).padStart(16, '0')}` };
    const now = timestamp(this.#clock.now());
    this.#known.set(key, ref);
    this.#kept.push({ ref, key, at: this.#clock.now() });
    const { apiVersion, kind } = object;
    const body = {
      metadata: ref,
      involvedObject: { apiVersion, kind, name, namespace: object.metadata.namespace, uid },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: component,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
    ignore(this.#api.create(EVENTS, body));
  }

  #repeat(ref: ObjectRef): void {
    const lastTimestamp = timestamp(this.#clock.now());
    const change = this.#api.change(EVENTS, ref, (event) => ({
      ...event,
      lastTimestamp,
      count: Number(event['count'] ?? 1) + 1,
    }));
    ignore(change);
  }

  #expire(): void {
    const until = this.#clock.now() - KEPT_MILLIS;
    for (let first = this.#kept[0]; first !== undefined && first.at < until; first = this.#kept[0]) {
      this.#kept.shift();
      this.#known.delete(first.key);
      ignore(this.#api.delete(EVENTS, first.ref));
    }
  }
}

function ignore(write: Promise<unknown>): void {
  write.catch(() => undefined);
}

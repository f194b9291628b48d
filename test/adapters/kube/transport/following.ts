/** A reflector that follows the fake API server, and all that it told. */
import { setTimeout as realSleep } from 'node:timers/promises';
import { KubeClient } from '../../../../src/adapters/kube/transport/kube-client.js';
import { staticConnection } from '../../../../src/adapters/kube/transport/connection.js';
import { Reflector } from '../../../../src/adapters/kube/transport/reflector.js';
import type {
  ReflectorCounter,
  ReflectorOptions,
} from '../../../../src/adapters/kube/transport/reflector-options.js';
import { systemClock } from '../../../../src/runtime/system-clock.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import { seededRandom } from '../../../support/seeded-random.js';
import { eventually } from '../../../controlplane/fixture/eventually.js';
import type { FakeApiServer } from './fake-api-server.js';

export const THINGS = '/api/v1/things';

export interface Thing {
  readonly name: string;
  readonly value: unknown;
  readonly raw: unknown;
}

/** Name and field `value` of an object. */
export function decodeThing(raw: unknown): { key: string; value: Thing } {
  const { metadata, value } = raw as { metadata: { name: string }; value?: unknown };
  return { key: `thing/${metadata.name}`, value: { name: metadata.name, value, raw } };
}

export type FollowingOptions = Partial<Pick<ReflectorOptions<Thing>, 'decode' | 'sink' | 'timing' | 'clock'>>;

export class Following {
  /** Stands still unless a test moves it, so that only tests about time depend on it. */
  readonly clock = new ManualClock();
  readonly client: KubeClient;
  readonly reflector: Reflector<Thing>;
  readonly things = new Map<string, Thing>();
  /** `put thing/a`, `delete thing/a`, `synced`, in order. */
  readonly told: string[] = [];
  readonly counts = new Map<ReflectorCounter, number>();
  /** When each list began, by the reflector's monotonic clock. */
  readonly listedAt: number[] = [];
  readonly lines;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(server: FakeApiServer, options: FollowingOptions = {}) {
    const { logger, lines } = recordingLogger();
    this.lines = lines;
    const clock = options.clock ?? this.clock;
    this.client = new KubeClient({
      connection: staticConnection({ server: server.url }),
      clock: systemClock,
      userAgent: 'berth/test',
      qps: 100_000,
      burst: 100_000,
    });
    this.reflector = new Reflector<Thing>({
      client: this.client,
      resource: { path: THINGS },
      decode: decodeThing,
      sink: {
        put: (thing, key) => {
          this.told.push(`put ${key}`);
          this.things.set(key, thing);
        },
        delete: (key) => {
          this.told.push(`delete ${key}`);
          this.things.delete(key);
        },
        synced: () => {
          this.told.push('synced');
        },
      },
      random: seededRandom(),
      logger,
      counters: {
        increment: (counter) => {
          this.counts.set(counter, this.count(counter) + 1);
          if (counter === 'lists') this.listedAt.push(clock.monotonic());
        },
        contact: () => undefined,
      },
      ...options,
      clock,
    });
  }

  start(): this {
    this.#running = this.reflector.run(this.#stop.signal);
    return this;
  }

  /** Starts, and waits for a watch. */
  async begin(): Promise<this> {
    this.start();
    await this.watching();
    return this;
  }

  watching(): Promise<boolean> {
    return eventually('a watch', () => this.reflector.health().watching, { everyMillis: 2 });
  }

  count(counter: ReflectorCounter): number {
    return this.counts.get(counter) ?? 0;
  }

  /** The things' values by name, as the sink knows them. */
  get values(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.things.values()].map(({ name, value }) => [name, value]));
  }

  /** Lets the reflector's time pass in small steps, each with real time for what goes over the network. */
  async pass(millis: number, each: () => void = () => undefined): Promise<void> {
    for (let passed = 0; passed < millis; passed += 50) {
      await this.clock.advance(50);
      await realSleep(4);
      each();
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.client.close();
  }
}

/** What the server has: values by name. */
export function valuesOf(server: FakeApiServer): Readonly<Record<string, unknown>> {
  return Object.fromEntries(server.objects.map((object) => [object.metadata.name, object['value']]));
}

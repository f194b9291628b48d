/** A reflector that follows the fake API server, and all that it told. */
import { KubeClient } from '../../../../src/adapters/kube/transport/kube-client.js';
import { staticConnection } from '../../../support/static-connection.js';
import { send, type Send } from '../../../../src/adapters/kube/transport/exchange.js';
import { Reflector } from '../../../../src/adapters/kube/transport/watch/reflector.js';
import type {
  ReflectorCounter,
  ReflectorOptions,
} from '../../../../src/adapters/kube/transport/watch/reflector-options.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import { seededRandom } from '../../../../world/seeded-random.js';
import { eventually } from '../../../controlplane/fixture/eventually.js';
import type { FakeApiServer } from './fake-api-server.js';

export const THINGS = '/api/v1/things';
const MOST_TURNS = 500;
const QUIET_TURNS = 20;

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
  readonly clock = new VirtualClock();
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
  /** Requests without a whole answer; of watches, without the answer's head. */
  #inFlight = 0;
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
      send: this.#counted,
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

  /** Lets the reflector's time pass in small steps, each until all is answered that went over the network. */
  async pass(millis: number, each: () => void = () => undefined): Promise<void> {
    for (let passed = 0; passed < millis; passed += 50) {
      await this.clock.advance(50);
      await this.#answered();
      each();
    }
  }

  readonly #counted: Send = async (outgoing, signal) => {
    this.#inFlight++;
    const answered = (): void => {
      this.#inFlight--;
    };
    try {
      const answer = await send(outgoing, signal);
      if (new URLSearchParams(outgoing.path.split('?')[1]).get('watch') === 'true') answered();
      else answer.once('close', answered);
      return answer;
    } catch (error) {
      answered();
      throw error;
    }
  };

  /**
   * Turns of the event loop, in which both ends of each socket get theirs: until some have passed with nothing in flight, or
   * so many that it is one of those requests that are never answered.
   */
  async #answered(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; turn < MOST_TURNS && quiet < QUIET_TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.#inFlight === 0 ? quiet + 1 : 0;
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

export function expectAtLeastApart(times: readonly number[], millis: number): void {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(millis);
}

/** Reads a collection, all of it from one moment of the cluster, in parts small enough to be parsed without a pause. */
import { plainObject } from '../../../../apis/decode/plain.js';
import type { JsonObject } from '../../../../domain/policies/policy.js';
import type { Clock } from '../../../../ports/clock.js';
import { PortError } from '../../../../ports/port-error.js';
import { linkedSignal } from '../../../../runtime/time/linked-signal.js';
import type { KubeClient } from '../kube-client.js';
import { errorOfFailure } from '../status-error.js';
import { ListSplitter } from './list-splitter.js';
import type { ReflectedResource } from './reflector-options.js';
import { StallGuard } from './stall-guard.js';

export interface ListPart {
  readonly items: readonly unknown[];
  /** Of the moment that all parts show: watches begin here. The last part has it, others may. */
  readonly resourceVersion: string | undefined;
}

interface ListPage {
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
  readonly continueAt: string | undefined;
}

const FIRST_PAGE = 100;
const LARGEST_PAGE = 500;
const SMALLEST_PAGE = 20;
/** Takes 10 to 20 ms to parse. */
const BYTES_PER_PAGE = 1024 * 1024;

/** As in etcd, and then some: an object as JSON may be larger. */
const MOST_ITEM_BYTES = 16 * 1024 * 1024;

/**
 * The first page is asked for without a resourceVersion, that is: the latest state. What is longer comes in one answer, out of
 * the API server's cache, as new as that page at least: etcd is asked for one page only, and not for hundreds one after the
 * other. (resourceVersion=0 would be answered however old the cache is, so that what is gone might come back.) Where that
 * answer has broken once, as it does after the server's --request-timeout, all is read page by page.
 */
export class ListPages {
  readonly #client: Pick<KubeClient, 'exchange' | 'stream'>;
  readonly #resource: ReflectedResource;
  readonly #clock: Clock;
  readonly #timeoutMillis: number;
  readonly #operation: string;
  /** Found out from the size of earlier pages: pods of one cluster take 2 kB, of another 20 kB. */
  #limit = FIRST_PAGE;
  #hasBroken = false;

  constructor(options: {
    readonly client: Pick<KubeClient, 'exchange' | 'stream'>;
    readonly resource: ReflectedResource;
    readonly clock: Clock;
    /** Until a page is there, and between two parts of an answer. */
    readonly timeoutMillis: number;
  }) {
    this.#client = options.client;
    this.#resource = options.resource;
    this.#clock = options.clock;
    this.#timeoutMillis = options.timeoutMillis;
    this.#operation = `list ${options.resource.path}`;
  }

  /** @throws PortError; Gone, when reading took so long that the server forgot the moment: the list has to begin again. */
  async *read(signal: AbortSignal): AsyncGenerator<ListPart> {
    const first = await this.#page(undefined, signal);
    if (first.continueAt === undefined || this.#hasBroken) yield* this.#pagesFrom(first, signal);
    else yield* this.#inOneAnswer(first.resourceVersion, signal);
  }

  async *#pagesFrom(first: ListPage, signal: AbortSignal): AsyncGenerator<ListPart> {
    const { resourceVersion } = first;
    let page = first;
    for (;;) {
      yield { items: page.items, resourceVersion };
      const { continueAt } = page;
      if (continueAt === undefined) return;
      page = await this.#page(continueAt, signal);
      if (page.continueAt === continueAt) throw this.#unreadable('the list has too many pages');
    }
  }

  async *#inOneAnswer(notOlderThan: string, signal: AbortSignal): AsyncGenerator<ListPart> {
    const { path, query } = this.#resource;
    const life = linkedSignal(signal);
    this.#hasBroken = true;
    try {
      const stream = await this.#client.stream({
        path,
        query: { ...query, resourceVersion: notOlderThan, resourceVersionMatch: 'NotOlderThan' },
        signal: life.signal,
        operation: this.#operation,
      });
      const guard = this.#guard(life);
      try {
        const splitter = new ListSplitter(MOST_ITEM_BYTES);
        for await (const chunk of stream) {
          guard.touch();
          yield { items: splitter.push(chunk), resourceVersion: undefined };
        }
        yield { items: [], resourceVersion: this.#versionOf(splitter.end()) };
      } finally {
        guard.stop();
      }
      this.#hasBroken = false;
    } catch (error) {
      throw errorOfFailure(this.#operation, error);
    } finally {
      life.abort();
      life.unlink();
    }
  }

  #guard(life: { abort(reason: unknown): void }): StallGuard {
    return new StallGuard({
      clock: this.#clock,
      millis: this.#timeoutMillis,
      stalled: () => {
        const message = `silent for ${String(this.#timeoutMillis)} ms`;
        life.abort(new PortError('TimedOut', { operation: this.#operation, message }));
      },
    });
  }

  async #page(continueAt: string | undefined, signal: AbortSignal): Promise<ListPage> {
    const { path, query } = this.#resource;
    const { body, bytes } = await this.#client.exchange({
      method: 'GET',
      path,
      query: { ...query, limit: this.#limit, continue: continueAt },
      timeoutMillis: this.#timeoutMillis,
      signal,
      // Until all is listed the cluster in memory is old, and what is decided on it is wrong.
      urgency: 'first',
      operation: this.#operation,
    });
    const list = plainObject(body) ?? {};
    const resourceVersion = this.#versionOf(list);
    // An empty list may come as null.
    const items: readonly unknown[] = Array.isArray(list['items']) ? list['items'] : [];
    this.#learn(items.length, bytes);
    const next = plainObject(list['metadata'])?.['continue'];
    return {
      items,
      resourceVersion,
      continueAt: typeof next === 'string' && next !== '' ? next : undefined,
    };
  }

  #versionOf(list: JsonObject): string {
    const resourceVersion = plainObject(list['metadata'])?.['resourceVersion'];
    if (typeof resourceVersion === 'string' && resourceVersion !== '') return resourceVersion;
    throw this.#unreadable('the response is not a list');
  }

  #learn(items: number, bytes: number): void {
    if (items === 0) return;
    const fitting = Math.floor((items * BYTES_PER_PAGE) / bytes);
    this.#limit = Math.min(Math.max(fitting, SMALLEST_PAGE), LARGEST_PAGE);
  }

  #unreadable(message: string): PortError {
    return new PortError('Unavailable', { operation: this.#operation, message });
  }
}

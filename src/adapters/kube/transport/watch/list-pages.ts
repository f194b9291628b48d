/** Reads a collection page by page, from one moment of the cluster, with pages small enough to be parsed without a pause. */
import { plainObject } from '../../../../apis/decode/plain.js';
import { PortError } from '../../../../ports/port-error.js';
import type { KubeClient } from '../kube-client.js';
import type { ReflectedResource } from './reflector-options.js';

export interface ListPage {
  readonly items: readonly unknown[];
  /** Of the moment that all pages show: watches begin here. */
  readonly resourceVersion: string;
}

const FIRST_PAGE = 100;
const LARGEST_PAGE = 500;
const SMALLEST_PAGE = 20;
/** Takes 10 to 20 ms to parse. */
const BYTES_PER_PAGE = 1024 * 1024;

/**
 * Lists are asked for without a resourceVersion, that is: the latest state. resourceVersion=0 would be answered by any API
 * server's cache, however old it is (so that what is gone might come back), and in one piece, since `limit` is ignored then.
 */
export class ListPages {
  readonly #client: Pick<KubeClient, 'exchange'>;
  readonly #resource: ReflectedResource;
  readonly #timeoutMillis: number;
  /** Found out from the size of earlier pages: pods of one cluster take 2 kB, of another 20 kB. */
  #limit = FIRST_PAGE;

  constructor(options: {
    readonly client: Pick<KubeClient, 'exchange'>;
    readonly resource: ReflectedResource;
    readonly timeoutMillis: number;
  }) {
    this.#client = options.client;
    this.#resource = options.resource;
    this.#timeoutMillis = options.timeoutMillis;
  }

  /** @throws PortError; Gone, when reading took so long that the server forgot the moment: the list has to begin again. */
  async *read(signal: AbortSignal): AsyncGenerator<ListPage> {
    let continueAt: string | undefined;
    let resourceVersion: string | undefined;
    do {
      const page = await this.#page(continueAt, signal);
      resourceVersion ??= page.resourceVersion;
      yield { items: page.items, resourceVersion };
      if (page.continueAt !== undefined && page.continueAt === continueAt)
        throw this.#unreadable('the list has too many pages');
      continueAt = page.continueAt;
    } while (continueAt !== undefined);
  }

  async #page(
    continueAt: string | undefined,
    signal: AbortSignal,
  ): Promise<ListPage & { readonly continueAt: string | undefined }> {
    const { path, query } = this.#resource;
    const { body, bytes } = await this.#client.exchange({
      method: 'GET',
      path,
      query: { ...query, limit: this.#limit, continue: continueAt },
      timeoutMillis: this.#timeoutMillis,
      signal,
      // Until all is listed the cluster in memory is old, and what is decided on it is wrong.
      urgency: 'first',
      operation: `list ${path}`,
    });
    const list = plainObject(body);
    const metadata = plainObject(list?.['metadata']);
    const resourceVersion = metadata?.['resourceVersion'];
    if (list === undefined || typeof resourceVersion !== 'string' || resourceVersion === '')
      throw this.#unreadable('the response is not a list');
    // An empty list may come as null.
    const items: readonly unknown[] = Array.isArray(list['items']) ? list['items'] : [];
    this.#learn(items.length, bytes);
    const next = metadata?.['continue'];
    return {
      items,
      resourceVersion,
      continueAt: typeof next === 'string' && next !== '' ? next : undefined,
    };
  }

  #learn(items: number, bytes: number): void {
    if (items === 0) return;
    const fitting = Math.floor((items * BYTES_PER_PAGE) / bytes);
    this.#limit = Math.min(Math.max(fitting, SMALLEST_PAGE), LARGEST_PAGE);
  }

  #unreadable(message: string): PortError {
    return new PortError('Unavailable', { operation: `list ${this.#resource.path}`, message });
  }
}

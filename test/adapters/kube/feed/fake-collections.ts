/** The collections of an API server in memory, as a KubeClient shows them: one page each, and watches that a test speaks. */
import type { KubeClient } from '../../../../src/adapters/kube/transport/index.js';
import type {
  KubeAnswer,
  KubeRequest,
  KubeStreamRequest,
} from '../../../../src/adapters/kube/transport/kube-client.js';
import { PortError } from '../../../../src/ports/port-error.js';

type Json = Readonly<Record<string, unknown>>;

interface Watch {
  send(line: string): void;
}

export class FakeCollections implements Pick<KubeClient, 'exchange' | 'stream'> {
  /** Paths that were listed, with their selectors. */
  readonly listed: string[] = [];
  readonly #items = new Map<string, Json[]>();
  readonly #watches = new Map<string, Watch>();
  /** Lists that are not answered before `answer` is called. */
  readonly #held = new Map<string, () => void>();
  readonly #holding = new Set<string>();
  readonly #absent = new Set<string>();
  #version = 100;

  /** What the collection has when it is listed. Each object gets uid and version unless it has them. */
  fill(path: string, ...items: readonly Json[]): void {
    this.#items.set(
      path,
      items.map((item) => this.#stored(item)),
    );
  }

  /** Something happens in the collection, once it is watched. */
  emit(path: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Json): void {
    this.#watches.get(path)?.send(`${JSON.stringify({ type, object: this.#stored(object) })}\n`);
  }

  /** The server does not know the collection, until it is told otherwise. */
  setAbsent(path: string, isAbsent: boolean): void {
    if (isAbsent) this.#absent.add(path);
    else this.#absent.delete(path);
  }

  /** The list of this collection stays unanswered. */
  hold(path: string): void {
    this.#holding.add(path);
  }

  answer(path: string): void {
    this.#holding.delete(path);
    this.#held.get(path)?.();
  }

  isWatched(path: string): boolean {
    return this.#watches.has(path);
  }

  async exchange({ path, query = {} }: KubeRequest): Promise<KubeAnswer> {
    const selector = query['labelSelector'] ?? query['fieldSelector'];
    this.listed.push(selector === undefined ? path : `${path}?${String(selector)}`);
    if (this.#holding.has(path))
      await new Promise<void>((resolve) => {
        this.#held.set(path, resolve);
      });
    if (this.#absent.has(path))
      throw new PortError('NotFound', {
        operation: `GET ${path}`,
        message: 'the server has no such resource',
      });
    const body = {
      metadata: { resourceVersion: String(this.#version) },
      items: this.#items.get(path) ?? [],
    };
    return { body, bytes: JSON.stringify(body).length };
  }

  stream({ path, query, signal }: KubeStreamRequest): Promise<AsyncIterable<Uint8Array>> {
    if (query?.['sendInitialEvents'] === true)
      return Promise.reject(
        new PortError('Invalid', { operation: `GET ${path}`, message: 'no watch-lists' }),
      );
    const lines: string[] = [];
    let wake = (): void => undefined;
    const watch = {
      send: (line: string): void => {
        lines.push(line);
        wake();
      },
    };
    this.#watches.set(path, watch);
    signal?.addEventListener('abort', () => {
      wake();
    });
    const isOver = (): boolean => signal?.aborted === true;
    return Promise.resolve(
      (async function* () {
        while (!isOver()) {
          const line = lines.shift();
          if (line !== undefined) yield Buffer.from(line);
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      })(),
    );
  }

  #stored(object: Json): Json {
    this.#version++;
    const metadata = object['metadata'] as Json;
    const resourceVersion = String(this.#version);
    return { ...object, metadata: { uid: `uid-${String(metadata['name'])}`, resourceVersion, ...metadata } };
  }
}

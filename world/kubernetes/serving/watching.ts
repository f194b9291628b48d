/** Watches over HTTP: one line of JSON for each event, bookmarks, and an end. */
import type { Clock } from '../../../src/ports/clock.js';
import { ApiError, expired } from '../objects/api-error.js';
import type { KubeObject } from '../objects/kube-object.js';
import { groupVersion } from '../resources/resource-type.js';
import type { ObjectStore, StoreEvent } from '../store/object-store.js';
import { LineQueue } from './line-queue.js';
import { renderObject, type RenderOptions } from './rendering.js';

const BOOKMARK_MILLIS = 60_000;
const DEFAULT_SECONDS = 1800;
/** On the bookmark that closes what was there at the beginning. */
const INITIAL_END = { 'k8s.io/initial-events-end': 'true' };

export interface WatchRequest {
  readonly render: RenderOptions;
  readonly selects: (object: KubeObject) => boolean;
  /** '' and '0': the existing objects come first. */
  readonly resourceVersion: string;
  readonly sendsInitial: boolean;
  readonly bookmarks: boolean;
  /** 0: until half an hour has passed. */
  readonly timeoutSeconds: number;
}

export class Watching {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #open = new Set<LineQueue>();

  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  closeAll(): void {
    for (const lines of this.#open) lines.end();
  }

  /** Ends with the signal, after its time, or when the reader is too slow. @throws ApiError 504 for a version that is to come */
  open(request: WatchRequest, signal: AbortSignal): AsyncIterable<string> {
    const { type } = request.render.resource;
    const isFresh = request.resourceVersion === '' || request.resourceVersion === '0';
    const from = isFresh ? this.#store.revision : Number(request.resourceVersion);
    checkVersion(from, this.#store.revision);
    const undo: (() => void)[] = [];
    const lines = new LineQueue(() => {
      this.#open.delete(lines);
      for (const each of undo) each();
    });
    this.#open.add(lines);
    const tell = teller(request, lines);
    if (!isFresh && !this.#store.remembers(type.key, from)) {
      lines.push(JSON.stringify({ type: 'ERROR', object: tooOld(from, this.#store.revision).status() }));
      lines.end();
      return lines;
    }
    this.#begin(request, lines, isFresh || request.sendsInitial ? undefined : from, tell);
    undo.push(this.#store.subscribe(type.key, tell));
    undo.push(this.#keepTime(request, lines));
    const end = (): void => {
      lines.end();
    };
    signal.addEventListener('abort', end, { once: true });
    undo.push(() => {
      signal.removeEventListener('abort', end);
    });
    if (signal.aborted) lines.end();
    return lines;
  }

  /** What is there, or what happened since. */
  #begin(
    { render, selects, sendsInitial }: WatchRequest,
    lines: LineQueue,
    from: number | undefined,
    tell: (event: StoreEvent) => void,
  ): void {
    const { key } = render.resource.type;
    if (from !== undefined) {
      for (const event of this.#store.since(key, from)) tell(event);
      return;
    }
    for (const object of this.#store.list(key).filter(selects))
      tell({ revision: this.#store.revision, type: 'ADDED', object, before: undefined });
    if (sendsInitial) lines.push(this.#bookmark(render, INITIAL_END));
  }

  /** Bookmarks every minute and at the end. */
  #keepTime({ render, bookmarks, timeoutSeconds }: WatchRequest, lines: LineQueue): () => void {
    const mark = (): void => {
      if (bookmarks) lines.push(this.#bookmark(render));
    };
    let stopMarking: () => void = () => undefined;
    const again = (): void => {
      stopMarking = this.#clock.timer(BOOKMARK_MILLIS, () => {
        mark();
        again();
      });
    };
    if (bookmarks) again();
    const stopEnding = this.#clock.timer((timeoutSeconds || DEFAULT_SECONDS) * 1000, () => {
      mark();
      lines.end();
    });
    return () => {
      stopMarking();
      stopEnding();
    };
  }

  #bookmark({ resource }: RenderOptions, annotations?: Readonly<Record<string, string>>): string {
    const metadata = {
      resourceVersion: String(this.#store.revision),
      creationTimestamp: null,
      ...(annotations && { annotations }),
    };
    const object = { kind: resource.type.kind, apiVersion: groupVersion(resource.served), metadata };
    return JSON.stringify({ type: 'BOOKMARK', object });
  }
}

/** An object that comes to be selected is added, one that ceases to be is deleted, whatever happened to it. */
function teller({ render, selects }: WatchRequest, lines: LineQueue): (event: StoreEvent) => void {
  let isFirst = true;
  return ({ type, object, before }) => {
    const was = type !== 'ADDED' && before !== undefined && selects(before);
    const is = type !== 'DELETED' && selects(object);
    if (!was && !is) return;
    const told = !is ? 'DELETED' : was ? 'MODIFIED' : 'ADDED';
    lines.push(JSON.stringify({ type: told, object: renderObject(object, render, isFirst) }));
    isFirst = false;
  };
}

/** @throws ApiError 400, 504 */
export function checkVersion(version: number, current: number): void {
  if (!Number.isSafeInteger(version) || version < 0)
    throw new ApiError(400, 'BadRequest', 'invalid resource version: it must be a whole number');
  if (version <= current) return;
  const message = `Too large resource version: ${String(version)}, current: ${String(current)}`;
  throw new ApiError(504, 'Timeout', `Timeout: ${message}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

function tooOld(version: number, current: number): ApiError {
  return expired(`too old resource version: ${String(version)} (${String(current)})`);
}

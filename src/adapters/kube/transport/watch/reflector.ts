/**
 * Keeps a sink up to date with all objects of a resource: lists them, watches from there, and continues whatever the
 * connection and the server do. See docs/adr/0003-own-reflector.md.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasCode } from '../../../../ports/port-error.js';
import { KnownObjects } from './known-objects.js';
import { ListPages } from './list-pages.js';
import { ReflectorPace, type Ended } from './reflector-pace.js';
import {
  DEFAULT_TIMING,
  type ReflectorCounter,
  type ReflectorHealth,
  type ReflectorOptions,
  type ReflectorTiming,
} from './reflector-options.js';
import { ResourceWatch } from './resource-watch.js';
import { errorOfFailure } from '../status-error.js';
import { readObject, type RawObject } from './watch-event.js';

/** Objects that are processed before other tasks get the thread. */
const SLICE = 25;
/** Of objects that cannot be taken in; the counter has them all. */
const MOST_LOGGED = 10;

export class Reflector<T> {
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #known: KnownObjects<T>;
  readonly #pages: ListPages;
  readonly #watch: ResourceWatch;
  readonly #pace: ReflectorPace;
  /** Paths of the list that is being read; undefined when none is. */
  #listed: Set<string> | undefined;
  /** Whether the next list is asked for as a watch that begins with all that is there. */
  #isNextStreamed = true;
  /** The server does not know of such watches. */
  #isStreamRefused = false;
  #hasListed = false;
  #isSynced = false;
  #handlerErrors = 0;
  #lastContactAt: number | undefined;
  #lastError: string | undefined;

  constructor(options: ReflectorOptions<T>) {
    const { client, resource, clock, random } = options;
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    const timing = this.#timing;
    this.#known = new KnownObjects({
      decode: (raw) => options.decode(raw),
      sink: options.sink,
      failed: (error, path) => {
        this.#handlerFailed(error, path);
      },
    });
    this.#pages = new ListPages({ client, resource, clock, timeoutMillis: timing.pageTimeoutMillis });
    this.#pace = new ReflectorPace({ clock, random, timing });
    this.#watch = new ResourceWatch({
      ...{ client, resource, clock, random, timing },
      listener: {
        put: (object) => {
          this.#listed?.add(object.path);
          this.#known.put(object);
        },
        delete: (object) => {
          this.#listed?.delete(object.path);
          this.#known.delete(object);
        },
        listed: (signal) => this.#complete(signal),
        count: (counter) => {
          this.#count(counter);
        },
        heard: () => {
          this.#heard();
        },
      },
    });
  }

  /** Until the signal is aborted; resolves then, with no timer or connection left. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let from: string | undefined;
    while (!isOver(signal)) {
      const ended = from === undefined ? await this.#list(signal) : await this.#watch.follow(from, signal);
      if (isOver(signal)) return;
      from = ended.resumeFrom;
      if (from !== undefined && ended.how !== 'done') this.#count('restarts');
      await this.#rest(ended, signal);
    }
  }

  health(): ReflectorHealth {
    const { openMillis } = this.#watch;
    const isHealthy = openMillis !== undefined && openMillis >= this.#timing.healthyMillis;
    return {
      synced: this.#isSynced,
      watching: openMillis !== undefined,
      lastContactAt: this.#lastContactAt,
      failures: isHealthy ? 0 : this.#pace.failures,
      lastError: isHealthy ? undefined : this.#lastError,
    };
  }

  async #rest(ended: Ended, signal: AbortSignal): Promise<void> {
    const millis = this.#pace.delayAfter(ended);
    this.#report(ended, millis);
    if (millis <= 0) return;
    try {
      await this.#options.clock.sleep(millis, signal);
    } catch (error) {
      if (!hasCode(error, 'Cancelled')) throw error;
    }
  }

  async #list(signal: AbortSignal): Promise<Ended> {
    this.#pace.listing();
    this.#count('lists');
    if (this.#hasListed) this.#count('relists');
    this.#hasListed = true;
    const isStreamed = this.#isNextStreamed && !this.#isStreamRefused;
    // What breaks in the middle may break again: lists and such watches take turns until one of them comes to its end.
    this.#isNextStreamed = !isStreamed;
    const ended = isStreamed ? await this.#listByWatch(signal) : await this.#listByPages(signal);
    this.#listed = undefined;
    if (this.#isAbsent(ended.error)) this.#takeForNone();
    return ended;
  }

  /** A getter of its own, since the list ends while the compiler thinks that it cannot. */
  get #isListing(): boolean {
    return this.#listed !== undefined;
  }

  /** Not only the list, but also the watch that follows it. A server that refuses is asked for a list at once. */
  async #listByWatch(signal: AbortSignal): Promise<Ended> {
    // Nothing else refers to it: the watch continues long after the list has come to its end.
    this.#listed = new Set();
    const ended = await this.#watch.follow(undefined, signal);
    if (!this.#isListing) return ended;
    const isRefused = hasCode(ended.error, 'Invalid');
    this.#isStreamRefused ||= isRefused;
    // Who may list need not be allowed to watch.
    return isRefused || hasCode(ended.error, 'Forbidden') ? this.#listByPages(signal) : ended;
  }

  async #listByPages(signal: AbortSignal): Promise<Ended> {
    this.#listed = new Set();
    let resumeFrom: string | undefined;
    try {
      for await (const { items, resourceVersion } of this.#pages.read(signal)) {
        this.#heard();
        resumeFrom = resourceVersion ?? resumeFrom;
        await inSlices(items, signal, (item) => {
          this.#takeItem(item);
        });
      }
      await this.#complete(signal);
    } catch (thrown) {
      const error = errorOfFailure(`list ${this.#options.resource.path}`, thrown);
      return { how: 'failed', resumeFrom: undefined, error, openMillis: 0 };
    }
    return { how: 'done', resumeFrom, error: undefined, openMillis: 0 };
  }

  /** All that exists has been received: what is not among it is gone. */
  async #complete(signal: AbortSignal): Promise<void> {
    await inSlices(this.#known.missingFrom(this.#listed ?? new Set()), signal, (path) => {
      this.#known.forget(path);
    });
    this.#listed = undefined;
    this.#isNextStreamed = true;
    this.#syncedOnce();
  }

  /** The server knows of no such objects, or shows us none: what need not be there is not there then. */
  #isAbsent(error: unknown): boolean {
    if (this.#options.resource.isOptional !== true) return false;
    return hasCode(error, 'NotFound') || hasCode(error, 'Forbidden');
  }

  #takeForNone(): void {
    for (const path of this.#known.missingFrom(new Set())) this.#known.forget(path);
    this.#syncedOnce();
  }

  #takeItem(item: unknown): void {
    let object: RawObject;
    try {
      object = readObject(item);
    } catch (error) {
      this.#handlerFailed(error, 'an item of a list');
      return;
    }
    this.#listed?.add(object.path);
    this.#known.put(object);
  }

  #syncedOnce(): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    try {
      this.#options.sink.synced();
    } catch (error) {
      this.#handlerFailed(error, 'the end of the first list');
    }
  }

  #heard(): void {
    this.#lastContactAt = this.#options.clock.now();
    this.#options.counters?.contact(this.#lastContactAt);
  }

  #count(counter: ReflectorCounter): void {
    this.#options.counters?.increment(counter);
  }

  #report({ error, how }: Ended, waitMillis: number): void {
    if (how === 'done') return;
    const isSame = error?.message === this.#lastError && this.#pace.failures > 1;
    this.#lastError = error?.message;
    // Watches that end are everyday life, and the same error again is not worth a line.
    if (error === undefined || isSame) return;
    if (this.#isAbsent(error) && hasCode(error, 'NotFound')) return;
    const fields = {
      resource: this.#options.resource.path,
      code: error.code,
      error: error.message,
      waitMillis,
    };
    this.#options.logger.warn('Watch was interrupted', fields);
  }

  #handlerFailed(error: unknown, path: string): void {
    this.#count('handlerErrors');
    this.#handlerErrors += 1;
    if (this.#handlerErrors > MOST_LOGGED) return;
    const fields = { resource: this.#options.resource.path, object: path, error };
    this.#options.logger.error('Failed to process an object', fields);
  }
}

/**
 * Does it for each, and yields the thread to other tasks in between. Also before the first, since a page has just
 * been parsed. @throws the signal's reason
 */
async function inSlices<T>(items: readonly T[], signal: AbortSignal, each: (item: T) => void): Promise<void> {
  for (let start = 0; start < items.length; start += SLICE) {
    await nextTurn();
    signal.throwIfAborted();
    items.slice(start, start + SLICE).forEach(each);
  }
}

/** A function of its own, since a signal changes while the compiler thinks that it cannot. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** One watch after the other of a resource, each from its beginning to whatever ends it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasCode, PortError } from '../../../../ports/port-error.js';
import { linkedSignal, type LinkedSignal } from '../../../../runtime/time/linked-signal.js';
import type { Ended } from './reflector-pace.js';
import type { ReflectorCounter, ReflectorOptions, ReflectorTiming } from './reflector-options.js';
import { StallGuard } from './stall-guard.js';
import { errorOfFailure, errorOfStatus, isResourceVersionTooLarge } from '../status-error.js';
import { parseWatchEvent, type RawObject, type WatchEvent } from './watch-event.js';

/** An object is at most 1.5 MiB in etcd; as JSON and with its managed fields it may be larger. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;

/** Asks for what is there first: the latest state, or a refusal by a server that does not know of it. */
const INITIAL_EVENTS = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
/** Events that are processed before other tasks get the thread. */
const SLICE = 25;
const NEWLINE = 0x0a;

/** Receives the events of a watch. */
export interface WatchListener {
  put(object: RawObject): void;
  delete(object: RawObject): void;
  /** All that was there when a watch without a resourceVersion began has been put. @throws the signal's reason */
  listed(signal: AbortSignal): Promise<void>;
  count(counter: ReflectorCounter): void;
  /** Something came. */
  heard(): void;
}

export interface ResourceWatchOptions extends Pick<
  ReflectorOptions<never>,
  'client' | 'resource' | 'clock' | 'random'
> {
  readonly timing: ReflectorTiming;
  readonly listener: WatchListener;
}

/** What the watch of now has come to. */
interface Progress {
  /** undefined while what was there at the beginning is still being sent. */
  resourceVersion: string | undefined;
  /** By the monotonic clock; undefined until the server has agreed. */
  openedAt: number | undefined;
  /** Why it has to end now. */
  end: Omit<Ended, 'openMillis'> | undefined;
}

export class ResourceWatch {
  readonly #options: ResourceWatchOptions;
  readonly #operation: string;
  #progress: Progress | undefined;

  constructor(options: ResourceWatchOptions) {
    this.#options = options;
    this.#operation = `watch ${options.resource.path}`;
  }

  /** How long the watch of now has been open; undefined when none is, or when it is still telling what was there. */
  get openMillis(): number | undefined {
    const { openedAt, resourceVersion } = this.#progress ?? {};
    if (openedAt === undefined || resourceVersion === undefined) return undefined;
    return this.#options.clock.monotonic() - openedAt;
  }

  /**
   * Tells everything that happened after that resourceVersion; without one, first all that is there, and then what happens
   * (KEP 3157, WatchList). Never rejects; no connection is left afterwards.
   */
  async follow(resourceVersion: string | undefined, signal: AbortSignal): Promise<Ended> {
    const progress: Progress = { resourceVersion, openedAt: undefined, end: undefined };
    this.#progress = progress;
    const life = linkedSignal(signal);
    try {
      await this.#read(progress, life);
    } catch (thrown) {
      const error = errorOfFailure(this.#operation, thrown);
      // What breaks in the middle is resumed like what ended; a server that refuses is left alone for longer.
      const how = progress.openedAt === undefined ? 'failed' : 'closed';
      progress.end ??= { how, resumeFrom: resumeAfter(error, progress), error };
    } finally {
      life.abort();
      life.unlink();
    }
    const openMillis = this.openMillis ?? 0;
    this.#progress = undefined;
    const end = progress.end ?? { how: 'closed', resumeFrom: progress.resourceVersion, error: undefined };
    return { ...end, openMillis };
  }

  async #read(progress: Progress, life: LinkedSignal): Promise<void> {
    const { client, clock, resource, timing, listener } = this.#options;
    const stream = await client.stream({
      path: resource.path,
      query: {
        ...resource.query,
        watch: true,
        allowWatchBookmarks: true,
        ...(progress.resourceVersion === undefined
          ? INITIAL_EVENTS
          : { resourceVersion: progress.resourceVersion }),
        timeoutSeconds: this.#timeoutSeconds(),
      },
      signal: life.signal,
      operation: this.#operation,
    });
    progress.openedAt = clock.monotonic();
    listener.heard();
    const guard = new StallGuard({
      clock,
      millis: timing.stallMillis,
      stalled: () => {
        listener.count('stalls');
        const message = `silent for ${String(timing.stallMillis)} ms`;
        life.abort(new PortError('TimedOut', { operation: this.#operation, message }));
      },
    });
    try {
      await this.#readLines(stream, progress, guard, life.signal);
    } finally {
      guard.stop();
    }
  }

  async #readLines(
    stream: AsyncIterable<Uint8Array>,
    progress: Progress,
    guard: StallGuard,
    signal: AbortSignal,
  ): Promise<void> {
    // What is left without a newline when the stream ends is half an event: it comes again, after the last whole one.
    const lines = new LineSplitter(MOST_LINE_BYTES);
    for await (const chunk of stream) {
      guard.touch();
      this.#options.listener.heard();
      for (const [index, line] of lines.push(chunk).entries()) {
        if (index % SLICE === SLICE - 1) await nextTurn();
        signal.throwIfAborted();
        await this.#handle(line, progress, signal);
        if (progress.end !== undefined) return;
      }
      // Or else a socket that is full would be read to its end in one turn, which may be megabytes.
      await nextTurn();
    }
  }

  async #handle(line: string, progress: Progress, signal: AbortSignal): Promise<void> {
    const event = this.#parse(line, progress);
    if (event === undefined) return;
    if (event.type === 'ERROR') {
      const error = errorOfStatus(this.#operation, event.status);
      progress.end = { how: 'failed', resumeFrom: resumeAfter(error, progress), error };
      return;
    }
    if (event.type === 'PUT') this.#options.listener.put(event.object);
    if (event.type === 'DELETED') this.#options.listener.delete(event.object);
    if (progress.resourceVersion === undefined) await this.#handleInitial(event, progress, signal);
    else
      progress.resourceVersion =
        event.type === 'BOOKMARK' ? event.resourceVersion : event.object.resourceVersion;
  }

  /** Only a bookmark says that this was all; another one before it comes from a server that does not know of them. */
  async #handleInitial(
    event: Exclude<WatchEvent, { readonly type: 'ERROR' }>,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    if (event.type !== 'BOOKMARK') return;
    if (event.endsInitialEvents) {
      await this.#options.listener.listed(signal);
      progress.resourceVersion = event.resourceVersion;
      return;
    }
    const message = 'the server does not tell what was there at the beginning';
    const error = new PortError('Unavailable', { operation: this.#operation, message });
    progress.end = { how: 'failed', resumeFrom: undefined, error };
  }

  /** A line that says nothing may have been a change, which is lost now: only a list tells. */
  #parse(line: string, progress: Progress): WatchEvent | undefined {
    try {
      return parseWatchEvent(line);
    } catch (cause) {
      this.#options.listener.count('malformedLines');
      const message = `a line of ${String(line.length)} characters is not a watch event`;
      const error = new PortError('Unavailable', { operation: this.#operation, message, cause });
      progress.end = { how: 'failed', resumeFrom: undefined, error };
      return undefined;
    }
  }

  /** Different for each watch, so that not all restart at the same time. */
  #timeoutSeconds(): number {
    const { shortestWatchSeconds: least, longestWatchSeconds: most } = this.#options.timing;
    return Math.round(least + (most - least) * this.#options.random.next());
  }
}

/** Where to go on after an error: not where the server has just said that it cannot. */
function resumeAfter(error: PortError, { resourceVersion }: Progress): string | undefined {
  const mayResume = hasCode(error, 'Unavailable', 'TimedOut', 'RateLimited', 'Unauthorized', 'Forbidden');
  return mayResume && !isResourceVersionTooLarge(error) ? resourceVersion : undefined;
}

/** Cuts a stream into lines, wherever the chunks end: as bytes, since a newline is never a part of another UTF-8 character, and decoded when whole. */
export class LineSplitter {
  readonly #mostBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** More bytes than that without a newline are no line. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The lines that the chunk completes, without newlines; empty ones are left out. @throws Error, when a line is too long. */
  push(chunk: Uint8Array): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#take();
      if (line.trim() !== '') lines.push(line);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#mostBytes)
      throw new Error(`a line is longer than ${String(this.#mostBytes)} bytes`);
    this.#parts.push(part);
  }

  #take(): string {
    const line = Buffer.concat(this.#parts, this.#bytes).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}

/** What a reflector needs, tells and can be asked. */
import type { Clock } from '../../../../ports/clock.js';
import type { Logger } from '../../../../ports/logger.js';
import type { Random } from '../../../../ports/random.js';
import type { KubeClient } from '../kube-client.js';

export interface ReflectedResource {
  /** Of the collection: `/api/v1/pods`. */
  readonly path: string;
  readonly query?:
    { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined } | undefined;
  /** Where the server does not know it, or does not show it, there is none of it; it is asked again from time to time. */
  readonly isOptional?: boolean | undefined;
}

/** Receives objects. What it throws is counted and logged, and stops nothing. */
export interface ReflectorSink<T> {
  /** The object is there and looks like that now. */
  put(value: T, key: string): void;
  /** The object was deleted; it was reported with this key and uid. */
  delete(key: string, uid: string): void;
  /** Once: all objects of the first complete list were reported. */
  synced(): void;
}

/**
 * `lists`: begun, `relists`: those but the first; `restarts`: watches that followed another one without a list; `stalls`:
 * watches given up because they were silent; `handlerErrors`: what a decoder or sink threw; `malformedLines`: of watches.
 */
export type ReflectorCounter =
  'lists' | 'relists' | 'restarts' | 'stalls' | 'handlerErrors' | 'malformedLines';

export interface ReflectorCounters {
  increment(counter: ReflectorCounter): void;
  /** Something was heard from the server, at this time (milliseconds since 1970). */
  contact(at: number): void;
}

export interface ReflectorTiming {
  /** Until a page of a list is there, and between two parts of a list that comes in one answer; 30,000. */
  readonly pageTimeoutMillis: number;
  /** After how many seconds the server is asked to end a watch: a random number between these; 300 and 600. */
  readonly shortestWatchSeconds: number;
  readonly longestWatchSeconds: number;
  /** Silence in a watch that means that it is broken. Bookmarks come once a minute, so more than that; 75,000. */
  readonly stallMillis: number;
  /** A watch that lasted that long was healthy: what went wrong before it is forgotten; 5,000. */
  readonly healthyMillis: number;
  /** Lists begin at least that far from each other; 1,000. */
  readonly relistMillis: number;
  /** Longest wait before a watch that ended is resumed; 1,000. */
  readonly longestResumeMillis: number;
  /** Longest wait after something failed, unless the server asks for more; 5,000. */
  readonly longestFailureMillis: number;
}

export interface ReflectorOptions<T> {
  readonly client: Pick<KubeClient, 'exchange' | 'stream'>;
  readonly resource: ReflectedResource;
  /**
   * What the sink is to know of an object, given as JSON the way the server sends it (apiVersion and kind are missing in
   * lists); undefined when nothing; it is then deleted, if it was reported before. When it throws, the sink keeps what it
   * knows. The JSON is dropped afterwards.
   */
  decode(raw: unknown): { readonly key: string; readonly value: T } | undefined;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly counters?: ReflectorCounters | undefined;
  readonly timing?: Partial<ReflectorTiming> | undefined;
}

export interface ReflectorHealth {
  /** Whether one list has been read to its end. */
  readonly synced: boolean;
  /** Whether a watch is open now. */
  readonly watching: boolean;
  /** When the last byte of a watch or page of a list came, in milliseconds since 1970. */
  readonly lastContactAt: number | undefined;
  /** Attempts in a row that did not lead to a healthy watch. */
  readonly failures: number;
  /** What the last of them met. */
  readonly lastError: string | undefined;
}

export const DEFAULT_TIMING: ReflectorTiming = {
  pageTimeoutMillis: 30_000,
  shortestWatchSeconds: 300,
  longestWatchSeconds: 600,
  stallMillis: 75_000,
  healthyMillis: 5_000,
  relistMillis: 1_000,
  longestResumeMillis: 1_000,
  longestFailureMillis: 5_000,
};

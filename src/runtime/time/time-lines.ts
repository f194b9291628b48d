/** What is said over the socket that the world's time is served on: one JSON object a line. */
import type { Horizon } from './holds.js';

/**
 * The largest step of virtual time, in milliseconds. A call from one process to another costs about one step, so calls that
 * follow each other take less of the world's seconds than the timeouts of their callers.
 */
export const MOST_STEP_MILLIS = 150;

/** From the world. Milliseconds. */
export interface TimeLine {
  /** In the first line only: when the world began, since 1970. */
  readonly start?: number;
  /** Where its time is, since then. */
  readonly at: number;
}

/** From a follower: where it is, and what it must not be left behind by. */
export interface FollowerLine {
  readonly at: number;
  readonly horizon?: Horizon | undefined;
}

/** undefined where the line is none. */
export function parseTime(line: string): TimeLine | undefined {
  const { at, start } = (parsed(line) ?? {}) as Partial<Record<keyof TimeLine, unknown>>;
  if (!isMillis(at) || !(start === undefined || isMillis(start))) return undefined;
  return start === undefined ? { at } : { at, start };
}

/** undefined where the line is none. */
export function parseReport(line: string): FollowerLine | undefined {
  const { at, horizon } = (parsed(line) ?? {}) as Partial<Record<keyof FollowerLine, unknown>>;
  if (!isMillis(at)) return undefined;
  if (horizon === undefined) return { at };
  const { at: limit, what } = (horizon ?? {}) as Partial<Record<keyof Horizon, unknown>>;
  return isMillis(limit) && typeof what === 'string' ? { at, horizon: { at: limit, what } } : undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isMillis(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

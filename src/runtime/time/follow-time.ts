/**
 * The time of a world that another process has: a clock that moves on request, and reports when everything has followed.
 */
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../ports/clock.js';
import { Holds, type Horizon } from './holds.js';
import { SteppedClock } from './stepped-clock.js';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export interface FollowTimeOptions {
  readonly host: string;
  readonly port: number;
  /** The host's clock, for the time that connecting may take. */
  readonly wall: Clock;
}

export interface FollowedTime {
  readonly clock: Clock;
  readonly holds: Holds;
  /** Resolves when the clock is no longer moved. */
  readonly lost: Promise<void>;
  close(): void;
}

const CONNECT_MILLIS = 60_000;

/** Resolves at the first time that is received. @throws Error where the world's time is not served at the address. */
export function followTime({ host, port, wall }: FollowTimeOptions): Promise<FollowedTime> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const fail = (why: string): void => {
      stop();
      socket.destroy();
      reject(new Error(`cannot follow the time of the embedded world at ${host}:${String(port)}: ${why}`));
    };
    const stop = wall.timer(CONNECT_MILLIS, () => {
      fail(`no answer after ${String(CONNECT_MILLIS)} milliseconds`);
    });
    let following: Following | undefined;
    const lost = new Promise<void>((gone) => {
      socket.once('close', () => {
        fail('the connection was closed');
        gone();
      });
    });
    socket.once('error', ({ message }) => {
      fail(message);
    });
    socket.once('connect', () => {
      report(socket, { at: 0 });
    });
    eachLine(socket, (line) => {
      const told = parseTime(line);
      if (told === undefined) fail('it says no time');
      else if (following !== undefined) following.told(told);
      else if (told.start !== undefined) {
        stop();
        following = new Following(socket, told.start, told.at);
        const { clock, holds } = following;
        resolve({ clock, holds, lost, close: () => socket.destroy() });
        following.told(told);
      }
    });
  });
}

class Following {
  readonly clock: SteppedClock;
  readonly holds: Holds;
  readonly #socket: Socket;
  #isMoving = false;

  constructor(socket: Socket, start: number, at: number) {
    this.#socket = socket;
    this.clock = new SteppedClock({ start, monotonic: at, isWhole: true });
    this.holds = new Holds(this.clock);
  }

  /** The world says nothing more until it has been answered. */
  told({ at }: TimeLine): void {
    if (this.#isMoving) return;
    this.#isMoving = true;
    void this.#moveTo(at).then(() => {
      this.#isMoving = false;
      const { horizon } = this.holds;
      report(this.#socket, horizon === undefined ? { at } : { at, horizon });
    });
  }

  /** A process that was left behind is not moved all the way at once either. */
  async #moveTo(at: number): Promise<void> {
    let next = this.clock.monotonic();
    do {
      next = Math.min(next + MOST_STEP_MILLIS, at);
      await this.clock.passTo(next);
    } while (next < at);
  }
}

function report(socket: Socket, line: FollowerLine): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
}

/** Longer lines are handed on in pieces. */
const MOST_CHARACTERS = 65_536;

/** Calls for every line that ends, without its end. Errors of the stream are left to others. */
export function eachLine(stream: Readable, call: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (piece: Buffer) => {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) call(line);
    if (rest.length < MOST_CHARACTERS) return;
    call(rest);
    rest = '';
  });
}

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
interface FollowerLine {
  readonly at: number;
  readonly horizon?: Horizon | undefined;
}

/** undefined where the line is none. */
function parseTime(line: string): TimeLine | undefined {
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

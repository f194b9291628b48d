/**
 * The time of a world that another process has: a clock that moves on request, and reports when everything has followed.
 */
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../ports/clock.js';
import { eachLine } from './each-line.js';
import { Holds } from './holds.js';
import { SteppedClock } from './stepped-clock.js';
import { MOST_STEP_MILLIS, parseTime, type FollowerLine, type TimeLine } from './time-lines.js';

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

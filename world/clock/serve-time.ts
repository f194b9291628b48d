/** Tells other processes the world's time, over a socket: a line for each step, and a line back from each that has followed. */
import { createServer, type Server, type Socket } from 'node:net';
import { eachLine, parseReport, type TimeLine } from '../../src/runtime/time/follow-time.js';
import type { Horizon } from '../../src/runtime/time/holds.js';
import type { Follower, WorldTime } from './world-time.js';

export interface ServedTime {
  /** Cuts all connections. */
  close(): Promise<void>;
}

export interface ServeTimeOptions {
  readonly time: WorldTime;
  readonly host: string;
  readonly port: number;
}

/** @throws Error where the address cannot be listened on. */
export async function serveTime({ time, host, port }: ServeTimeOptions): Promise<ServedTime> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    attend(time, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { close: () => close(server, sockets) };
}

/** Its first line makes it a follower; a line that makes no sense ends it. */
function attend(time: WorldTime, socket: Socket): void {
  socket.setNoDelay(true);
  let leave: (() => void) | undefined;
  let follower: SocketFollower | undefined;
  socket.on('error', () => undefined);
  socket.once('close', () => leave?.());
  eachLine(socket, (line) => {
    const report = parseReport(line);
    if (report === undefined) socket.destroy();
    else if (follower === undefined) {
      follower = new SocketFollower(socket, time.clock.monotonic());
      leave = time.join(follower);
      follower.tell({ start: time.start, at: time.clock.monotonic() });
    } else follower.followed(report.at, report.horizon);
  });
}

/** One process, as far as it has said where it is. */
class SocketFollower implements Follower {
  readonly #socket: Socket;
  #asked: number;
  #isAnswered = true;
  /** Where it said that it is. */
  #at: number;
  #horizon: Horizon | undefined;

  constructor(socket: Socket, at: number) {
    this.#socket = socket;
    this.#asked = at;
    this.#at = at;
  }

  get horizon(): Horizon | undefined {
    return this.#isAnswered ? this.#horizon : { at: this.#at, what: 'Berth' };
  }

  follow(monotonic: number): void {
    if (this.#isAnswered) this.tell({ at: monotonic });
  }

  tell(line: TimeLine): void {
    this.#asked = line.at;
    this.#isAnswered = false;
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  followed(at: number, horizon: Horizon | undefined): void {
    if (at < this.#asked) return;
    this.#isAnswered = true;
    this.#at = at;
    this.#horizon = horizon;
  }
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    for (const socket of sockets) socket.destroy();
  });
}

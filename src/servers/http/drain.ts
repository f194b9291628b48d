/** Ends a server: nothing new, what is being answered to its end, and at last whatever remains. */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../ports/clock.js';
import type { AnyServer } from './any-server.js';

export class Drain {
  readonly #clock: Clock;
  readonly #answering = new Set<ServerResponse>();
  /** Those in a TLS handshake too, which the server does not count among its own. */
  readonly #sockets = new Set<Socket>();
  #isClosing = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The handler, with its unfinished answers known. While the server ends, each tells its client to close. */
  tracking(app: RequestListener): RequestListener {
    return (request, response) => {
      this.#answering.add(response);
      response.on('close', () => {
        this.#answering.delete(response);
      });
      if (this.#isClosing) response.shouldKeepAlive = false;
      app(request, response);
    };
  }

  /** Knows the server's connections from their first moment. */
  watch(server: AnyServer): void {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => {
        this.#sockets.delete(socket);
      });
    });
  }

  /** Resolves when the last connection is gone. */
  async close(server: AnyServer, graceMillis: number): Promise<void> {
    this.#isClosing = true;
    for (const response of this.#answering) {
      if (!response.headersSent) response.shouldKeepAlive = false;
    }
    const cancel = this.#clock.timer(graceMillis, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    cancel();
  }
}

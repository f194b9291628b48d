/** A server on loopback with everything that a test wants to look at, and the plainest of clients. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Router } from 'express';
import { httpApp } from '../../../src/servers/http/http-app.js';
import { jsonBody } from '../../../src/servers/http/json-body.js';
import { listen, type HttpListener } from '../../../src/servers/http/listen.js';
import { Refusals } from '../../../src/servers/http/refusals.js';
import type { HttpLimits } from '../../../src/servers/http/limits.js';
import type { TlsOptions } from '../../../src/servers/http/tls-options.js';
import type { Clock } from '../../../src/ports/clock.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { recordingLogger, type LogLine } from '../../support/recording-logger.js';

export interface Serving {
  readonly listener: HttpListener;
  readonly url: string;
  /** Causes counted, in order. */
  readonly refused: readonly string[];
  readonly lines: readonly LogLine[];
}

export interface ServingOptions {
  readonly routers?: readonly Router[];
  readonly tls?: TlsOptions;
  readonly limits?: Partial<HttpLimits>;
  /** Loopback unless given. */
  readonly host?: string;
  readonly port?: number;
  readonly maxBytes?: number;
  readonly maxValues?: number;
  /** Of reading bodies; the instance's. */
  readonly clock?: Clock;
}

/** POST /echo answers the JSON that it was sent. */
export async function serve(options: ServingOptions = {}): Promise<Serving> {
  const {
    routers = [],
    tls,
    limits,
    host = '127.0.0.1',
    port = 0,
    maxBytes = 1000,
    maxValues = 1000,
    clock = systemClock,
  } = options;
  const refused: string[] = [];
  const { logger, lines } = recordingLogger();
  const counter = { inc: ({ cause }: { readonly cause: string }) => refused.push(cause) };
  const refusals = new Refusals({ server: 'test', counter, logger });
  const echo = Router();
  echo.post('/echo', jsonBody({ maxBytes, maxValues, clock, refusals }), (request, response) => {
    response.json({ body: request.body as unknown });
  });
  const app = httpApp({ routers: [echo, ...routers], refusals });
  const listener = await listen({
    ...{ app, host, port, tls, limits },
    ...{ clock: systemClock, logger, refusals },
  });
  return { listener, url: listener.url, refused, lines };
}

/** Sends the text over a connection of its own and answers everything that comes back until the server closes it. */
export async function exchange(port: number, message: string, address = '127.0.0.1'): Promise<string> {
  const socket = connect(port, address);
  await once(socket, 'connect');
  socket.write(message);
  return text(socket);
}

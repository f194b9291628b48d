/** Opens a server: plain or TLS, within limits, with certificates that change while it runs, and an orderly end. */
import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { AnyServer } from './any-server.js';
import { guardConnections } from './connection-faults.js';
import { DEFAULT_LIMITS, type HttpLimits } from './limits.js';
import type { Refusals } from './refusals.js';
import { secureContextOptions, serverTlsOptions, type TlsMaterial, type TlsOptions } from './tls-options.js';
import { TLSSocket } from 'node:tls';

/** How often connections are held against the time-outs. */
const CHECK_MILLIS = 500;

export interface ListenOptions {
  /** An express application, or any other handler of requests. */
  readonly app: RequestListener;
  /** Empty: all addresses, as `::` where the host has IPv6 (which takes IPv4, too) and as `0.0.0.0` where it has not. */
  readonly host: string;
  /** 0 for one that is free. */
  readonly port: number;
  /** Plain HTTP when it is left out. */
  readonly tls?: TlsOptions | undefined;
  /** Those of DEFAULT_LIMITS where they are not given. */
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly refusals: Refusals;
}

export interface HttpListener {
  /** `https://127.0.0.1:9443` */
  readonly url: string;
  readonly port: number;
  /**
   * New handshakes use this from now on; open connections stay as they are.
   * @throws Error when key and certificate do not belong together, and then nothing changes; or when it is no TLS server.
   */
  updateTls(material: TlsMaterial): void;
  /** Takes no more connections, lets requests that are being answered end, and after the grace closes what is left. */
  close(graceMillis: number): Promise<void>;
}

/** @throws Error naming server and address, when it cannot listen there. */
export async function listen(options: ListenOptions): Promise<HttpListener> {
  const { app, host, port, tls, clock, logger, refusals } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const drain = new Drain(clock);
  const admitted = tls?.clientNames === undefined ? app : onlyClients(tls.clientNames, app, refusals);
  const server = openServer(drain.tracking(admitted), tls, limits);
  drain.watch(server);
  guardConnections(server, refusals, limits, tls !== undefined);
  const log = logger.child({ server: refusals.server });
  try {
    // Without a host Node listens on :: with IPv4 mapped into it, and on 0.0.0.0 when the host has no IPv6 (net.Server.listen).
    server.listen({ port, ...(host !== '' && { host }) });
    await once(server, 'listening');
  } catch (error) {
    const place = `${bracketed(host)}:${String(port)}`;
    throw new Error(`cannot serve ${refusals.server} at ${place}: ${String(error)}`, { cause: error });
  }
  server.on('error', (error) => {
    log.error('Server error', { error: error.message });
  });
  const { address, port: taken } = server.address() as AddressInfo;
  const named = host === '' ? address : host;
  const url = `${tls === undefined ? 'http' : 'https'}://${bracketed(named)}:${String(taken)}`;
  log.info('Listening', { url });
  return {
    url,
    port: taken,
    updateTls: (material) => {
      if (tls === undefined)
        throw new Error(`${refusals.server} is served without TLS: it has no certificate`);
      (server as TlsServer).setSecureContext(secureContextOptions(material, tls));
      log.info('Reloaded certificates');
    },
    close: (graceMillis) => drain.close(server, graceMillis),
  };
}

function openServer(app: RequestListener, tls: TlsOptions | undefined, limits: HttpLimits): AnyServer {
  const options = {
    headersTimeout: limits.headersTimeoutMillis,
    requestTimeout: limits.requestTimeoutMillis,
    maxHeaderSize: limits.maxHeaderBytes,
    keepAliveTimeout: limits.keepAliveMillis,
    connectionsCheckingInterval: CHECK_MILLIS,
  };
  const server =
    tls === undefined
      ? createPlainServer(options, app)
      : createTlsServer({ ...options, ...serverTlsOptions(tls) }, app);
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.timeout = limits.stalledMillis;
  return server;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * The CA signs several certificates; the common name decides which clients are allowed here. A certificate is read once
 * for each connection: node hashes it and copies all of it each time, which takes longer than a small answer.
 */
function onlyClients(names: readonly string[], app: RequestListener, refusals: Refusals): RequestListener {
  const known = new WeakMap<object, string | undefined>();
  const nameOf = (socket: object): string | undefined => {
    if (!known.has(socket)) known.set(socket, commonNameOf(socket));
    return known.get(socket);
  };
  return (request, response) => {
    const name = nameOf(request.socket);
    if (name !== undefined && names.includes(name)) app(request, response);
    else {
      const said = name === undefined ? 'has no certificate' : `is ${JSON.stringify(name.slice(0, 100))}`;
      refusals.answer(response, 'client-name', `the client ${said}; it must be ${names.join(' or ')}`);
    }
  };
}

function commonNameOf(socket: unknown): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  const name = (subject as { readonly CN?: unknown } | undefined)?.CN;
  return typeof name === 'string' ? name : undefined;
}

/** Ends a server: nothing new, what is being answered to its end, and at last whatever remains. */
class Drain {
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

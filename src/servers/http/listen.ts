/** Opens a server: plain or TLS, within limits, with certificates that change while it runs, and an orderly end. */
import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { AnyServer } from './any-server.js';
import { onlyClients } from './client-name.js';
import { guardConnections } from './connection-faults.js';
import { Drain } from './drain.js';
import { DEFAULT_LIMITS, type HttpLimits } from './limits.js';
import type { Refusals } from './refusals.js';
import { secureContextOptions, serverTlsOptions, type TlsMaterial, type TlsOptions } from './tls-options.js';

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

/** Serves a wire handler over HTTP or HTTPS, with answers that are streamed. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { WireAnswer, WireHandler, WireRequest } from './wire.js';

export interface ServeWireOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string | undefined;
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** PEM; without it the server speaks plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  readonly maxBodyBytes?: number | undefined;
}

export interface ServedWire {
  /** `http://127.0.0.1:40123` */
  readonly url: string;
  /** Cuts all connections. */
  close(): Promise<void>;
}

const MOST_BODY_BYTES = 16 * 2 ** 20;
/** Longer than clients keep a connection for the next request. */
const KEEP_ALIVE_MILLIS = 75_000;

/** @throws Error where the address is not available. */
export async function serveWire(handler: WireHandler, options: ServeWireOptions = {}): Promise<ServedWire> {
  const { host = '127.0.0.1', port = 0, tls, maxBodyBytes = MOST_BODY_BYTES } = options;
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    void answer(handler, incoming, response, maxBodyBytes);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer({ ...tls }, listener);
  server.keepAliveTimeout = KEEP_ALIVE_MILLIS;
  // A watch is a request without end.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `${tls === undefined ? 'http' : 'https'}://${name}:${String(taken)}`;
  return { url, close: () => close(server) };
}

function close(server: Server | TlsServer): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => {
      if (error) reject(error);
      else resolve();
    });
    server.closeAllConnections();
  });
}

async function answer(
  handler: WireHandler,
  incoming: IncomingMessage,
  response: ServerResponse,
  maxBodyBytes: number,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
  });
  try {
    const body = await readBody(incoming, maxBodyBytes);
    if (body === undefined) {
      response.writeHead(413, { connection: 'close' });
      response.end();
      return;
    }
    await send(await handler(requestOf(incoming, body), gone.signal), response, gone.signal);
  } catch {
    // A broken connection is the fault itself: there is no client for an answer.
    response.destroy();
  }
}

function requestOf({ method = 'GET', url = '/', headers }: IncomingMessage, body: string): WireRequest {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return { method, path: url, headers: Object.fromEntries(named), body };
}

/** undefined: it is too long. What is no text becomes one character for each byte. */
async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return bytes.toString(isBinary(incoming.headers) ? 'latin1' : 'utf8');
}

function isBinary({ 'content-type': type = '' }: IncomingMessage['headers']): boolean {
  return type.startsWith('application/vnd.kubernetes.protobuf') || type === 'application/octet-stream';
}

async function send(
  { status, headers, body }: WireAnswer,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted) return;
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    response.end(body);
    return;
  }
  response.writeHead(status, { ...headers });
  // The client learns at once that its watch is open.
  response.flushHeaders();
  for await (const piece of body) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response, gone);
  }
  response.end();
}

function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go);
      gone.removeEventListener('abort', go);
      resolve();
    };
    response.once('drain', go);
    gone.addEventListener('abort', go, { once: true });
  });
}

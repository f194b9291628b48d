/** A memory cloud behind HTTP on loopback, so that its machines survive the process that bought them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cloud } from '../../ports/cloud.js';
import { PortError } from '../../ports/port-error.js';
import { CLOUD_OPERATIONS, type CloudOperations } from './cloud-operations.js';
import { decodeWire, encodeWire } from './wire-json.js';

export interface ServeOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** 127.0.0.1 by default. */
  readonly host?: string | undefined;
}

export interface ServedCloud {
  readonly url: string;
  close(): Promise<void>;
}

const LONGEST_BODY_BYTES = 4 * 2 ** 20;

/** One POST per operation: `/launch` with the arguments as a JSON array. A PortError is answered as its code and message. */
export async function serveMemoryCloud(cloud: Cloud, options: ServeOptions = {}): Promise<ServedCloud> {
  const { host = '127.0.0.1', port = 0 } = options;
  const server = createServer((request, response) => {
    void answer(cloud, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return { url: `http://${host}:${String(address.port)}`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => {
      if (error) reject(error);
      else resolve();
    });
    server.closeAllConnections();
  });
}

async function answer(cloud: Cloud, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
  });
  try {
    const operation = operationOf(request);
    const parameters = decodeWire(await readBody(request)) as readonly unknown[];
    const result = await operation(cloud, parameters, gone.signal);
    reply(response, 200, { result });
  } catch (error) {
    reply(response, error instanceof PortError ? 400 : 500, { error: describe(error) });
  }
}

/** @throws PortError Invalid, for anything but a POST of JSON to a known path: no browser page sends that unasked. */
function operationOf({ method, url = '', headers }: IncomingMessage): CloudOperations[keyof CloudOperations] {
  const name = url.slice(1);
  const isCall = method === 'POST' && headers['content-type'] === 'application/json';
  if (isCall && Object.hasOwn(CLOUD_OPERATIONS, name)) return CLOUD_OPERATIONS[name as keyof CloudOperations];
  throw new PortError('Invalid', {
    operation: `${method ?? ''} ${url}`,
    message: `POST application/json to one of ${Object.keys(CLOUD_OPERATIONS).join(', ')}`,
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_BODY_BYTES)
      throw new PortError('Invalid', { operation: 'read body', message: 'more than 4 MiB' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function describe(error: unknown): object {
  if (!(error instanceof PortError))
    return { code: 'Unavailable', operation: 'memory cloud', message: String(error) };
  const { code, message, retryAfterMillis } = error;
  return { code, message, retryAfterMillis };
}

function reply(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(encodeWire(body));
}

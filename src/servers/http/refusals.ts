/** How a server says no: one closed set of causes, each with its status, counted and answered in one way. */
import type { ServerResponse } from 'node:http';
import type { Logger } from '../../ports/logger.js';

/** Cause → HTTP status; 0 where the client is gone. */
const STATUS = {
  'bad-request': 400,
  'not-json': 400,
  'not-utf8': 400,
  'too-deep': 400,
  'not-a-review': 400,
  'client-name': 403,
  'host-name': 403,
  'not-found': 404,
  method: 405,
  timeout: 408,
  'too-large': 413,
  'too-many-values': 413,
  'content-type': 415,
  'content-encoding': 415,
  'headers-too-large': 431,
  internal: 500,
  overload: 503,
  busy: 409,
  aborted: 0,
  connections: 0,
  handshake: 0,
} as const;

export type RefusalCause = keyof typeof STATUS;

/** A counter with the labels `server` and `cause`. */
export interface RefusedCounter {
  inc(labels: { readonly server: string; readonly cause: string }): void;
}

export interface RefusalsOptions {
  /** Name of the server in metrics and logs: `webhooks`, `extender`, … */
  readonly server: string;
  readonly counter: RefusedCounter;
  readonly logger: Logger;
}

export class Refusals {
  readonly server: string;
  readonly #counter: RefusedCounter;
  readonly #logger: Logger;

  constructor({ server, counter, logger }: RefusalsOptions) {
    this.server = server;
    this.#counter = counter;
    this.#logger = logger;
  }

  /** Counts what cannot be answered, or was. */
  count(cause: RefusalCause, error?: unknown): void {
    this.#counter.inc({ server: this.server, cause });
    const fields = { cause, ...(error !== undefined && { error: textOf(error) }) };
    if (cause === 'internal') this.#logger.error('Request failed', fields);
    else this.#logger.debug('Rejected request', fields);
  }

  /**
   * Counts, and answers `{"error": {"cause": …, "message": …}}`. The connection ends with it, so that no client keeps one
   * by asking for nothing. The error goes only to the log.
   */
  answer(response: ServerResponse, cause: RefusalCause, message: string, error?: unknown): void {
    this.count(cause, error);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    response.statusCode = STATUS[cause];
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    response.end(refusalText(cause, message));
  }
}

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Connection: 'close' };

/** The answer as it goes over the wire, for connections that never had a request that could be read. */
export function rawRefusal(cause: RefusalCause, message: string): string {
  const body = refusalText(cause, message);
  const headers = { ...HEADERS, 'Content-Length': String(new TextEncoder().encode(body).length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${String(STATUS[cause])} Refused`, ...lines, '', body].join('\r\n');
}

function refusalText(cause: RefusalCause, message: string): string {
  return JSON.stringify({ error: { cause, message } });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

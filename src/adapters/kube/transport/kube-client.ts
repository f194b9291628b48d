/** Speaks to the Kubernetes API: JSON in, JSON out, and every failure a PortError. Nothing is tried again here but a 401. */
import type { Clock } from '../../../ports/clock.js';
import { hasCode, PortError } from '../../../ports/port-error.js';
import { withDeadline } from '../../../runtime/time/deadline.js';
import { linkedSignal } from '../../../runtime/time/linked-signal.js';
import { TokenBucket } from '../../../runtime/concurrency/token-bucket.js';
import { Agents, type SocketUse } from './agents.js';
import type { KubeConnection, KubeConnectionSource } from './connection.js';
import { readBody, send, type HttpAnswer, type Outgoing, type Send } from './exchange.js';
import { errorOfFailure, errorOfRefusal } from './status-error.js';

export interface KubeClientOptions {
  readonly connection: KubeConnectionSource;
  readonly clock: Clock;
  /** `berth/<version>`: how audit logs and priority levels know us. */
  readonly userAgent: string;
  /** Requests per second in the long run, not counting watches and what is sent at once (`Urgency`); 50. */
  readonly qps?: number | undefined;
  /** Requests at once; 100. */
  readonly burst?: number | undefined;
  /** Until the whole answer is there, and for watches until it begins; 10,000. Waiting for one's turn is not counted. */
  readonly timeoutMillis?: number | undefined;
  /** Larger answers fail; 64 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Hears of every response, and of requests without one. */
  readonly onExchange?: ((exchange: KubeExchange) => void) | undefined;
  /** How requests get there; over sockets. */
  readonly send?: Send | undefined;
  /** Asked right before each request that changes something is sent. What it answers is why the request is not sent. */
  readonly refuse?: RefuseChange | undefined;
}

/** A request that changes something, as it would be sent. */
export interface KubeChange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: Buffer | undefined;
}

/** Why a change must not be sent; undefined where it may. */
export type RefuseChange = (change: KubeChange) => string | undefined;

/**
 * How long a request waits for its turn where there are more than `qps` allows. `at-once`: not at all, and with sockets of its
 * own. `first`: before all others. `late`: others that come up to ten seconds after it go before it.
 */
type Urgency = 'at-once' | 'first' | 'usual' | 'late';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface KubeStreamRequest {
  /** `/api/v1/pods`; names in it have passed `pathSegment`. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For errors; method and path where it is not given. */
  readonly operation?: string | undefined;
}

export interface KubeRequest extends KubeStreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; application/json. See write-formats.ts for those of patches. */
  readonly contentType?: string | undefined;
  /** usual, unless given. */
  readonly urgency?: Urgency | undefined;
  /** Instead of the client's. */
  readonly timeoutMillis?: number | undefined;
  /** Called when the request has waited for its turn, right before it is sent; what it throws is thrown, and nothing is sent. */
  readonly permit?: (() => void) | undefined;
}

export interface KubeAnswer {
  /** Parsed JSON; undefined when there was none. */
  readonly body: unknown;
  readonly bytes: number;
  /** The header Date, by the server's clock; undefined where it is not sent. */
  readonly date?: string | undefined;
}

/** A request that was sent. */
export interface KubeExchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Status of the response; 0 without one. */
  readonly status: number;
  /** Until the response began. */
  readonly millis: number;
}

/** By how much a request lets others go first, in milliseconds. */
const PATIENCE: Readonly<Record<Exclude<Urgency, 'at-once'>, number>> = {
  first: -Infinity,
  usual: 0,
  late: 10_000,
};

/** Headers of every request. */
interface Message extends Pick<Outgoing, 'method' | 'path' | 'body'> {
  readonly operation: string;
  readonly contentType: string | undefined;
  readonly use: SocketUse;
}

export class KubeClient {
  readonly #options: Omit<KubeClientOptions, 'timeoutMillis' | 'maxAnswerBytes'>;
  readonly #timeoutMillis: number;
  readonly #maxAnswerBytes: number;
  readonly #limiter: TokenBucket;
  readonly #agents = new Agents();

  constructor(options: KubeClientOptions) {
    const {
      clock,
      qps = 50,
      burst = 100,
      timeoutMillis = 10_000,
      maxAnswerBytes = 64 * 1024 * 1024,
    } = options;
    this.#options = options;
    this.#timeoutMillis = timeoutMillis;
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#limiter = new TokenBucket({ capacity: burst, refillPerSecond: qps, clock });
  }

  /** The answer's parsed JSON, undefined when it has no body. @throws PortError */
  async request(request: KubeRequest): Promise<unknown> {
    return (await this.exchange(request)).body;
  }

  /** As `request`, and how large the answer was. @throws PortError */
  async exchange(request: KubeRequest): Promise<KubeAnswer> {
    const { signal, method, contentType, body, urgency = 'usual' } = request;
    const message: Message = {
      ...messageTo(method, request),
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      contentType: body === undefined ? undefined : (contentType ?? 'application/json'),
      use: urgency === 'at-once' ? 'urgent' : 'request',
    };
    if (urgency !== 'at-once') await this.#limiter.take(1, signal, PATIENCE[urgency]);
    request.permit?.();
    const millis = request.timeoutMillis ?? this.#timeoutMillis;
    const { operation } = message;
    return withDeadline({ clock: this.#options.clock, millis, signal, operation }, (deadline) =>
      this.#authorized(async (connection) => {
        const response = await this.#send(message, connection, deadline);
        const text = await this.#read(operation, response);
        return { body: parse(operation, text), bytes: text.length, date: response.headers.date };
      }),
    );
  }

  /**
   * The bytes of a response that continues until the server ends it or the signal is aborted. Reading them fails with an
   * Error when the connection breaks, and with the signal's reason.
   * @throws PortError
   */
  async stream(request: KubeStreamRequest): Promise<AsyncIterable<Uint8Array>> {
    const message: Message = {
      ...messageTo('GET', request),
      body: undefined,
      contentType: undefined,
      use: 'watch',
    };
    const { clock } = this.#options;
    const { operation } = message;
    // Lives on after the deadline has been met, since aborting has to end the stream later too.
    const life = linkedSignal(request.signal);
    try {
      const response = await withDeadline(
        { clock, millis: this.#timeoutMillis, signal: life.signal, operation },
        (deadline) => {
          deadline.addEventListener('abort', () => {
            life.abort(deadline.reason);
          });
          return this.#authorized((connection) => this.#send(message, connection, life.signal));
        },
      );
      response.once('close', () => {
        life.unlink();
      });
      return response;
    } catch (error) {
      life.unlink();
      throw error;
    }
  }

  /** Ends all connections, those in use too. */
  close(): void {
    this.#agents.close();
  }

  /** A 401 means that nothing happened yet: with new credentials the same can be asked again. */
  async #authorized<T>(attempt: (connection: KubeConnection) => Promise<T>): Promise<T> {
    const { connection: source } = this.#options;
    const connection = await source.current();
    try {
      return await attempt(connection);
    } catch (error) {
      if (!hasCode(error, 'Unauthorized')) throw error;
      const fresh = await source.reload(connection);
      if (isSame(fresh, connection)) throw error;
      return attempt(fresh);
    }
  }

  async #send(message: Message, connection: KubeConnection, signal: AbortSignal): Promise<HttpAnswer> {
    const { server } = connection;
    const { operation, method, body, contentType, use } = message;
    const refusal = method === 'GET' ? undefined : this.#options.refuse?.(message);
    if (refusal !== undefined) throw new PortError('ReadOnly', { operation, message: refusal });
    const outgoing: Outgoing = {
      server,
      agent: this.#agents.agentFor(use, connection),
      method,
      path: server.pathname.replace(/\/$/, '') + message.path,
      body,
      headers: {
        ...connection.headers,
        accept: 'application/json',
        'user-agent': this.#options.userAgent,
        ...(contentType !== undefined && { 'content-type': contentType }),
        // Node leaves the length of a DELETE's body out, which then reads as the next request.
        ...(body !== undefined && { 'content-length': String(body.length) }),
      },
    };
    const { clock, onExchange } = this.#options;
    const start = clock.monotonic();
    const tell = (status: number): void =>
      onExchange?.({ method, path: message.path, status, millis: clock.monotonic() - start });
    const response = await (this.#options.send ?? send)(outgoing, signal).catch((error: unknown) => {
      tell(0);
      throw errorOfFailure(operation, error);
    });
    const { statusCode: httpStatus = 0, headers } = response;
    tell(httpStatus);
    if (httpStatus >= 200 && httpStatus < 300) return response;
    throw errorOfRefusal({
      operation,
      isEviction: /\/eviction(\?|$)/.test(message.path),
      httpStatus,
      retryAfter: headers['retry-after'],
      body: (await this.#read(operation, response)).toString(),
      now: clock.now(),
    });
  }

  async #read(operation: string, response: HttpAnswer): Promise<Buffer> {
    try {
      return await readBody(response, this.#maxAnswerBytes);
    } catch (error) {
      throw errorOfFailure(operation, error);
    }
  }
}

function messageTo(
  method: string,
  { path, query = {}, operation = `${method} ${path}` }: KubeStreamRequest,
): Pick<Message, 'method' | 'path' | 'operation'> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return { method, operation, path: text === '' ? path : `${path}?${text}` };
}

function parse(operation: string, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw errorOfFailure(operation, error);
  }
}

function isSame(one: KubeConnection, other: KubeConnection): boolean {
  return (
    one === other || JSON.stringify([one.tls, one.headers]) === JSON.stringify([other.tls, other.headers])
  );
}

/** The AWS SDK's way to a wire handler in the same process: no sockets, no clock. */
import { Readable } from 'node:stream';
import type { WireAnswer, WireHandler } from '../../src/simulator/wire/wire.js';

/** What the SDK hands to its request handler. */
interface SdkRequest {
  readonly method: string;
  readonly hostname: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: Readable;
  };
}

/** As much of the SDK's HttpHandler as its clients use. */
export interface InProcessHandler {
  handle(request: SdkRequest, options?: { readonly abortSignal?: unknown }): Promise<SdkResponse>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

/** A requestHandler for SDK clients. An aborted signal comes out as an AbortError, as from the SDK's own handler. */
export function inProcessAws(handle: WireHandler): InProcessHandler {
  return {
    handle: async (request, options) => {
      const signal = options?.abortSignal;
      const answer = await asAbortError(
        handle(
          {
            method: request.method,
            path: pathOf(request),
            headers: lowerCase({ host: request.hostname, ...request.headers }),
            body: bodyText(request.body),
          },
          signal instanceof AbortSignal ? signal : new AbortController().signal,
        ),
        signal,
      );
      return {
        response: {
          statusCode: answer.status,
          headers: { ...answer.headers },
          body: Readable.from(typeof answer.body === 'string' ? [Buffer.from(answer.body)] : answer.body),
        },
      };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

export interface InProcessConfig {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly maxAttempts: number;
  readonly requestHandler: InProcessHandler;
}

/** What every SDK client needs to speak to a simulator in this process, without retries of its own. */
export function inProcessConfig(handle: WireHandler, region = 'eu-west-3'): InProcessConfig {
  return {
    region,
    endpoint: 'http://aws.simulator.test',
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
    maxAttempts: 1,
    requestHandler: inProcessAws(handle),
  };
}

async function asAbortError(answer: Promise<WireAnswer>, signal: unknown): Promise<WireAnswer> {
  try {
    return await answer;
  } catch (error) {
    if (!(signal instanceof AbortSignal) || !signal.aborted) throw error;
    throw Object.assign(new Error('Request aborted', { cause: error }), { name: 'AbortError' });
  }
}

function pathOf({ path, query = {} }: SdkRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  );
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body;
  // The SDK's own kind of bytes warns when it is copied by Buffer.
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (body === undefined || body === null) return '';
  throw new TypeError('the request body is neither text nor bytes');
}

/** Calls that never leave this process: the SDK's HTTP client replaced by a function, as a simulator offers one. */
import type { SdkRequest, SdkRequestHandler } from '../../src/clouds/aws/adapter/client/sdk-clients.js';

/** A request as it would be on the wire. */
export interface ExchangeRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

export type Exchange = (request: ExchangeRequest, signal: AbortSignal) => Promise<ExchangeAnswer>;

/** Has the function answer what the SDK asks. */
export function inProcessHandler(exchange: Exchange): SdkRequestHandler {
  return {
    handle: async (request, { abortSignal } = {}) => {
      const signal = abortSignal instanceof AbortSignal ? abortSignal : new AbortController().signal;
      const { status, headers, body } = await exchange(onTheWire(request), signal);
      const text = typeof body === 'string' ? body : await joined(body);
      return {
        response: { statusCode: status, headers: { ...headers }, body: new TextEncoder().encode(text) },
      };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

function onTheWire({ method, path, query = {}, headers, body }: SdkRequest): ExchangeRequest {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((text): [string, string] => [name, text]),
  );
  const search = new URLSearchParams(pairs).toString();
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: bodyText(body),
  };
}

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

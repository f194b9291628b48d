/** A server between Berth and moto that does what moto never does: refuse, be silent, hang up. */
import { serveWire, type ServedWire } from '../../world/wire/serve-wire.js';
import type { WireHandler, WireRequest } from '../../world/wire/wire.js';

export interface ProxyFault {
  readonly action: string;
  /** Of the requests from now on; 1 unless given. */
  readonly times?: number;
  /**
   * `throttled`: as EC2 says so, or SQS. `web page`: what a gateway answers. `silence`: nobody answers, and nothing is done.
   * `hung up`: it is done, and the connection breaks.
   */
  readonly kind: 'throttled' | 'web page' | 'silence' | 'hung up';
}

export interface FaultProxy {
  readonly url: string;
  readonly requests: readonly { readonly action: string; readonly body: string }[];
  meet(fault: ProxyFault): void;
  close(): Promise<void>;
}

type WireAnswer = Awaited<ReturnType<WireHandler>>;

/** Of its headers those that are about the connection. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const requests: { readonly action: string; readonly body: string }[] = [];
  const faults: { readonly fault: ProxyFault; left: number }[] = [];
  const served: ServedWire = await serveWire(async (request, signal) => {
    const action = actionOf(request);
    requests.push({ action, body: request.body });
    const due = faults.find(({ fault, left }) => fault.action === action && left > 0);
    if (due === undefined) return forward(target, request, signal);
    due.left--;
    return meet(due.fault, () => forward(target, request, signal), { request, signal });
  });
  return {
    url: served.url,
    requests,
    meet: (fault) => {
      faults.push({ fault, left: fault.times ?? 1 });
    },
    close: () => served.close(),
  };
}

async function meet(
  { kind }: ProxyFault,
  act: () => Promise<WireAnswer>,
  { request, signal }: { readonly request: WireRequest; readonly signal: AbortSignal },
): Promise<WireAnswer> {
  switch (kind) {
    case 'throttled':
      return request.headers['x-amz-target'] === undefined ? THROTTLED_EC2 : THROTTLED_SQS;
    case 'web page':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><body>Bad Gateway</body></html>',
      };
    case 'silence':
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true });
      });
      throw new Error('the caller has given up');
    case 'hung up':
      await act();
      throw new Error('the connection breaks');
  }
}

const THROTTLED_EC2: WireAnswer = {
  status: 503,
  headers: { 'content-type': 'text/xml' },
  body: '<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message></Error></Errors><RequestID>0</RequestID></Response>',
};
const THROTTLED_SQS: WireAnswer = {
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-query-error': 'RequestThrottled;Sender' },
  body: '{"__type":"com.amazonaws.sqs#RequestThrottled","message":"Request is throttled."}',
};

function actionOf({ headers, body, path }: WireRequest): string {
  return headers['x-amz-target']?.split('.')[1] ?? new URLSearchParams(body).get('Action') ?? path;
}

async function forward(target: string, request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
  const { method, path, headers, body } = request;
  const answer = await fetch(`${target}${path}`, {
    method,
    headers: withoutConnection(Object.entries(headers)),
    body: method === 'GET' ? null : body,
    signal,
  });
  return { status: answer.status, headers: withoutConnection(answer.headers), body: await answer.text() };
}

function withoutConnection(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase())));
}

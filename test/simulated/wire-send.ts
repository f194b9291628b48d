/** Berth's Kubernetes client on the simulated API without a socket between them. */
import { Readable } from 'node:stream';
import type { Outgoing, Send } from '../../src/adapters/kube/transport/exchange.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import type { WireHandler } from '../../world/wire/wire.js';

/** Time stands still until an answer begins; a watch then goes on as time passes. */
export function wireSend(handler: WireHandler, clock: VirtualClock): Send {
  return async ({ method, path, headers, body }: Outgoing, signal) => {
    const request = { method, path, headers, body: body?.toString('utf8') ?? '' };
    const answer = await clock.track(handler(request, signal));
    const stream = Readable.from(bytesOf(answer.body));
    signal.addEventListener('abort', () => stream.destroy(asError(signal.reason)), { once: true });
    return Object.assign(stream, { statusCode: answer.status, headers: answer.headers });
  };
}

async function* bytesOf(body: string | AsyncIterable<string>): AsyncGenerator<Buffer> {
  if (typeof body === 'string') yield Buffer.from(body);
  else for await (const piece of body) yield Buffer.from(piece);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

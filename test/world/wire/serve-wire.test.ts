/** A wire handler behind real sockets: whole answers, streams, broken connections. TLS is tested with webhooks. */
import { once } from 'node:events';
import { get, request as plainRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { serveWire } from '../../../world/wire/serve-wire.js';
import type { WireHandler, WireRequest } from '../../../world/wire/wire.js';

function answering(body: string): { readonly handler: WireHandler; readonly seen: WireRequest[] } {
  const seen: WireRequest[] = [];
  const handler: WireHandler = (request) => {
    seen.push(request);
    return Promise.resolve({ status: 201, headers: { 'x-own': 'yes' }, body });
  };
  return { handler, seen };
}

describe('serveWire', () => {
  test('hands the request on, and the answer back', async () => {
    const { handler, seen } = answering('håndled');
    const served = await serveWire(handler);
    const outgoing = plainRequest(`${served.url}/a/b?c=d`, { method: 'PUT', headers: { 'X-Mixed': 'Case' } });
    outgoing.end('body');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect([incoming.statusCode, incoming.headers['x-own'], await text(incoming)]).toEqual([
      201,
      'yes',
      'håndled',
    ]);
    expect(seen).toMatchObject([
      { method: 'PUT', path: '/a/b?c=d', headers: { 'x-mixed': 'Case' }, body: 'body' },
    ]);
    await served.close();
  });

  test('passes pieces on as they come, and tells the handler when the client has gone', async () => {
    let release: (() => void) | undefined;
    let aborted: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    async function* pieces(): AsyncGenerator<string> {
      yield 'one\n';
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      yield 'two\n';
      await new Promise<void>(() => undefined);
    }
    const served = await serveWire((_, signal) => {
      signal.addEventListener('abort', () => aborted?.());
      return Promise.resolve({ status: 200, headers: {}, body: pieces() });
    });
    const outgoing = get(served.url);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const [first] = (await once(incoming, 'data')) as [Buffer];
    release?.();
    const [second] = (await once(incoming, 'data')) as [Buffer];
    expect([String(first), String(second)]).toEqual(['one\n', 'two\n']);
    outgoing.destroy();
    await gone;
    await served.close();
  });

  test('breaks the connection where the handler does', async () => {
    const served = await serveWire(() => Promise.reject(new Error('a fault')));
    const outgoing = get(served.url);
    const [error] = (await once(outgoing, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    await served.close();
  });

  test('refuses what is too large', async () => {
    const { handler, seen } = answering('');
    const served = await serveWire(handler, { maxBodyBytes: 10 });
    const outgoing = plainRequest(served.url, { method: 'POST' });
    outgoing.end('x'.repeat(11));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    incoming.resume();
    expect(incoming.statusCode).toBe(413);
    expect(seen).toEqual([]);
    await served.close();
  });
});

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { type KubeConnectionSource } from '../../../../src/adapters/kube/transport/connection.js';
import { staticConnection } from '../../../support/static-connection.js';
import {
  KubeClient,
  type KubeClientOptions,
  type KubeRequest,
} from '../../../../src/adapters/kube/transport/kube-client.js';
import { MERGE_PATCH } from '../../../../src/adapters/kube/transport/write-formats.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { freePorts } from '../../../controlplane/fixture/process/free-port.js';
import { eventually } from '../../../controlplane/fixture/eventually.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { FakeApiServer, hang, json, reset, status } from './fake-api-server.js';

describe('KubeClient', () => {
  let server: FakeApiServer;
  let client: KubeClient;

  beforeEach(async () => {
    server = await FakeApiServer.start();
    client = clientOf({});
  });

  afterEach(async () => {
    client.close();
    await server.stop();
  });

  function clientOf(options: Partial<KubeClientOptions>): KubeClient {
    return new KubeClient({
      connection: staticConnection({ server: server.url, token: 'secret\n' }),
      clock: systemClock,
      userAgent: 'berth/1.2.3',
      ...options,
    });
  }

  const GET: KubeRequest = { method: 'GET', path: '/api/v1/nodes/a' };

  describe('request', () => {
    test('sends JSON with who we are, and answers parsed JSON', async () => {
      server.answerNext('other', json(200, { kind: 'Node', metadata: { name: 'a' } }));
      const answer = await client.request({
        method: 'PATCH',
        path: '/api/v1/nodes/a',
        query: { fieldManager: 'berth', force: true, dryRun: undefined },
        body: { metadata: { labels: { a: 'ü' } } },
        contentType: MERGE_PATCH,
      });
      expect(answer).toEqual({ kind: 'Node', metadata: { name: 'a' } });
      const [request] = server.requests;
      expect(request).toMatchObject({ method: 'PATCH', path: '/api/v1/nodes/a' });
      expect(request?.query.toString()).toBe('fieldManager=berth&force=true');
      expect(JSON.parse(request?.body ?? '')).toEqual({ metadata: { labels: { a: 'ü' } } });
      expect(request?.headers).toMatchObject({
        accept: 'application/json',
        authorization: 'Bearer secret',
        'content-type': 'application/merge-patch+json',
        'user-agent': 'berth/1.2.3',
      });
    });

    test('tells how each request ended, also without a response', async () => {
      const told: unknown[] = [];
      client = clientOf({ onExchange: ({ method, path, status }) => told.push([method, path, status]) });
      server.answerNext('other', json(200, {}), status(404), reset);
      await client.request(GET);
      await expect(client.request({ ...GET, query: { a: 1 } })).rejects.toMatchObject({ code: 'NotFound' });
      await expect(client.request(GET)).rejects.toThrow();
      expect(told).toEqual([
        ['GET', '/api/v1/nodes/a', 200],
        ['GET', '/api/v1/nodes/a?a=1', 404],
        ['GET', '/api/v1/nodes/a', 0],
      ]);
    });

    test('answers undefined when there is no body', async () => {
      server.answerNext('other', (response) => response.end());
      expect(await client.request(GET)).toBeUndefined();
      expect(server.requests[0]?.headers['content-type']).toBeUndefined();
    });

    test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('sends the body of a %s whole', async (method) => {
      server.answerNext('other', json(200, {}), json(200, {}));
      await client.request({ ...GET, method, body: { preconditions: { uid: 'ü' } } });
      await client.request({ ...GET, method, body: { again: true } });
      expect(server.requests.map(({ body }) => body)).toEqual([
        '{"preconditions":{"uid":"ü"}}',
        '{"again":true}',
      ]);
    });

    test('keeps the path under which the API lies', async () => {
      client = clientOf({ connection: staticConnection({ server: `${server.url}/clusters/one/` }) });
      server.answerNext('other', json(200, {}));
      await client.request(GET);
      expect(server.requests[0]?.path).toBe('/clusters/one/api/v1/nodes/a');
    });

    test('uses one connection for requests that follow each other', async () => {
      const ports = new Set<number | undefined>();
      for (let index = 0; index < 5; index += 1) {
        server.answerNext('other', (response, request) => {
          ports.add(response.socket?.remotePort);
          json(200, {})(response, request);
        });
        await client.request(GET);
      }
      expect(ports.size).toBe(1);
    });

    test('fails with the code of the Status, and says what was asked', async () => {
      server.answerNext(
        'other',
        status(409, { reason: 'Conflict', message: 'the object has been modified' }),
      );
      await expect(client.request({ ...GET, operation: 'patch nodes/a' })).rejects.toMatchObject({
        name: 'PortError',
        code: 'Conflict',
        message: 'patch nodes/a: 409 the object has been modified',
      });
      await expect(client.request(GET)).rejects.toMatchObject({
        code: 'NotFound',
        message: expect.stringContaining('GET /api/v1/nodes/a: 404') as string,
      });
    });

    test('knows an eviction by its path', async () => {
      const details = { causes: [{ reason: 'DisruptionBudget' }], retryAfterSeconds: 10 };
      server.answerNext(
        'other',
        status(429, { reason: 'TooManyRequests', details }, { 'retry-after': '10' }),
      );
      const request: KubeRequest = {
        method: 'POST',
        path: '/api/v1/namespaces/ns/pods/p/eviction',
        body: {},
      };
      await expect(client.request(request)).rejects.toMatchObject({
        code: 'Blocked',
        retryAfterMillis: 10_000,
      });
    });

    test('is Unavailable when the connection is refused, reset, or cut in the middle of the answer', async () => {
      const [port = 0] = await freePorts(1);
      const nobody = clientOf({
        connection: staticConnection({ server: `http://127.0.0.1:${String(port)}` }),
      });
      await expect(nobody.request(GET)).rejects.toMatchObject({
        code: 'Unavailable',
        message: expect.stringContaining('ECONNREFUSED') as string,
      });
      server.answerNext('other', reset, (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"half":', () => response.socket?.destroy());
      });
      await expect(client.request(GET)).rejects.toMatchObject({ code: 'Unavailable' });
      await expect(client.request(GET)).rejects.toMatchObject({ code: 'Unavailable' });
    });

    test('is Unavailable when the answer is not JSON', async () => {
      server.answerNext('other', (response) => response.end('<html>'));
      await expect(client.request(GET)).rejects.toMatchObject({ code: 'Unavailable' });
    });

    test('is TimedOut when there is no answer in time, and when it does not come to its end', async () => {
      const clock = new VirtualClock();
      client = clientOf({ clock });
      server.answerNext('other', hang, (response) => {
        response.writeHead(200);
        response.write('{');
      });
      for (const round of [1, 2]) {
        const asked = client.request({ ...GET, operation: 'get nodes/a' });
        const failed = failureOf(asked);
        await eventually('the request', () => server.count('other') === round);
        await clock.advance(9_999);
        await clock.advance(1);
        expect(await failed).toMatchObject({
          code: 'TimedOut',
          message: expect.stringMatching(/^get nodes\/a: /) as string,
        });
      }
      expect(clock.pending).toBe(0);
    });

    test('is Cancelled when the signal is aborted before, while it waits its turn, and while it is asked', async () => {
      await expect(client.request({ ...GET, signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: 'Cancelled',
      });
      expect(server.requests).toEqual([]);

      const stop = new AbortController();
      server.answerNext('other', hang);
      const asked = client.request({ ...GET, signal: stop.signal });
      const failed = failureOf(asked);
      await eventually('the request', () => server.count('other') === 1);
      stop.abort();
      expect(await failed).toMatchObject({ code: 'Cancelled' });
    });

    test('does not read more than it is allowed to', async () => {
      client = clientOf({ maxAnswerBytes: 1000 });
      server.answerNext('other', json(200, 'x'.repeat(998)), json(200, 'x'.repeat(999)));
      await expect(client.request(GET)).resolves.toHaveLength(998);
      await expect(client.request(GET)).rejects.toMatchObject({
        code: 'Invalid',
        message: expect.stringContaining('larger than 1000 bytes') as string,
      });
    });

    test('asks for the permit once its turn has come, and sends nothing without it', async () => {
      const clock = new VirtualClock();
      client = clientOf({ clock, qps: 10, burst: 1 });
      server.answerNext('other', json(200, {}));
      let isLeader = true;
      const permit = (): void => {
        if (!isLeader) throw new Error('not the leader any more');
      };
      await client.request({ ...GET, permit });
      const waiting = client.request({ ...GET, permit }).catch(String);
      isLeader = false;
      await clock.advance(200);
      expect(await waiting).toContain('not the leader any more');
      expect(server.count('other')).toBe(1);
    });

    test('sends what cannot wait at once, however many others wait for their turn or for a socket', async () => {
      const clock = new VirtualClock();
      client = clientOf({ clock, qps: 1, burst: 70 });
      server.answerNext('other', ...Array.from({ length: 64 }, () => hang));
      const stop = new AbortController();
      const waiting = Array.from({ length: 100 }, () =>
        failureOf(client.request({ ...GET, signal: stop.signal })),
      );
      await eventually('64 sockets', () => server.count('other') === 64);
      server.answerNext('other', json(200, { renewed: true }));
      await expect(client.request({ ...GET, urgency: 'at-once' })).resolves.toEqual({ renewed: true });
      stop.abort();
      await Promise.all(waiting);
    });

    test('sends in the order of urgency where more is asked for than its rate allows', async () => {
      const clock = new VirtualClock();
      client = clientOf({ clock, qps: 10, burst: 1 });
      server.answerNext('other', ...Array.from({ length: 4 }, () => json(200, {})));
      await client.request(GET);
      const order: string[] = [];
      const all = (['late', 'usual', 'first'] as const).map((urgency) =>
        client.request({ ...GET, urgency, permit: () => order.push(urgency) }),
      );
      await clock.advance(1000);
      await Promise.all(all);
      expect(order).toEqual(['first', 'usual', 'late']);
    });

    test('sends so many at once, then at its rate, without counting watches', async () => {
      const clock = new VirtualClock();
      client = clientOf({ clock, qps: 10, burst: 2 });
      server.answerNext('other', ...Array.from({ length: 4 }, () => json(200, {})));
      const all = Promise.all(Array.from({ length: 4 }, () => client.request(GET)));
      await eventually('two requests', () => server.count('other') === 2);
      const stream = await client.stream({ path: '/api/v1/things', query: { watch: true } });
      expect(stream).toBeDefined();
      expect(server.count('other')).toBe(2);
      await clock.advance(100);
      await eventually('three requests', () => server.count('other') === 3);
      await clock.advance(100);
      await expect(all).resolves.toHaveLength(4);
    });
  });

  describe('credentials', () => {
    /** Tokens as they are rotated: each reading again gives the next. */
    function rotating(...tokens: readonly string[]): KubeConnectionSource & { reloads: number } {
      const sources = tokens.map((token) => staticConnection({ server: server.url, token }));
      let index = 0;
      const source = {
        reloads: 0,
        current: () => sourceAt(index).current(),
        reload: () => {
          source.reloads += 1;
          index = Math.min(index + 1, sources.length - 1);
          return sourceAt(index).current();
        },
      };
      function sourceAt(at: number): KubeConnectionSource {
        return sources[at] ?? staticConnection({ server: server.url });
      }
      return source;
    }

    test('are read again when they are refused, and the same is asked again', async () => {
      const connection = rotating('old', 'new');
      client = clientOf({ connection });
      server.answerNext('other', status(401, { reason: 'Unauthorized' }), json(200, { ok: true }));
      server.answerNext('watch', status(401, { reason: 'Unauthorized' }));
      expect(await client.request({ ...GET, method: 'POST', body: { a: 1 } })).toEqual({ ok: true });
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
        'Bearer old',
        'Bearer new',
      ]);
      expect(server.requests.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
      expect(connection.reloads).toBe(1);
    });

    test('are read again for a watch too', async () => {
      client = clientOf({ connection: rotating('old', 'new') });
      server.answerNext('watch', status(401, { reason: 'Unauthorized' }));
      await client.stream({ path: '/api/v1/things', query: { watch: true } });
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
        'Bearer old',
        'Bearer new',
      ]);
    });

    test('that are the same again are not tried again', async () => {
      const connection = rotating('old');
      client = clientOf({ connection });
      server.answerNext('other', status(401, { reason: 'Unauthorized' }));
      await expect(client.request(GET)).rejects.toMatchObject({ code: 'Unauthorized', retryable: true });
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('stream', () => {
    test('gives what comes until the server ends it', async () => {
      const stream = await client.stream({ path: '/api/v1/things', query: { watch: true } });
      const [watch] = server.watches;
      watch?.raw(Buffer.from('one'));
      watch?.end();
      let text = '';
      for await (const chunk of stream) text += Buffer.from(chunk).toString();
      expect(text).toBe('one');
    });

    test('fails when the connection breaks', async () => {
      const stream = await client.stream({ path: '/api/v1/things', query: { watch: true } });
      const reading = readAll(stream);
      server.watches[0]?.reset();
      await expect(reading).rejects.toThrow(/ECONNRESET|aborted/);
    });

    test('ends with the signal, long after it began', async () => {
      const clock = new VirtualClock();
      client = clientOf({ clock });
      const stop = new AbortController();
      const stream = await client.stream({
        path: '/api/v1/things',
        query: { watch: true },
        signal: stop.signal,
      });
      await clock.advance(3_600_000);
      expect(server.watches).toHaveLength(1);
      const reading = readAll(stream);
      stop.abort(new Error('enough'));
      await expect(reading).rejects.toThrow('enough');
      await eventually('the end', () => server.watches.length === 0);
    });

    test('is TimedOut when it does not begin', async () => {
      const clock = new VirtualClock();
      client = clientOf({ clock });
      server.answerNext('watch', hang);
      const opening = client.stream({ path: '/api/v1/things', query: { watch: true } });
      const failed = failureOf(opening);
      await eventually('the request', () => server.count('watch') === 1);
      await clock.advance(10_000);
      expect(await failed).toMatchObject({ code: 'TimedOut' });
    });

    test('fails as a request does when it is refused', async () => {
      server.answerNext('watch', status(410, { reason: 'Expired' }));
      await expect(client.stream({ path: '/api/v1/things', query: { watch: true } })).rejects.toMatchObject({
        code: 'Gone',
      });
    });
  });

  test('leaves no connection when it is closed', async () => {
    const others = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    }).listen(0, '127.0.0.1');
    await once(others, 'listening');
    const { port } = others.address() as { port: number };
    const own = clientOf({ connection: staticConnection({ server: `http://127.0.0.1:${String(port)}` }) });
    expect(await own.request(GET)).toEqual({});
    own.close();
    const closed = once(others, 'close');
    others.close();
    await expect(closed).resolves.toEqual([]);
    const late = connect(port, '127.0.0.1');
    await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of stream) Buffer.from(chunk);
}

/** What it fails with, looked at from the start, so that it is never an unhandled rejection. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

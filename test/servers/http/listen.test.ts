/** Connections: limits, slow and broken clients, faults of handlers, and an orderly end. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { Router } from 'express';
import { exchange, serve, type Serving, type ServingOptions } from './serving.js';

const open: Serving[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ listener }) => listener.close(0)));
});

async function opened(options: ServingOptions = {}): Promise<Serving> {
  const serving = await serve(options);
  open.push(serving);
  return serving;
}

async function connected({ listener }: Serving): Promise<Socket> {
  const socket = connect(listener.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

test('slow headers and slow bodies are cut off, while others are served', async () => {
  const limits = { headersTimeoutMillis: 200, requestTimeoutMillis: 400 };
  const serving = await opened({ limits });
  const slowHead = exchange(serving.listener.port, 'POST /echo HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const slowBody = exchange(
    serving.listener.port,
    'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  const quick = await fetch(`${serving.url}/echo`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '[]',
  });
  expect(quick.status).toBe(200);
  const answers = await Promise.all([slowHead, slowBody]);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408 [^]*"cause":"timeout"/);
  expect(serving.refused.filter((cause) => cause === 'timeout')).toHaveLength(2);
});

describe('a connection that was opened for later', () => {
  const limits = { headersTimeoutMillis: 50, requestTimeoutMillis: 50, keepAliveMillis: 3000 };
  const NOTHING = 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n';

  /** Node looks for slow requests twice a second. */
  const later = () => new Promise((resolve) => setTimeout(resolve, 1200));

  test('is answered when its first request comes after the time for headers', async () => {
    const serving = await opened({ limits });
    const socket = await connected(serving);
    await later();
    socket.write(NOTHING);
    expect(await text(socket)).toContain('HTTP/1.1 404 ');
    expect(serving.refused).toEqual(['not-found']);
  });

  test('is held to the time for headers once its request has begun', async () => {
    const serving = await opened({ limits });
    const socket = await connected(serving);
    await later();
    socket.write('GET /nothing HTTP/1.1\r\nHost');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
    expect(serving.refused).toEqual(['timeout']);
  });

  test('is closed when it waits longer than an idle one may', async () => {
    const serving = await opened({ limits: { ...limits, keepAliveMillis: 100 } });
    const socket = await connected(serving);
    expect(await text(socket)).toBe('');
    expect(serving.refused).toEqual([]);
  });
});

const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test('without a host it answers on IPv4, and on IPv6 where the host has it', async () => {
  const serving = await opened({ host: '' });
  const loopbacks = ['127.0.0.1', ...(HAS_IPV6 ? ['::1'] : [])];
  const answers = await Promise.all(
    loopbacks.map((address) =>
      exchange(serving.listener.port, 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n', address),
    ),
  );
  for (const answer of answers) expect(answer).toContain('HTTP/1.1 404 ');
  expect(serving.url).toBe(`http://${HAS_IPV6 ? '[::]' : '0.0.0.0'}:${String(serving.listener.port)}`);
});

test.each([
  ['headers-too-large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['bad-request', 'hello\r\n\r\n', 400],
  ['not-found', 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ['not-found', 'GET /echo HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ['not-found', 'GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n', 404],
])('%s is answered and ends the connection', async (cause, message, status) => {
  const serving = await opened();
  const answer = await exchange(serving.listener.port, message);
  expect(answer).toContain(`HTTP/1.1 ${String(status)} `);
  expect(answer).toContain(`"cause":"${cause}"`);
  expect(serving.refused).toEqual([cause]);
});

test('of too many connections the last ones are closed, and the others keep working', async () => {
  const serving = await opened({ limits: { maxConnections: 2 } });
  const sockets = await Promise.all([connected(serving), connected(serving)]);
  const third = connect(serving.listener.port, '127.0.0.1');
  third.on('error', () => undefined);
  await once(third, 'close');
  expect(serving.refused).toContain('connections');
  for (const socket of sockets) {
    socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await text(socket)).toContain('404');
  }
});

test('a handler that fails is reported in the log and not to the client', async () => {
  const router = Router();
  router.get('/sync', () => {
    throw new Error('secret');
  });
  router.get('/async', async () => {
    await Promise.reject(new Error('secret'));
  });
  const serving = await opened({ routers: [router] });
  for (const path of ['/sync', '/async']) {
    const answer = await fetch(serving.url + path);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      error: { cause: 'internal', message: 'internal error; see the log of Berth' },
    });
  }
  const errors = serving.lines.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(2);
  expect(JSON.stringify(errors[0])).toContain('secret');
});

test('a port that is taken is named', async () => {
  const { listener } = await opened();
  await expect(serve({ port: listener.port })).rejects.toThrow(
    `cannot serve test at 127.0.0.1:${String(listener.port)}`,
  );
});

describe('closing', () => {
  /** GET /held answers when it is let go. */
  function held() {
    const router = Router();
    const waiting: (() => void)[] = [];
    router.get('/held', (_request, response) => {
      waiting.push(() => response.end('done'));
    });
    return { router, waiting };
  }

  test('lets requests end that are being answered, and takes no others', async () => {
    const { router, waiting } = held();
    const serving = await serve({ routers: [router] });
    const agent = new Agent({ keepAlive: true });
    const asked = request(`${serving.url}/held`, { agent }).end();
    const answered = once(asked, 'response');
    while (waiting.length === 0) await new Promise(setImmediate);
    const closed = serving.listener.close(60_000);
    await expect(fetch(serving.url)).rejects.toThrow('fetch failed');
    waiting[0]?.();
    const [response] = (await answered) as [IncomingMessage];
    expect([response.headers.connection, await text(response)]).toEqual(['close', 'done']);
    await closed;
    expect(agent.freeSockets).toEqual({});
  });

  test('ends what has not ended after the grace, connections without a request too', async () => {
    const { router, waiting } = held();
    const serving = await serve({ routers: [router] });
    const silent = await connected(serving);
    const ended = once(silent, 'close');
    const failed = fetch(`${serving.url}/held`).then(
      () => false,
      () => true,
    );
    while (waiting.length === 0) await new Promise(setImmediate);
    await serving.listener.close(50);
    expect(await failed).toBe(true);
    silent.resume();
    await ended;
    expect(waiting).toHaveLength(1);
  });

  test('twice is no error', async () => {
    const serving = await serve();
    await Promise.all([serving.listener.close(0), serving.listener.close(0)]);
    await expect(fetch(serving.url)).rejects.toThrow('fetch failed');
  });
});

test('a server without TLS has no certificates to change', async () => {
  const serving = await opened();
  expect(() => {
    serving.listener.updateTls({ key: '', cert: '' });
  }).toThrow('test is served without TLS');
});

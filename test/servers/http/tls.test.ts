/** TLS: versions, client certificates, and certificates that change under load. */
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, TLSSocket, type ConnectionOptions } from 'node:tls';
import { pem, renew } from '../tls/certificate-set.js';
import { serve, type Serving } from './serving.js';

/** Keys take long on a busy host. */
const PATIENCE = 120_000;

const { changed: first } = await renew();
const { changed: later } = await renew({ stored: first, renewAll: true });
/** Of another CA altogether. */
const { changed: other } = await renew();

const open: Serving[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ listener }) => listener.close(0)));
});

function serverMaterial(
  files: ReadonlyMap<string, string>,
  ...authorities: readonly ReadonlyMap<string, string>[]
) {
  return {
    key: pem(files, 'webhook.key'),
    cert: pem(files, 'webhook.crt'),
    clientCa: authorities.map((set) => pem(set, 'ca.crt')).join(''),
  };
}

function client(files: ReadonlyMap<string, string>, name = 'scheduler') {
  return { key: pem(files, `${name}.key`), cert: pem(files, `${name}.crt`) };
}

async function served(
  tls: Partial<Parameters<typeof serve>[0] & object>['tls'],
  limits: NonNullable<Parameters<typeof serve>[0]>['limits'] = {},
): Promise<Serving> {
  const serving = await serve({ limits, ...(tls !== undefined && { tls }) });
  open.push(serving);
  return serving;
}

function handshake({ listener }: Serving, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({
    port: listener.port,
    host: '127.0.0.1',
    ca: [...new Set([pem(first, 'ca.crt'), pem(other, 'ca.crt')])],
    ...options,
  });
  return once(socket, 'secureConnect').then(() => socket);
}

const HELLO =
  'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]';

/** What the server says to a request on the connection: TLS 1.3 tells a client only then that it is refused. */
function ask(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.on('data', (data: Buffer) => {
      resolve(data.toString());
    });
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error('closed without an answer'));
    });
    socket.write(HELLO);
  });
}

/** Counts how often a certificate is read of a connection; `end` puts things back and answers the count. */
function countCertificates(): { end(): number } {
  const original = Object.getOwnPropertyDescriptor(TLSSocket.prototype, 'getPeerCertificate') ?? {};
  const read = original.value as (this: TLSSocket, ...rest: unknown[]) => unknown;
  let count = 0;
  Object.defineProperty(TLSSocket.prototype, 'getPeerCertificate', {
    ...original,
    value(this: TLSSocket, ...rest: unknown[]): unknown {
      count++;
      return read.apply(this, rest);
    },
  });
  return {
    end: () => {
      Object.defineProperty(TLSSocket.prototype, 'getPeerCertificate', original);
      return count;
    },
  };
}

describe('a server over TLS', () => {
  test('speaks 1.3, and 1.2 only where it is allowed', async () => {
    const tls = serverMaterial(first);
    const strict = await served({ key: tls.key, cert: tls.cert });
    expect((await handshake(strict, {})).getProtocol()).toBe('TLSv1.3');
    await expect(handshake(strict, { maxVersion: 'TLSv1.2' })).rejects.toThrow('protocol version');
    expect(strict.refused).toEqual(['handshake']);
    const lenient = await served({ key: tls.key, cert: tls.cert, minVersion: 'TLSv1.2' });
    expect((await handshake(lenient, { maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
    expect(lenient.url).toMatch(/^https:/);
  });

  test('refuses clients without a certificate, and those of another CA', async () => {
    const serving = await served({ ...serverMaterial(first, first), requireClientCert: true });
    expect(await ask(await handshake(serving, client(first)))).toMatch(/^HTTP\/1.1 200 /);
    await expect(handshake(serving, {}).then(ask)).rejects.toThrow();
    await expect(handshake(serving, client(other)).then(ask)).rejects.toThrow();
    await expect(handshake(serving, client(first, 'webhook')).then(ask)).rejects.toThrow();
    expect(new Set(serving.refused)).toEqual(new Set(['handshake']));
  });

  test('lets in only clients of the names that it is given', async () => {
    const tls = { ...serverMaterial(first, first), requireClientCert: true };
    const serving = await served({ ...tls, clientNames: ['berth-scheduler'] });
    expect(await ask(await handshake(serving, client(first)))).toMatch(/^HTTP\/1.1 200 /);
    const picky = await served({ ...tls, clientNames: ['somebody-else'] });
    const answer = await ask(await handshake(picky, client(first)));
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    expect(answer).toContain('the client is \\"berth-scheduler\\"; it must be somebody-else');
    expect(picky.refused).toEqual(['client-name']);
  });

  test('reads the certificate of a client once, however many requests its connection carries', async () => {
    const tls = { ...serverMaterial(first, first), requireClientCert: true };
    const serving = await served({ ...tls, clientNames: ['berth-scheduler'] });
    const socket = await handshake(serving, client(first));
    const certificate = countCertificates();
    for (let request = 0; request < 3; request++) expect(await ask(socket)).toMatch(/^HTTP\/1.1 200 /);
    expect(certificate.end()).toBe(1);
  });

  test('is not confused by plain HTTP or by nothing at all', async () => {
    const { key, cert } = serverMaterial(first);
    const serving = await served({ key, cert });
    const socket = connectPlain(serving.listener.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await text(socket);
    expect(serving.refused).toEqual(['handshake']);
  });

  test('keeps a connection that is opened before its request, as Go clients open them', async () => {
    const { key, cert } = serverMaterial(first);
    const serving = await served({ key, cert }, { headersTimeoutMillis: 50, requestTimeoutMillis: 50 });
    const socket = await handshake(serving, {});
    // Node looks for slow requests twice a second.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await ask(socket)).toMatch(/^HTTP\/1.1 200 /);
    expect(serving.refused).toEqual([]);
  });

  test('cannot require certificates that it cannot check', async () => {
    const { key, cert } = serverMaterial(first);
    await expect(serve({ tls: { key, cert, requireClientCert: true } })).rejects.toThrow(
      'there is no client CA',
    );
  });
});

describe('changing certificates', () => {
  const serialOf = async (serving: Serving, options: ConnectionOptions = {}) => {
    const socket = await handshake(serving, options);
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  };

  test('is seen by new connections and leaves old ones alone', async () => {
    const serving = await served({ ...serverMaterial(first, first), requireClientCert: true });
    const kept = await handshake(serving, client(first));
    const before = await serialOf(serving, client(first));
    serving.listener.updateTls(serverMaterial(later, first));
    expect(await serialOf(serving, client(first))).not.toBe(before);
    expect(await ask(kept)).toMatch(/^HTTP\/1.1 200 /);
    await expect(handshake(serving, {}).then(ask)).rejects.toThrow();
    await expect(handshake(serving, { maxVersion: 'TLSv1.2', ...client(first) })).rejects.toThrow();
  });

  test('lets the clients of both CAs in while one takes over from the other', async () => {
    const serving = await served({ ...serverMaterial(first, first), requireClientCert: true });
    const refusedBefore = handshake(serving, client(other)).then(ask);
    await expect(refusedBefore).rejects.toThrow();
    serving.listener.updateTls(serverMaterial(first, first, other));
    for (const set of [first, other])
      expect(await ask(await handshake(serving, client(set)))).toContain(' 200 ');
    serving.listener.updateTls(serverMaterial(other, other));
    expect(await ask(await handshake(serving, client(other)))).toContain(' 200 ');
    await expect(handshake(serving, client(first)).then(ask)).rejects.toThrow();
  });

  test('to something that does not fit changes nothing', async () => {
    const serving = await served(serverMaterial(first));
    const before = await serialOf(serving);
    expect(() => {
      serving.listener.updateTls({ key: pem(first, 'webhook.key'), cert: pem(later, 'webhook.crt') });
    }).toThrow('key values mismatch');
    expect(await serialOf(serving)).toBe(before);
  });

  test(
    'under load fails no request, whether connections are kept or made anew, and keeps strangers out',
    async () => {
      const serving = await served({ ...serverMaterial(first, first), requireClientCert: true });
      const credentials = { ca: pem(first, 'ca.crt'), ...client(first), host: '127.0.0.1' };
      const agents = [
        new Agent({ keepAlive: true, maxSockets: 4, ...credentials }),
        new Agent({ keepAlive: false, maxCachedSessions: 0, ...credentials }),
      ];
      const statuses: (number | undefined)[] = [];
      const rotations = 40;
      const answered = async (count: number): Promise<void> => {
        while (statuses.length < count) await new Promise(setImmediate);
      };
      let rotated = 0;
      const load = agents.flatMap((agent) =>
        [1, 2, 3].map(async () => {
          while (rotated < rotations) statuses.push(await postOver(agent, serving));
        }),
      );
      let strangers = 0;
      for (; rotated < rotations; rotated++) {
        serving.listener.updateTls(serverMaterial(rotated % 2 === 0 ? later : first, first));
        if (rotated % 8 === 0)
          strangers += await handshake(serving, {})
            .then(ask)
            .then(
              () => 0,
              () => 1,
            );
        await answered(statuses.length + 4);
      }
      await Promise.all(load);
      for (const agent of agents) agent.destroy();
      expect(statuses.length).toBeGreaterThan(rotations);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      expect(strangers).toBe(5);
    },
    PATIENCE,
  );
});

async function postOver(agent: Agent, { listener }: Serving): Promise<number | undefined> {
  const asked = request({
    ...{ agent, host: '127.0.0.1', port: listener.port, path: '/echo', method: 'POST' },
    headers: { 'Content-Type': 'application/json' },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.resume();
      response.on('end', () => {
        resolve(response.statusCode);
      });
    });
  });
  asked.end('{}');
  return answered;
}

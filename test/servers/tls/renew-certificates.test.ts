/** The certificates themselves, as node:crypto and a TLS connection see them, and how a set is kept up to date. */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { DAY_MILLIS, validityFrom } from '../../../src/servers/tls/certificate-profile.js';
import { issueAuthority } from '../../../src/servers/tls/issue-certificate.js';
import { pem, renew } from './certificate-set.js';

/** Keys take long on a busy host. */
const PATIENCE = 60_000;
const NOW = Math.floor(Date.now() / 1000) * 1000;
const SERVER_USE = '1.3.6.1.5.5.7.3.1';
const CLIENT_USE = '1.3.6.1.5.5.7.3.2';

const { changed: files } = await renew({ now: NOW });
const certificate = (name: string) => new X509Certificate(pem(files, `${name}.crt`));
const authority = certificate('ca');

/** The content of the extension with the dotted OID's DER in hexadecimal, with what marks it critical before it. */
function extensionAfter({ raw }: X509Certificate, oid: string): string {
  const hex = raw.toString('hex');
  const start = hex.indexOf(`0603${oid}`);
  return start < 0 ? '' : hex.slice(start + 10, start + 10 + 40);
}

const CRITICAL = '0101ff';
const KEY_USAGE = '551d0f';
const BASIC_CONSTRAINTS = '551d13';

describe('the CA', () => {
  test('signs itself, for ten years, and may sign leaves only', () => {
    expect([authority.subject, authority.issuer, authority.ca]).toEqual(['CN=berth-ca', 'CN=berth-ca', true]);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(Date.parse(authority.validFrom)).toBe(NOW - 300_000);
    expect(Date.parse(authority.validTo) - Date.parse(authority.validFrom)).toBe(3650 * DAY_MILLIS);
    expect(authority.subjectAltName).toBeUndefined();
    // SEQUENCE { TRUE, 0 }, and the bits 5 and 6 (keyCertSign, cRLSign).
    expect(extensionAfter(authority, BASIC_CONSTRAINTS)).toMatch(`${CRITICAL}040830060101ff020100`);
    expect(extensionAfter(authority, KEY_USAGE)).toMatch(`${CRITICAL}040403020106`);
  });
});

describe.each([
  ['webhook', 'berth-webhook', SERVER_USE, '0403030205a0'],
  ['extender', 'berth-extender', SERVER_USE, '0403030205a0'],
  ['scheduler', 'berth-scheduler', CLIENT_USE, '040403020780'],
])('the certificate %s', (name, commonName, use, usageBits) => {
  const leaf = certificate(name);

  test('is signed by the CA, for 90 days', () => {
    expect(leaf.checkIssued(authority)).toBe(true);
    expect(leaf.verify(authority.publicKey)).toBe(true);
    expect(Date.parse(leaf.validFrom)).toBe(NOW - 300_000);
    expect(Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)).toBe(90 * DAY_MILLIS);
  });

  test('may do what it is for and no more', () => {
    expect([leaf.subject, leaf.ca, leaf.keyUsage]).toEqual([`CN=${commonName}`, false, [use]]);
    expect(extensionAfter(leaf, BASIC_CONSTRAINTS)).toMatch(new RegExp(`^${CRITICAL}04023000`));
    expect(extensionAfter(leaf, KEY_USAGE)).toContain(usageBits.slice(-4));
    expect(extensionAfter(leaf, KEY_USAGE)).toMatch(new RegExp(`^${CRITICAL}`));
  });

  test('answers to its names and to no other', () => {
    const isServer = use === SERVER_USE;
    const hosts = ['', '.berth-system', '.berth-system.svc', '.berth-system.svc.cluster.local'];
    for (const host of [...hosts.map((suffix) => commonName + suffix), 'localhost']) {
      expect(leaf.checkHost(host, { subject: 'never' })).toBe(isServer ? host : undefined);
    }
    for (const address of ['127.0.0.1', '::1']) {
      expect(leaf.checkIP(address)).toBe(isServer ? address : undefined);
    }
    expect(leaf.checkHost('example.org')).toBeUndefined();
    expect(leaf.checkIP('127.0.0.2')).toBeUndefined();
  });
});

test('keys are RSA-2048, each its own, and serial numbers positive and different', () => {
  const names = ['ca', 'webhook', 'extender', 'scheduler'];
  for (const name of names) {
    const key = createPrivateKey(pem(files, `${name}.key`));
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength]).toEqual(['rsa', 2048]);
    expect(certificate(name).checkPrivateKey(key)).toBe(true);
  }
  const serials = names.map((name) => certificate(name).serialNumber);
  expect(new Set(serials).size).toBe(names.length);
  expect(serials.filter((serial) => !/^[0-9A-F]{24,34}$/.test(serial))).toEqual([]);
});

/** What a server that wants client certificates makes of a client: who it is, or why it is refused. */
async function handshake(client: string | undefined, servername = 'berth-extender'): Promise<string> {
  const server = createServer({
    key: pem(files, 'extender.key'),
    cert: pem(files, 'extender.crt'),
    ca: pem(files, 'ca.crt'),
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => socket.destroy());
    socket.end(String(socket.getPeerCertificate().subject.CN));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    servername,
    ca: pem(files, 'ca.crt'),
    ...(client === undefined ? {} : { key: pem(files, `${client}.key`), cert: pem(files, `${client}.crt`) }),
  });
  try {
    return await answerOf(socket);
  } finally {
    socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

/** The first thing that happens to the client: data, an error, or an end without either. */
function answerOf(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (data: Buffer) => {
      resolve(data.toString());
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(`refused: ${String(error.code)}`);
    });
    socket.once('close', () => {
      resolve('refused: closed');
    });
  });
}

describe('a server that wants client certificates', () => {
  test("knows kube-scheduler's", async () => {
    expect(await handshake('scheduler')).toBe('berth-scheduler');
    expect(await handshake('scheduler', 'localhost')).toBe('berth-scheduler');
  });

  test('refuses a client without one, or with one for servers', async () => {
    expect(await handshake(undefined)).toMatch(/^refused: (ERR_SSL|ECONNRESET|EPIPE|closed)/);
    expect(await handshake('webhook')).toMatch(/^refused: (ERR_SSL|ECONNRESET|EPIPE|closed)/);
  });

  test('is refused under a name that it does not have', async () => {
    expect(await handshake('scheduler', 'berth-webhook')).toBe('refused: ERR_TLS_CERT_ALTNAME_INVALID');
  });
});

describe('renewCertificates', () => {
  /** Which files change when the stored ones are these. */
  async function changes(overrides: Parameters<typeof renew>[0]): Promise<readonly string[]> {
    return [...(await renew({ stored: files, now: NOW, ...overrides })).changed.keys()];
  }

  const LEAVES = ['webhook', 'extender', 'scheduler'].flatMap((name) => [`${name}.key`, `${name}.crt`]);

  test('writes the CA first and each key before its certificate', () => {
    expect([...files.keys()]).toEqual(['ca.key', 'ca.crt', ...LEAVES]);
  });

  test(
    'keeps all of them until two thirds of their life, then renews the leaves',
    async () => {
      const due = NOW - 300_000 + 60 * DAY_MILLIS;
      expect(await changes({ now: due - 1000 })).toEqual([]);
      expect(await changes({ now: due })).toEqual(LEAVES);
    },
    PATIENCE,
  );

  test(
    'renews what does not fit any more, and nothing else',
    async () => {
      expect(await changes({ namespace: 'other' })).toEqual(LEAVES.slice(0, 4));
      const broken = new Map(files).set('webhook.key', pem(files, 'extender.key')).set('extender.crt', '?');
      broken.delete('scheduler.key');
      const { leaves } = await renew({ stored: broken, now: NOW });
      expect(leaves.map(({ reason }) => reason)).toEqual(['other-key', 'unreadable', 'missing']);
    },
    PATIENCE,
  );

  test(
    'makes leaves of the CA at hand, which end no later than it',
    async () => {
      const now = Date.parse(authority.validTo) - 10 * DAY_MILLIS;
      const { changed, leaves } = await renew({ stored: files, now });
      const renewed = new X509Certificate(pem(changed, 'webhook.crt'));
      expect(renewed.verify(authority.publicKey)).toBe(true);
      expect(renewed.validTo).toBe(authority.validTo);
      expect(leaves.map(({ notAfter }) => notAfter)).toEqual(leaves.map(() => Date.parse(authority.validTo)));
    },
    PATIENCE,
  );

  test(
    'renews leaves of another CA',
    async () => {
      const other = await issueAuthority(validityFrom(NOW, 90));
      const stored = new Map(files).set('ca.crt', other.certificate).set('ca.key', other.key);
      const { changed, leaves } = await renew({ stored, now: NOW });
      expect([...changed.keys()]).toEqual(LEAVES);
      expect(new Set(leaves.map(({ reason }) => reason))).toEqual(new Set(['other-authority']));
      expect(new X509Certificate(pem(changed, 'scheduler.crt')).verify(authority.publicKey)).toBe(false);
    },
    PATIENCE,
  );

  const ecKey = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;

  test.each([
    ['ca.crt', '?', /ca\.crt is not a certificate/],
    ['ca.key', '?', /ca\.key is not a private key/],
    ['ca.crt', pem(files, 'webhook.crt'), /ca\.crt is not the certificate of a CA/],
    ['ca.key', pem(files, 'webhook.key'), /ca\.key is not the key of ca\.crt/],
    ['ca.key', ecKey, /ca\.key is of type ec; it must be rsa/],
    ['ca.key', undefined, /ca\.crt is there, but not ca\.key/],
    ['ca.crt', undefined, /ca\.key is there, but not ca\.crt/],
  ])('refuses a CA whose %s is not right, and never replaces it', async (name, text, message) => {
    const stored = new Map(files);
    if (text === undefined) stored.delete(name);
    else stored.set(name, text);
    await expect(renew({ stored, now: NOW })).rejects.toThrow(message);
  });

  test('refuses a CA outside its time', async () => {
    const late = renew({ stored: files, now: Date.parse(authority.validTo) + 1 });
    await expect(late).rejects.toThrow(/ca\.crt has expired on/);
    const early = renew({ stored: files, now: NOW - 301_000 });
    await expect(early).rejects.toThrow(/ca\.crt is not valid before/);
  });
});

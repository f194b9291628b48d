import { X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  keepCertificates,
  type KeepRequest,
  type KeptCertificates,
} from '../../../src/servers/tls/keep-certificates.js';
import { pem } from './certificate-set.js';

const DAY = 86_400_000;
/** Today: TLS itself looks at the host's clock. */
const START = Math.floor(Date.now() / 1000) * 1000;

type Files = ReadonlyMap<string, string>;

function keep(stored: Files, day: number, overrides: Partial<KeepRequest> = {}): Promise<KeptCertificates> {
  const now = START + day * DAY;
  return keepCertificates({
    stored,
    now,
    namespace: 'berth-system',
    local: true,
    isPublished: true,
    ...overrides,
  });
}

function bundle(files: Files): readonly X509Certificate[] {
  const texts =
    pem(files, 'ca.crt').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return texts.map((text) => new X509Certificate(text));
}

function serials(files: Files): readonly string[] {
  return bundle(files).map(({ serialNumber }) => serialNumber);
}

/** The serial number of the CA in the bundle that signed the file. */
function signerOf(files: Files, file: string): string | undefined {
  const leaf = new X509Certificate(pem(files, file));
  return bundle(files).find((ca) => leaf.verify(ca.publicKey))?.serialNumber;
}

/** Whether a client that trusts one set's bundle accepts a server that has the other's certificate. */
async function isAccepted(server: Files, client: Files): Promise<boolean> {
  const tls = createServer({ key: pem(server, 'webhook.key'), cert: pem(server, 'webhook.crt') });
  tls.on('tlsClientError', () => undefined);
  tls.listen(0, '127.0.0.1');
  await once(tls, 'listening');
  const { port } = tls.address() as AddressInfo;
  const ca = pem(client, 'ca.crt');
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca, servername: 'berth-webhook' });
  const answer = await new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => {
      resolve(socket.authorized);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
  socket.destroy();
  tls.close();
  return answer;
}

/** Making keys takes long on an instance that has much else to do. */
const PATIENCE = 120_000;

describe('keepCertificates', () => {
  let first: KeptCertificates;
  beforeAll(async () => {
    first = await keep(new Map(), 0);
  }, PATIENCE);

  test(
    'makes everything when there is nothing, and changes nothing the next time',
    async () => {
      expect([...first.files.keys()].sort()).toEqual(
        ['ca', 'extender', 'scheduler', 'webhook'].flatMap((file) => [`${file}.crt`, `${file}.key`]),
      );
      expect(first).toMatchObject({ isChanged: true, step: 'keep' });
      const again = await keep(first.files, 1);
      expect(again).toMatchObject({ isChanged: false, step: 'keep', made: [] });
      expect(again.files).toEqual(first.files);
    },
    PATIENCE,
  );

  test(
    'renews leaves at two thirds of their life, and leaves the CA and foreign files alone',
    async () => {
      const stored = new Map([...first.files, ['README', 'ours']]);
      const { files, made, isChanged } = await keep(stored, 61);
      expect({ made, isChanged }).toEqual({
        made: ['webhook.crt', 'extender.crt', 'scheduler.crt'],
        isChanged: true,
      });
      expect(files.get('ca.crt')).toBe(first.files.get('ca.crt'));
      expect(files.get('README')).toBe('ours');
    },
    PATIENCE,
  );

  test(
    'lets a new CA take over in steps, so that every neighbouring pair of sets trusts each other',
    async () => {
      const [old] = serials(first.files);
      const staged = await keep(first.files, 2440);
      const [, successor] = serials(staged.files);
      expect(staged.step).toBe('stage');
      expect(serials(staged.files)).toEqual([old, successor]);
      expect(signerOf(staged.files, 'webhook.crt')).toBe(old);

      const waiting = await keep(staged.files, 2460);
      expect([waiting.step, waiting.isChanged]).toEqual(['keep', false]);
      const untold = await keep(staged.files, 2475, { isPublished: false });
      expect(untold.step).toBe('keep');

      const switched = await keep(staged.files, 2475);
      expect(switched.step).toBe('switch');
      expect(serials(switched.files)).toEqual([successor, old]);
      expect(switched.made).toEqual(['webhook.crt', 'extender.crt', 'scheduler.crt']);
      expect(signerOf(switched.files, 'webhook.crt')).toBe(successor);
      expect(switched.files.has('ca-next.key')).toBe(false);

      const kept = await keep(switched.files, 2500);
      expect(serials(kept.files)).toEqual([successor, old]);
      const dropped = await keep(kept.files, 2506);
      expect(serials(dropped.files)).toEqual([successor]);
      expect(dropped.made).toEqual([]);
      expect((await keep(dropped.files, 2507)).isChanged).toBe(false);
    },
    PATIENCE,
  );

  test(
    'during the change a client of the step before accepts a server of the step after, and the other way round',
    async () => {
      // As at a switch: both bundles hold both CAs, and the leaves are of one or the other.
      const other = await keep(new Map(), 0);
      const both = `${pem(first.files, 'ca.crt')}${pem(other.files, 'ca.crt')}`;
      const before = new Map([...first.files, ['ca.crt', both]]);
      const after = new Map([...other.files, ['ca.crt', both]]);
      expect(await Promise.all([isAccepted(before, after), isAccepted(after, before)])).toEqual([true, true]);
      expect(await isAccepted(other.files, first.files)).toBe(false);
    },
    PATIENCE,
  );

  test(
    'replaces a CA that has ended at once',
    async () => {
      const { files, step, made } = await keep(first.files, 3700);
      expect(step).toBe('replace');
      expect(made).toEqual(['ca.crt', 'webhook.crt', 'extender.crt', 'scheduler.crt']);
      expect(serials(files)).toHaveLength(1);
      expect(serials(files)).not.toEqual(serials(first.files));
    },
    PATIENCE,
  );

  test(
    'makes another successor when the stored one cannot sign',
    async () => {
      const staged = await keep(first.files, 2440);
      const broken = new Map([...staged.files, ['ca-next.key', pem(first.files, 'ca.key')]]);
      const { files, step } = await keep(broken, 2475);
      expect(step).toBe('stage');
      expect(serials(files)[0]).toBe(serials(first.files)[0]);
      expect(pem(files, 'ca.crt')).toContain(pem(files, 'ca-next.crt'));
    },
    PATIENCE,
  );

  test(
    'does not replace a CA whose key is kept elsewhere',
    async () => {
      const stored = new Map([...first.files].filter(([file]) => file !== 'ca.key'));
      await expect(keep(stored, 0)).rejects.toThrow('ca.crt is there, but not ca.key');
    },
    PATIENCE,
  );
});

/** Webhooks over TLS: reached where the service is, believed only with the certificate that the configuration trusts. */
import {
  issueAuthority,
  issueLeaf,
  type CertificatePair,
} from '../../../src/servers/tls/issue-certificate.js';
import { Holds } from '../../../src/runtime/time/holds.js';
import { httpsWebhooks } from '../../../world/kubernetes/admission/call-webhook.js';
import type { WebhookCall } from '../../../world/kubernetes/admission/webhook-call.js';
import { serveWire, type ServedWire } from '../../../world/wire/serve-wire.js';
import type { WireHandler } from '../../../world/wire/wire.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const VALIDITY = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2049, 0, 1) };
/** Keys take their time where many tests run. */
const KEYS_MILLIS = 60_000;
const NAME = 'berth-webhook.berth-system.svc';
const SERVICE = { namespace: 'berth-system', name: 'berth-webhook', path: '/mutate-pods', port: 443 };

let authority: CertificatePair;
let other: CertificatePair;
let leaf: CertificatePair;
let served: ServedWire | undefined;
let clock: VirtualClock;
let holds: Holds;

beforeAll(async () => {
  authority = await issueAuthority(VALIDITY);
  other = await issueAuthority(VALIDITY);
  leaf = await issueLeaf(
    { file: 'webhook', commonName: NAME, names: [NAME], role: 'server' },
    VALIDITY,
    authority,
  );
}, KEYS_MILLIS);

beforeEach(() => {
  clock = new VirtualClock();
  holds = new Holds(clock);
});

afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function listening(handler: WireHandler): Promise<ReturnType<typeof httpsWebhooks>> {
  served = await serveWire(handler, { tls: { key: leaf.key, cert: leaf.certificate } });
  const port = Number(new URL(served.url).port);
  return httpsWebhooks({
    clock,
    holdTime: holds.during,
    resolve: ({ name }) => (name === 'berth-webhook' ? { host: '127.0.0.1', port } : undefined),
  });
}

function call(client: WebhookCall['client'] = {}): WebhookCall {
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return {
    client: { service: SERVICE, caBundle, ...client },
    timeoutMillis: 2000,
    review: { request: { uid: 'u' } },
  };
}

const echo: WireHandler = ({ path, body }) =>
  Promise.resolve({
    status: 200,
    headers: {},
    body: JSON.stringify({ path, review: JSON.parse(body) as unknown }),
  });

describe('httpsWebhooks', () => {
  test('posts the review to the service, under its name', async () => {
    const ask = await listening(echo);
    expect(await ask(call())).toEqual({ path: '/mutate-pods?timeout=2s', review: { request: { uid: 'u' } } });
  });

  test('does not believe another authority', async () => {
    const ask = await listening(echo);
    const caBundle = Buffer.from(other.certificate).toString('base64');
    await expect(ask(call({ caBundle }))).rejects.toThrow(/certificate/);
  });

  test('does not believe another name', async () => {
    const ask = await listening(echo);
    await expect(ask(call({ service: { ...SERVICE, namespace: 'elsewhere' } }))).rejects.toThrow(/altnames/);
  });

  test('finds nothing where no service is', async () => {
    const ask = await listening(echo);
    await expect(ask(call({ service: { ...SERVICE, name: 'none' } }))).rejects.toThrow(
      'no endpoints available for service "none"',
    );
  });

  test('takes no other answer than 200', async () => {
    const ask = await listening(() => Promise.resolve({ status: 500, headers: {}, body: '' }));
    await expect(ask(call())).rejects.toThrow('the server answered with 500');
  });

  test('holds time for a quarter of what the webhook has, and gives up after all of it', async () => {
    const ask = await listening(() => new Promise(() => undefined));
    const failed = ask({ ...call(), timeoutMillis: 2000 }).catch(String);
    await clock.advance(1999);
    expect(holds.horizon?.at).toBe(500);
    await clock.advance(1);
    expect(await failed).toContain('no answer after 2000 milliseconds');
    expect(holds.horizon).toBeUndefined();
  });
});

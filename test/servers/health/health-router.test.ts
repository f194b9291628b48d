/** /healthz and /readyz. */
import { certificateProbe, syncProbe, type Probe } from '../../../src/servers/health/probe.js';
import { healthRouter } from '../../../src/servers/health/health-router.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { serve } from '../http/serving.js';
import { renew } from '../tls/certificate-set.js';

async function answers(probes: readonly (() => Probe)[], path: string, accept = 'text/plain') {
  const { listener, url } = await serve({ routers: [healthRouter({ probes })] });
  const answer = await fetch(url + path, { headers: { Accept: accept } });
  const text = await answer.text();
  await listener.close(0);
  return { status: answer.status, text };
}

const ready = () => ({ name: 'synced', ready: true });
const missing = () => ({ name: 'certificates', ready: false, detail: 'webhook.crt is missing' });

describe('/healthz', () => {
  test('is well as long as it can say so, whatever is missing', async () => {
    expect(await answers([missing], '/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await answers([], '/healthz', 'application/json')).toEqual({
      status: 200,
      text: '{"alive":true}',
    });
  });
});

describe('/readyz', () => {
  test('is ready when everything is', async () => {
    expect(await answers([ready], '/readyz', '*/*')).toEqual({
      status: 200,
      text: '[+] synced: ok\nreadyz check passed\n',
    });
  });

  test('says what is missing, as text and as JSON', async () => {
    expect(await answers([ready, missing], '/readyz')).toEqual({
      status: 503,
      text: '[+] synced: ok\n[-] certificates: webhook.crt is missing\nreadyz check failed\n',
    });
    const { status, text } = await answers([ready, missing], '/readyz', 'application/json');
    expect([status, JSON.parse(text)]).toEqual([503, { ready: false, probes: [ready(), missing()] }]);
  });

  test('is not ready when a probe fails', async () => {
    const broken = (): Probe => {
      throw new Error('broken');
    };
    expect(await answers([ready, broken], '/readyz')).toEqual({
      status: 503,
      text: '[+] synced: ok\n[-] broken: Error: broken\nreadyz check failed\n',
    });
  });
});

test('syncProbe names the kinds that were not listed', () => {
  const cluster = new Cluster();
  const probe = syncProbe(cluster, ['Pod', 'Node', 'Lease']);
  cluster.synced('Node');
  expect(probe()).toEqual({ name: 'synced', ready: false, detail: 'not synced yet: Pod, Lease' });
  cluster.synced('Pod');
  cluster.synced('Lease');
  expect(probe()).toEqual({ name: 'synced', ready: true });
});

/** Keys take long on a busy host. */
const PATIENCE = 60_000;

test(
  'certificateProbe names the certificates that are missing, unreadable or past',
  async () => {
    const clock = new VirtualClock();
    const { changed } = await renew({ now: clock.now(), days: 7 });
    let files: ReadonlyMap<string, string> | undefined;
    const probe = certificateProbe({
      files: () => files,
      certificates: ['webhook.crt', 'extender.crt'],
      clock,
    });
    expect(probe().detail).toBe('webhook.crt is missing, extender.crt is missing');
    files = new Map([...changed, ['extender.crt', 'nonsense']]);
    expect(probe().detail).toBe('extender.crt is not a certificate in PEM');
    files = changed;
    expect(probe()).toEqual({ name: 'certificates', ready: true });
    clock.stepWall(8 * 86_400_000);
    expect(probe().detail).toMatch(/^webhook.crt has expired on Jan .*, extender.crt has expired on Jan /);
    clock.stepWall(-9 * 86_400_000);
    expect(probe().detail).toMatch(/^webhook.crt is not valid before /);
  },
  PATIENCE,
);

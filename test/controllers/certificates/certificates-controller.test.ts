import { CertificatesController } from '../../../src/controllers/certificates/certificates-controller.js';
import type { KubeEvent } from '../../../src/ports/kube-writer.js';
import { createMetrics, type Metrics } from '../../../src/runtime/metrics/metrics.js';
import { keepCertificates } from '../../../src/servers/tls/keep-certificates.js';
import { InMemoryCertificateStore } from '../../support/in-memory/in-memory-certificate-store.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger, type LogLine } from '../../support/recording-logger.js';
import { constantRandom } from '../../support/constant-random.js';

type Options = ConstructorParameters<typeof CertificatesController>[0];
type Files = ReadonlyMap<string, string>;

interface Replica {
  readonly controller: CertificatesController;
  readonly material: Files[];
  readonly lines: readonly LogLine[];
  readonly metrics: Metrics;
  readonly events: readonly KubeEvent[];
  readonly stop: AbortController;
  isLeader: boolean;
}

interface Scene {
  readonly clock: VirtualClock;
  readonly store: InMemoryCertificateStore;
  /** Every request that certificates be brought up to date. */
  readonly requests: Parameters<Options['keep']>[0][];
  readonly replica: (isLeader: boolean, overrides?: Partial<Options>) => Replica;
}

/** Certificates that are made anew at every full hour: `ca.crt` and `webhook.crt` say at which. */
function scene(): Scene {
  const clock = new VirtualClock();
  const store = new InMemoryCertificateStore();
  const requests: Parameters<Options['keep']>[0][] = [];
  const keep: Options['keep'] = async (request) => {
    await Promise.resolve();
    requests.push(request);
    const hour = `hour ${String(Math.floor(clock.monotonic() / 3_600_000))}`;
    const isChanged = request.stored.get('webhook.crt') !== hour;
    const files = new Map([...request.stored, ['ca.crt', `CA of ${hour}`], ['webhook.crt', hour]]);
    return { files: isChanged ? files : request.stored, isChanged, step: 'keep', made: ['webhook.crt'] };
  };
  const replica = (isLeader: boolean, overrides: Partial<Options> = {}): Replica => {
    const { logger, lines } = recordingLogger();
    const metrics = createMetrics();
    const material: Files[] = [];
    const written: KubeEvent[] = [];
    const events = {
      createEvent: (event: KubeEvent) => {
        written.push(event);
        return Promise.resolve();
      },
    };
    const controller = new CertificatesController({
      ...{
        store,
        events,
        keep,
        clock,
        random: constantRandom(0.5),
        logger,
        metrics,
        namespace: 'berth-system',
      },
      isLeader: () => own.isLeader,
      onMaterial: (files) => material.push(files),
      ...overrides,
    });
    const stop = new AbortController();
    const own: Replica = { controller, material, lines, metrics, events: written, stop, isLeader };
    return own;
  };
  return { clock, store, requests, replica };
}

function start(replica: Replica): Replica {
  void replica.controller.run(replica.stop.signal);
  return replica;
}

function hours({ material }: Replica): readonly (string | undefined)[] {
  return material.map((files) => files.get('webhook.crt'));
}

describe('CertificatesController', () => {
  test('the leader makes certificates, stores them, then publishes their CA and hands them on', async () => {
    const { clock, store, replica } = scene();
    const leader = start(replica(true));
    await clock.advance(100);
    expect(store.log).toEqual(['write 1', 'publish CA of hour 0']);
    expect(hours(leader)).toEqual(['hour 0']);
  });

  test('a replica that does not lead waits for them and never writes', async () => {
    const { clock, store, replica } = scene();
    const follower = start(replica(false));
    await clock.advance(10_000);
    expect([follower.material.length, store.log.length]).toEqual([0, 0]);
    start(replica(true));
    await clock.advance(3000);
    expect(hours(follower)).toEqual(['hour 0']);
    expect(store.log).toHaveLength(2);
  });

  test('all replicas get certificates that were renewed, in little more than a minute, and once', async () => {
    const { clock, replica } = scene();
    const replicas = [start(replica(true)), start(replica(false))];
    await clock.advance(3_600_000 + 130_000);
    expect(replicas.map(hours)).toEqual([
      ['hour 0', 'hour 1'],
      ['hour 0', 'hour 1'],
    ]);
  });

  test('publishes again and again, since webhook configurations may be applied again', async () => {
    const { clock, store, replica } = scene();
    start(replica(true));
    await clock.advance(200_000);
    expect(store.log.filter((line) => line.startsWith('publish')).length).toBeGreaterThanOrEqual(4);
  });

  test('publishes what is stored before anything may change about the CA', async () => {
    const { clock, store, requests, replica } = scene();
    store.put(new Map([['ca.crt', 'CA of yore']]));
    start(replica(true));
    await clock.advance(100);
    expect(store.log).toEqual(['write 1', 'publish CA of yore', 'write 2', 'publish CA of hour 0']);
    expect(requests.map(({ isPublished }) => isPublished)).toEqual([true]);
  });

  test('renews even if it cannot publish, but reports that no client knows the CA', async () => {
    const { clock, store, requests, replica } = scene();
    store.put(new Map([['ca.crt', 'CA of yore']]));
    store.failures.push({ method: 'publishAuthority', code: 'Forbidden' });
    const leader = start(replica(true));
    await clock.advance(100);
    expect(requests.map(({ isPublished }) => isPublished)).toEqual([false]);
    expect(hours(leader)).toEqual(['hour 0']);
    expect(leader.lines.map(({ message }) => message)).toEqual([
      'Failed to publish the CA',
      'Renewed certificates',
    ]);
  });

  test('a new leader looks at once', async () => {
    const { clock, store, replica } = scene();
    store.put(new Map([['webhook.crt', 'hour -1']]));
    const follower = start(replica(false));
    await clock.advance(10_000);
    follower.isLeader = true;
    await clock.advance(1100);
    expect(hours(follower)).toEqual(['hour -1', 'hour 0']);
  });

  test('of two that both believe they lead, the slower takes what the faster wrote', async () => {
    const { clock, store, replica } = scene();
    const [one, other] = [start(replica(true)), start(replica(true))];
    await clock.advance(10_000);
    expect(store.log.filter((line) => line.startsWith('write'))).toHaveLength(1);
    expect([hours(one), hours(other)]).toEqual([['hour 0'], ['hour 0']]);
  });

  test('tries again soon after the API server could not be reached, and not too often', async () => {
    const { clock, store, replica } = scene();
    for (let i = 0; i < 5; i++) store.failures.push({ method: 'readCertificates', code: 'Unavailable' });
    const leader = start(replica(true));
    await clock.advance(60_000);
    expect(hours(leader)).toEqual(['hour 0']);
    expect(store.reads).toBeLessThanOrEqual(8);
    expect(leader.lines.filter(({ level }) => level === 'error')).toHaveLength(5);
  });

  test('hands on what is stored even if it cannot be renewed', async () => {
    const { clock, store, replica } = scene();
    store.put(new Map([['webhook.crt', 'from elsewhere']]));
    const keep = (): Promise<never> => Promise.reject(new Error('ca.crt is there, but not ca.key'));
    const leader = start(replica(true, { keep }));
    await clock.advance(5000);
    expect(hours(leader)).toEqual(['from elsewhere']);
    expect(leader.lines[0]).toMatchObject({ level: 'error', message: 'Failed to reconcile certificates' });
  });

  test('hands them on again when the servers could not take them', async () => {
    const { clock, replica } = scene();
    let calls = 0;
    const onMaterial = (): void => {
      if (++calls === 1) throw new Error('key and certificate do not belong together');
    };
    const leader = start(replica(true, { onMaterial }));
    await clock.advance(130_000);
    expect(calls).toBe(2);
    expect(leader.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('ends when it is stopped', async () => {
    const { clock, replica } = scene();
    const leader = replica(true);
    const ended = leader.controller.run(leader.stop.signal);
    await clock.advance(5000);
    leader.stop.abort();
    await expect(ended).resolves.toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  describe('with real certificates', () => {
    async function looked(replica: Replica): Promise<Replica> {
      await replica.controller.reconcile(replica.stop.signal);
      return replica;
    }

    test('a Secret that is gone, or empty, is written again as it was, and nothing is alarming', async () => {
      const { store, replica } = scene();
      const leader = await looked(replica(true, { keep: keepCertificates }));
      const before = store.stored?.files;
      store.stored = undefined;
      await looked(leader);
      expect(store.stored).toMatchObject({ files: before });
      store.put(new Map());
      await looked(leader);
      expect(store.stored).toMatchObject({ files: before });
      expect(leader.material).toHaveLength(1);
      expect(leader.events).toEqual([]);
      expect(leader.lines.some(({ message }) => message.startsWith('Restored the Secret'))).toBe(true);
    });

    test('a CA that no process has any more is replaced with an alarm that says what to do', async () => {
      const { store, replica } = scene();
      const first = await looked(replica(true, { keep: keepCertificates }));
      expect(first.events).toEqual([]);
      store.stored = undefined;
      const next = await looked(replica(true, { keep: keepCertificates }));
      expect(store.stored).toBeDefined();
      expect(next.events).toMatchObject([
        { type: 'Warning', reason: 'AuthorityLost', regarding: { kind: 'Namespace', name: 'berth-system' } },
      ]);
      expect(next.events[0]?.note).toContain('copy ca.crt, scheduler.crt and scheduler.key');
      expect(next.lines.some(({ level }) => level === 'error')).toBe(true);
      expect(await next.metrics.registry.metrics()).toMatch(/^berth_certificate_authorities_lost_total 1$/m);
    });
  });

  test('with real certificates: a Secret full of them, and a metric of when each ends', async () => {
    const { store, clock, replica } = scene();
    const leader = replica(true, { keep: keepCertificates });
    await leader.controller.reconcile(leader.stop.signal);
    expect([...(store.stored?.files.keys() ?? [])]).toHaveLength(8);
    expect(leader.material).toEqual([store.stored?.files]);
    const text = await leader.metrics.registry.metrics();
    const end = Number(/berth_certificate_expiry_seconds\{name="webhook"\} (\d+)/.exec(text)?.[1]);
    expect(end).toBe(clock.now() / 1000 + 90 * 86_400 - 300);
    expect(JSON.stringify(leader.lines)).not.toContain('BEGIN');
  });
});

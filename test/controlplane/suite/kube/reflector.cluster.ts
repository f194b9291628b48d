/** Berth's client and reflector against a real API server, through a network that breaks. */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { KubeClient, KubeconfigSource, Reflector } from '../../../../src/adapters/kube/transport/index.js';
import type {
  ReflectorCounter,
  ReflectorOptions,
} from '../../../../src/adapters/kube/transport/watch/reflector-options.js';
import { PortError } from '../../../../src/ports/port-error.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { systemRandom } from '../../../../src/runtime/process/system-random.js';
import { FakeApiServer } from '../../../adapters/kube/transport/fake-api-server.js';
import type { Measured } from '../../../adapters/kube/transport/measured-list.js';
import { TcpProxy } from '../../../adapters/kube/transport/tcp-proxy.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { CONFIG_MAPS, POD_DISRUPTION_BUDGETS, PODS, SECRETS } from '../../fixture/api/kube-object.js';
import { podManifest } from '../manifests.js';

const LABELS = { app: 'reflected' };
const SELECTOR = 'app=reflected';

/** ConfigMaps are followed from a server without a cache of them, Secrets from one that has it, as all have by default. */
type Followed = typeof CONFIG_MAPS | typeof SECRETS;

/** Follows the labelled objects of a kind, and keeps their resourceVersions. */
class Follower {
  readonly versions = new Map<string, string>();
  readonly counts = new Map<ReflectorCounter, number>();
  readonly reflector: Reflector<string>;
  readonly resource: Followed;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(resource: Followed, { client, timing }: Pick<ReflectorOptions<string>, 'client' | 'timing'>) {
    this.resource = resource;
    this.reflector = new Reflector<string>({
      client,
      resource: { path: `/api/v1/${resource.plural}`, query: { labelSelector: SELECTOR } },
      decode: (raw) => {
        const { metadata } = raw as { metadata: { name: string; resourceVersion: string } };
        return { key: metadata.name, value: metadata.resourceVersion };
      },
      sink: {
        put: (version, key) => this.versions.set(key, version),
        delete: (key) => this.versions.delete(key),
        synced: () => undefined,
      },
      clock: systemClock,
      random: systemRandom,
      logger: recordingLogger().logger,
      counters: {
        increment: (counter) => this.counts.set(counter, this.count(counter) + 1),
        contact: () => undefined,
      },
      timing,
    });
    this.#running = this.reflector.run(this.#stop.signal);
  }

  count(counter: ReflectorCounter): number {
    return this.counts.get(counter) ?? 0;
  }

  watching(): Promise<boolean> {
    return eventually('a watch', () => this.reflector.health().watching);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

describe('Berth at a real API server', () => {
  let cluster: ControlPlane;
  let proxy: TcpProxy;
  let client: KubeClient;
  const followers: Follower[] = [];

  beforeAll(async () => {
    cluster = await startControlPlane({
      controllers: [],
      users: { nobody: [] },
      flags: {
        // Without a cache ConfigMaps are watched and paged in etcd itself, which forgets everything after a few seconds.
        'kube-apiserver': ['--watch-cache-sizes=configmaps#0', '--etcd-compaction-interval=1s'],
      },
    });
    proxy = await TcpProxy.start(Number(new URL(cluster.url).port));
    client = clientOf(through(proxy, cluster.kubeconfig()));
  });

  afterEach(async () => {
    await Promise.all(followers.splice(0).map((follower) => follower.stop()));
  });

  afterAll(async () => {
    client.close();
    await proxy.stop();
    await cluster.stop();
  });

  function clientOf(file: string): KubeClient {
    return new KubeClient({
      connection: new KubeconfigSource({ clock: systemClock, file }),
      clock: systemClock,
      userAgent: 'berth/test',
      qps: 1000,
      burst: 1000,
    });
  }

  /** A kubeconfig that goes through the proxy. */
  function through({ port }: TcpProxy, kubeconfig: string): string {
    const file = join(cluster.folder, 'proxied.kubeconfig');
    const text = readFileSync(kubeconfig, 'utf8');
    writeFileSync(file, text.replace(cluster.url, `https://127.0.0.1:${String(port)}`));
    return file;
  }

  function follow(
    resource: Followed,
    options: Partial<Pick<ReflectorOptions<string>, 'client' | 'timing'>> = {},
  ): Follower {
    const follower = new Follower(resource, { client, ...options });
    followers.push(follower);
    return follower;
  }

  function create(resource: Followed, name: string): Promise<unknown> {
    return cluster.api.create(resource, { metadata: { name, labels: LABELS } });
  }

  function change(resource: Followed, name: string, round: number): Promise<unknown> {
    const body = { metadata: { annotations: { round: String(round) } } };
    return cluster.api.patch(resource, { name }, { type: 'merge', body });
  }

  /** Long enough for etcd to forget what was before: revisions to forget, and two rounds of compaction. */
  async function forgotten(): Promise<void> {
    for (let round = 1; round <= 8; round += 1) {
      await change(CONFIG_MAPS, 'page-1', round);
      await sleep(500);
    }
  }

  async function listed(resource: Followed): Promise<string> {
    const { items } = await cluster.api.list(resource, { labelSelector: SELECTOR });
    return sorted(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  }

  /** Waits until the follower knows what a fresh list says. */
  function same({ versions, resource }: Follower): Promise<boolean> {
    const isSame = async (): Promise<boolean> => sorted([...versions]) === (await listed(resource));
    return eventually('what a fresh list says', isSame, { timeoutMillis: 15_000 });
  }

  test.each([CONFIG_MAPS, SECRETS])(
    'is told of all $plural by one watch, and follows every change',
    async (resource) => {
      await inBatches(320, (index) => create(resource, `page-${String(index)}`));
      const follower = follow(resource);
      await follower.watching();
      expect(follower.versions.size).toBe(320);

      await create(resource, 'one');
      await change(resource, 'page-1', 1);
      await cluster.api.delete(resource, { name: 'page-2' });
      const body = { metadata: { labels: { app: null } } };
      await cluster.api.patch(resource, { name: 'page-3' }, { type: 'merge', body });
      await same(follower);
      expect(follower.versions.has('page-3')).toBe(false);
      expect(follower.versions.size).toBe(319);
      expect(follower.count('lists')).toBe(1);
    },
  );

  test.each([CONFIG_MAPS, SECRETS])(
    'lists $plural in one answer where there are no such watches',
    async (resource) => {
      const asked: unknown[] = [];
      const follower = follow(resource, {
        client: {
          exchange: (request) => client.exchange(request),
          stream: (request) => {
            const { query } = request;
            if (query?.['watch'] === true && query['sendInitialEvents'] === true)
              // What a server says that has the feature turned off, or does not know of it, is made by one that has it.
              return client.stream({ ...request, query: { ...query, resourceVersionMatch: 'Exact' } });
            asked.push(query?.['resourceVersionMatch']);
            return client.stream(request);
          },
        },
      });
      await follower.watching();
      await same(follower);
      expect(asked).toEqual(['NotOlderThan', undefined]);
      expect(follower.versions.size).toBeGreaterThan(300);
      expect(follower.count('lists')).toBe(1);
    },
  );

  test('loses nothing while its connection is cut again and again', async () => {
    const follower = follow(SECRETS);
    await follower.watching();
    for (let round = 1; round <= 25; round += 1) {
      const name = `cut-${String(round)}`;
      await Promise.all([create(SECRETS, name), change(SECRETS, 'page-1', round)]);
      if (round % 2 === 0) await cluster.api.delete(SECRETS, { name });
      proxy.cut();
    }
    await same(follower);
    expect(follower.count('relists')).toBe(0);
    expect(follower.count('restarts')).toBeGreaterThanOrEqual(2);
  });

  test('catches up after the API server was out of reach for two seconds', async () => {
    const follower = follow(SECRETS);
    await follower.watching();
    proxy.setOpen(false);
    await create(SECRETS, 'away');
    await cluster.api.delete(SECRETS, { name: 'page-4' });
    await sleep(2000);
    expect(follower.reflector.health()).toMatchObject({ synced: true, watching: false });
    expect(follower.reflector.health().failures).toBeGreaterThanOrEqual(2);
    expect(follower.versions.has('page-4')).toBe(true);
    proxy.setOpen(true);
    await same(follower);
    expect(follower.count('relists')).toBe(0);
  });

  test('notices that nothing comes any more, and continues through a new connection', async () => {
    const follower = follow(SECRETS, { timing: { stallMillis: 1500 } });
    await follower.watching();
    proxy.setWithholding(true);
    await create(SECRETS, 'withheld');
    await eventually('the stall', () => follower.count('stalls') >= 1);
    expect(follower.versions.has('withheld')).toBe(false);
    proxy.setWithholding(false);
    await same(follower);
    expect(follower.count('relists')).toBe(0);
  });

  test('lists again when what it missed is forgotten, and learns what was deleted', async () => {
    const follower = follow(CONFIG_MAPS);
    await follower.watching();
    proxy.setOpen(false);
    await cluster.api.delete(CONFIG_MAPS, { name: 'page-5' });
    await forgotten();
    proxy.setOpen(true);
    await same(follower);
    expect(follower.count('relists')).toBe(1);
  });

  test('begins a list again when its pages are forgotten before it has read them', async () => {
    let isFirst = true;
    const slow: ReflectorOptions<string>['client'] = {
      stream: (request) =>
        request.query?.['resourceVersionMatch'] === undefined
          ? client.stream(request)
          : Promise.reject(new PortError('Invalid', { operation: 'list', message: 'pages only' })),
      exchange: async (request) => {
        const isSecondPage = request.query?.['continue'] !== undefined;
        if (isFirst && isSecondPage) {
          isFirst = false;
          await forgotten();
        }
        return client.exchange({ ...request, query: { ...request.query, limit: 100 } });
      },
    };
    const follower = follow(CONFIG_MAPS, { client: slow });
    await eventually('a watch', () => follower.reflector.health().watching, { timeoutMillis: 20_000 });
    await same(follower);
    // One that ended with the first page, one that ended with the second, and one to the end.
    expect(follower.count('lists')).toBe(3);
  });

  test('names each refusal of the API server', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const metadata = { name: 'page-1', labels: LABELS };
    await expect(client.request({ method: 'GET', path: `${path}/none` })).rejects.toMatchObject({
      code: 'NotFound',
    });
    await expect(client.request({ method: 'POST', path, body: { metadata } })).rejects.toMatchObject({
      code: 'AlreadyExists',
    });
    const stale = { metadata: { ...metadata, resourceVersion: '1' } };
    await expect(
      client.request({ method: 'PUT', path: `${path}/page-1`, body: stale }),
    ).rejects.toMatchObject({
      code: 'Conflict',
    });
    await expect(client.request({ method: 'POST', path, body: { metadata: {} } })).rejects.toMatchObject({
      code: 'Invalid',
    });
    const uid = '00000000-0000-0000-0000-000000000000';
    const body = { preconditions: { uid } };
    await expect(client.request({ method: 'DELETE', path: `${path}/page-1`, body })).rejects.toMatchObject({
      code: 'Conflict',
    });
    const stranger = clientOf(cluster.kubeconfig('nobody'));
    await expect(stranger.request({ method: 'GET', path })).rejects.toMatchObject({ code: 'Forbidden' });
    stranger.close();
    const old = { query: { watch: true, resourceVersion: '1' } };
    const watch = await client.stream({ path, ...old }).then(readAll, (error: unknown) => error);
    expect(JSON.stringify(watch)).toMatch(/Gone|410/);
  });

  test('calls an eviction Blocked that a budget forbids', async () => {
    await cluster.api.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'budget' },
      spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
    });
    const account = { spec: { serviceAccountName: 'default' } };
    await cluster.api.raw({
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts',
      body: { metadata: { name: 'default' } },
    });
    await cluster.api.create(PODS, podManifest({ name: 'guarded', labels: LABELS, ...account }));
    const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    await cluster.api.patchStatus(PODS, { name: 'guarded' }, { type: 'merge', body: running });
    const eviction = client.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods/guarded/eviction',
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'guarded' } },
    });
    await expect(eviction).rejects.toMatchObject({ code: 'Blocked', retryable: true });
  });
});

describe('a reflector of 20,000 pods', () => {
  test.each([
    ['list', false],
    ['watch', true],
  ])(
    'never keeps the thread for 50 ms at a stretch while a %s tells them',
    async (_, hasWatchLists) => {
      const server = await FakeApiServer.start();
      server.hasWatchLists = hasWatchLists;
      for (let index = 0; index < 20_000; index += 1) {
        const { spec, status } = largePod(index);
        server.put(`pod-${String(index)}`, { spec, status });
      }
      const file = join(import.meta.dirname, `measured-list.${String(process.pid)}.mjs`);
      try {
        compile('test/adapters/kube/transport/measured-list.ts', file);
        // What else runs on this host can only make it longer.
        let best: Measured | undefined;
        for (let round = 0; round < 3 && (best?.worstBlockMillis ?? Infinity) >= 50; round += 1) {
          const args = [file, server.url, '/api/v1/things'];
          const { stdout } = await promisify(execFile)(process.execPath, args);
          const measured = JSON.parse(stdout) as Measured;
          expect(measured.pods).toBe(20_000);
          if (measured.worstBlockMillis < (best?.worstBlockMillis ?? Infinity)) best = measured;
        }
        expect(best?.worstBlockMillis).toBeLessThan(50);
      } finally {
        rmSync(file, { force: true });
        await server.stop();
      }
    },
    180_000,
  );
});

function compile(path: string, outfile: string): void {
  const options = ['--bundle', '--format=esm', '--platform=node', '--log-level=warning'];
  execFileSync(join('node_modules', 'esbuild', 'bin', 'esbuild'), [path, `--outfile=${outfile}`, ...options]);
}

/** About 1,750 bytes of JSON, most of which a scheduler does not look at. */
function largePod(index: number): { readonly spec: unknown; readonly status: unknown } {
  const image = 'registry.example.com/team/service@sha256:'.padEnd(110, '0123456789abcdef');
  const probe = {
    httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
    periodSeconds: 10,
    timeoutSeconds: 1,
  };
  const at = '2026-01-01T00:00:00Z';
  return {
    spec: {
      nodeName: `node-${String(index % 500)}`,
      containers: [
        {
          name: 'app',
          image,
          env: Array.from({ length: 6 }, (_, one) => ({
            name: `SETTING_${String(one)}`,
            value: 'some value',
          })),
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          livenessProbe: probe,
          readinessProbe: probe,
          volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
        },
      ],
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
      schedulerName: 'default-scheduler',
      serviceAccountName: 'default',
    },
    status: {
      phase: 'Running',
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        ...{ type, status: 'True', lastProbeTime: null, lastTransitionTime: at },
      })),
      containerStatuses: [
        { name: 'app', ready: true, restartCount: 0, image, imageID: image, state: { running: {} } },
      ],
    },
  };
}

async function inBatches(count: number, each: (index: number) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < count; start += 20) {
    const length = Math.min(20, count - start);
    await Promise.all(Array.from({ length }, (_, offset) => each(start + offset)));
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += Buffer.from(chunk).toString();
  return text;
}

function sorted(entries: readonly (readonly [string, string])[]): string {
  return JSON.stringify([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

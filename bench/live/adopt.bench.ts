/** Nodes of the real Karpenter, launched by its KWOK provider, are adopted, given back to it as it runs, and adopted again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { berthCommand } from '../../test/controlplane/berth/berth-command.js';
import { NODE_CLAIMS } from '../../test/controlplane/berth/kinds.js';
import type { ControlPlane } from '../../test/controlplane/fixture/control-plane.js';
import { DEPLOYMENTS, NODES, PODS, type Node } from '../../test/controlplane/fixture/api/kube-object.js';
import { eventually } from '../../test/controlplane/fixture/eventually.js';
import { writeReport } from '../../test/controlplane/fidelity/report.js';
import { KARPENTER_NODE_CLAIMS } from '../../test/controlplane/karpenter/karpenter-model.js';
import { writeInstanceTypes } from './instance-types.js';
import { startBerth } from '../../test/live/fixture/berth.js';
import { startKarpenter } from '../../test/live/fixture/karpenter.js';
import { builds, startLiveCluster, SYSTEM_NODE } from '../../test/live/fixture/live-cluster.js';
import type { System } from '../../test/live/fixture/system.js';
import { NODE_POOL } from './node-pool.js';

const SIZE = 20;
/** Longer than Karpenter looks for garbage and disrupts. */
const WATCHED_MILLIS = 45_000;

/** One on each node, and none that may be moved. */
const LABELS = { app: 'web' };
const ONE_PER_NODE = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: LABELS } };
const SPEC = {
  replicas: SIZE,
  selector: { matchLabels: LABELS },
  template: {
    metadata: { labels: LABELS, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    spec: {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [ONE_PER_NODE] } },
      containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: '500m', memory: '512Mi' } } }],
    },
  },
};

/** What is seen of the cluster. */
class Sight {
  readonly #cluster: ControlPlane;

  constructor(cluster: ControlPlane) {
    this.#cluster = cluster;
  }

  async untilBound(): Promise<void> {
    const bound = async (): Promise<boolean> => {
      const { items } = await this.#cluster.api.list(PODS, { namespace: 'default' });
      return items.filter(({ status }) => status.phase === 'Running').length === SIZE;
    };
    await eventually('all pods run', bound, { timeoutMillis: 180_000, everyMillis: 500 });
  }

  /** Nodes and pods, each object by its uid: none was replaced as long as these stay. */
  async identities(): Promise<readonly string[]> {
    const pods = (await this.#cluster.api.list(PODS, { namespace: 'default' })).items;
    return [...(await this.#nodes()), ...pods]
      .map(({ metadata }) => `${metadata.name} ${metadata.uid}`)
      .sort();
  }

  /** On any Node. */
  async finalizers(): Promise<readonly string[]> {
    return [...new Set((await this.#nodes()).flatMap(({ metadata }) => metadata.finalizers ?? []))].sort();
  }

  async #nodes(): Promise<readonly Node[]> {
    const { items } = await this.#cluster.api.list(NODES);
    return items.filter(({ metadata }) => metadata.name !== SYSTEM_NODE.metadata.name);
  }
}

async function withPool(start: Promise<System>): Promise<System> {
  const system = await start;
  await system.putPool(NODE_POOL);
  return system;
}

describe(`${String(SIZE)} nodes of the real Karpenter`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-adopt-'));
  const instanceTypes = join(folder, 'instance-types.json');
  const running: System[] = [];
  let cluster: ControlPlane;
  let sight: Sight;
  let before: readonly string[] = [];

  beforeAll(async () => {
    const built = builds();
    writeInstanceTypes(instanceTypes);
    cluster = await startLiveCluster(built);
    sight = new Sight(cluster);
    const karpenter = await withPool(startKarpenter(cluster, built, instanceTypes));
    await cluster.api.create(DEPLOYMENTS, { metadata: { name: 'web' }, spec: SPEC });
    await sight.untilBound();
    // Claims of nodes that are not initialized are refused.
    await sleep(5000);
    await karpenter.stop();
    before = await sight.identities();
    running.push(await withPool(startBerth(cluster, instanceTypes, 'here')));
  }, 600_000);

  afterAll(async () => {
    for (const system of running) await system.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function command(...words: readonly string[]): Promise<void> {
    const cloud = ['--cloud', 'kwok', '--kwok-instance-types', instanceTypes];
    const { code, stderr } = await berthCommand([...words, ...cloud], cluster);
    if (code !== 0) throw new Error(`exit code ${String(code)}: ${stderr.slice(-2000)}`);
  }

  test('are adopted', async () => {
    await command('adopt', '--from', 'karpenter');
    expect((await cluster.api.list(KARPENTER_NODE_CLAIMS)).items).toEqual([]);
    expect((await cluster.api.list(NODE_CLAIMS)).items).toHaveLength(SIZE);
    expect(await sight.finalizers()).toEqual(['berth.sh/termination']);
    await sleep(WATCHED_MILLIS);
    expect(await sight.identities()).toEqual(before);
  });

  test('are given back, and Karpenter, started again, keeps each of them', async () => {
    await command('release', '--to', 'karpenter');
    expect(await sight.finalizers()).toEqual(['karpenter.sh/termination']);
    const karpenter = await startKarpenter(cluster, builds(), instanceTypes);
    await sleep(WATCHED_MILLIS);
    await karpenter.stop();
    expect(await sight.identities()).toEqual(before);
    const claims = (await cluster.api.list(KARPENTER_NODE_CLAIMS)).items;
    expect(claims).toHaveLength(SIZE);
    expect(claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
    expect(await sight.finalizers()).toEqual(['karpenter.sh/termination']);
  });

  test('are adopted again; no node and no pod was replaced', async () => {
    await command('adopt', '--from', 'karpenter');
    expect((await cluster.api.list(NODE_CLAIMS)).items).toHaveLength(SIZE);
    const now = await sight.identities();
    const gone = before.filter((each) => !now.includes(each)).length;
    const added = now.length - before.length;
    writeReport('adopt-live', 'make bench-live ARGS=live/adopt', { nodes: SIZE, gone, added });
    expect(now).toEqual(before);
  });
});

/** 200 nodes of Karpenter are adopted, released and adopted again, with workloads coming and going and the command being killed. */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemRandom } from '../../../src/runtime/process/system-random.js';
import { deployment, nodeClass, nodePool } from '../../scenario/objects.js';
import { Scenario } from '../../scenario/scenario.js';
import { CLUSTER_NAME } from '../berth/aws-backend.js';
import { berthCommand, type CommandAnswer } from '../berth/berth-command.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { NODE_CLAIMS } from '../berth/kinds.js';
import { RealWorld } from '../berth/real-world.js';
import { writeReport } from '../fidelity/report.js';
import { clusterScoped, DEPLOYMENTS, NODES, PODS } from '../fixture/api/kube-object.js';
import {
  applyKarpenterKinds,
  KARPENTER_NODE_CLAIMS,
  launchNodes,
  owners,
  POOL,
  startProcess,
  type Owner,
} from '../karpenter/karpenter-model.js';

const SIZE = Number(process.env['BERTH_ADOPTED_NODES'] ?? 200);
const ANY_CLAIMS = clusterScoped('berth.sh/v1', 'NodeClaim');

describe(`${String(SIZE)} nodes of a Karpenter that launched them`, () => {
  let berth: BerthCluster;
  let world: RealWorld;
  let instances: readonly string[] = [];
  const churn = new AbortController();
  let churning: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    berth = await BerthCluster.start({ controlPlane: { audit: true } });
    world = new RealWorld(berth);
    const scenario = new Scenario(world);
    const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' };
    await scenario.given(nodeClass(), nodePool({ name: POOL, spec: { disruption } }));
    await applyKarpenterKinds(berth.cluster);
    await launchNodes(berth, SIZE);
    await startProcess(berth.cluster);
    await world.apply([
      deployment({ name: 'steady', replicas: SIZE, requests: { cpu: '100m' } }),
      deployment({ name: 'churn', replicas: 10, requests: { cpu: '100m' } }),
    ]);
    await running(SIZE + 10);
    instances = runningInstances();
    churning = comeAndGo();
  }, 600_000);

  afterAll(async () => {
    churn.abort();
    await churning;
    await berth.stop();
  });

  async function running(pods: number): Promise<void> {
    await world.until(
      `${String(pods)} pods run`,
      async () => {
        const { items } = await berth.cluster.api.list(PODS, { namespace: 'default' });
        return items.filter(({ status }) => status.phase === 'Running').length >= pods;
      },
      120,
    );
  }

  function runningInstances(): readonly string[] {
    const up = berth.aws.instances().filter(({ state }) => state === 'running');
    return up.map(({ id }) => id).sort();
  }

  /** Of EC2, ended ones too: requests would count dry runs, by which Berth checks its permissions when it starts. */
  function instancesEver(): number {
    return berth.aws.instances().length;
  }

  /** Pods start and end all the while. */
  async function comeAndGo(): Promise<void> {
    while (!churn.signal.aborted) {
      const replicas = 10 + Math.floor(systemRandom.next() * 40);
      const body = { spec: { replicas } };
      await berth.cluster.api
        .patch(DEPLOYMENTS, { name: 'churn' }, { type: 'merge', body })
        .catch(() => undefined);
      await sleep(1000, undefined, { signal: churn.signal }).catch(() => undefined);
    }
  }

  function command(words: readonly string[], killAfterMillis?: number): Promise<CommandAnswer> {
    const cloud = ['--cloud', 'aws', '--region', 'eu-west-3', '--cluster-name', CLUSTER_NAME];
    const all = [...words, '-o', 'json', ...cloud, '--aws-endpoint', berth.instances.url];
    return berthCommand(all, berth.cluster, killAfterMillis);
  }

  const ADOPT = ['adopt', '--from', 'karpenter', '--stop-other'];
  const RELEASE = ['release', '--to', 'karpenter', '--stop-other'];

  async function expectOneOwnerEach(): Promise<ReadonlyMap<string, readonly Owner[]>> {
    const claims = (await berth.cluster.api.list(ANY_CLAIMS)).items;
    const { byInstance, doomed } = await owners(berth, claims);
    expect(doomed).toEqual([]);
    expect([...byInstance].filter(([, each]) => each.length !== 1)).toEqual([]);
    expect([...byInstance.keys()].sort()).toEqual(instances);
    return byInstance;
  }

  /** Kills it at random moments, looks at what it left, and lets it end. */
  async function through(words: readonly string[], kills: number, owner: Owner): Promise<void> {
    for (let kill = 0; kill < kills; kill++) {
      const millis = 1500 + Math.floor(systemRandom.next() * 8000);
      const { code } = await command(words, millis);
      await expectOneOwnerEach();
      if (code === 0) break;
    }
    const { code, stdout, stderr } = await command(words);
    if (code !== 0) throw new Error(`exit code ${String(code)}: ${stderr.slice(-2000)}`);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { refused: 0, failed: 0 } });
    const byInstance = await expectOneOwnerEach();
    expect(new Set([...byInstance.values()].flat())).toEqual(new Set([owner]));
  }

  /** Of pods, since the control plane was started. */
  function evictions(): number {
    return berth.cluster.auditEvents().filter(({ objectRef }) => objectRef?.subresource === 'eviction')
      .length;
  }

  test('a dry run names eight steps for each, and changes nothing', async () => {
    const { code, stdout, stderr } = await command([...ADOPT, '--dry-run']);
    expect(code).toBe(0);
    expect(stderr).toContain('Deployment kube-system/karpenter has 2 replicas');
    const { summary, nodes } = JSON.parse(stdout) as {
      readonly summary: { readonly planned: number };
      readonly nodes: readonly { readonly steps: readonly unknown[] }[];
    };
    expect(summary.planned).toBe(SIZE);
    expect(new Set(nodes.map(({ steps }) => steps.length))).toEqual(new Set([8]));
    expect((await berth.cluster.api.list(NODE_CLAIMS)).items).toEqual([]);
  }, 60_000);

  test('are not touched while Karpenter runs', async () => {
    const { code, stderr } = await command(['adopt', '--from', 'karpenter']);
    expect(code).toBe(1);
    expect(stderr).toContain('kubectl -n kube-system scale deployment karpenter --replicas=0');
  }, 60_000);

  test('are adopted, although the command is killed again and again', async () => {
    await through(ADOPT, 4, 'berth');
    expect((await berth.cluster.api.list(KARPENTER_NODE_CLAIMS)).items).toEqual([]);
    const claims = (await berth.cluster.api.list(NODE_CLAIMS)).items;
    expect(claims).toHaveLength(SIZE);
    const notReady = claims.filter(
      ({ status }) => !status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True'),
    );
    expect(notReady).toEqual([]);
    const nodes = (await berth.cluster.api.list(NODES)).items;
    expect(new Set(nodes.flatMap(({ metadata }) => metadata.finalizers ?? []))).toEqual(
      new Set(['berth.sh/termination']),
    );
    expect(nodes.flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
  }, 400_000);

  test('have not drifted a while after', async () => {
    await sleep(15_000);
    const claims = (await berth.cluster.api.list(NODE_CLAIMS)).items;
    const drifted = claims.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Drifted'));
    expect(drifted.map(({ status }) => status?.conditions)).toEqual([]);
    expect(claims.filter(({ status }) => status?.disruption !== undefined)).toEqual([]);
  }, 60_000);

  test('are released, and Karpenter is started again', async () => {
    await through(RELEASE, 3, 'karpenter');
    expect((await berth.cluster.api.list(NODE_CLAIMS)).items).toEqual([]);
    expect((await berth.cluster.api.list(KARPENTER_NODE_CLAIMS)).items).toHaveLength(SIZE);
    const { spec } = await berth.cluster.api.get(DEPLOYMENTS, {
      name: 'karpenter',
      namespace: 'kube-system',
    });
    expect(spec.replicas).toBe(2);
  }, 400_000);

  test('are adopted again; in all, no pod was evicted and no instance launched or terminated', async () => {
    // Berth itself is killed in the middle, too, and comes back.
    const adoption = through(ADOPT, 0, 'berth');
    await sleep(5000);
    await berth.berth.kill();
    await Promise.all([adoption, berth.startBerth()]);
    expect(runningInstances()).toEqual(instances);
    const report = {
      nodes: SIZE,
      evictions: evictions(),
      launches: instancesEver() - SIZE,
      terminations: instancesEver() - runningInstances().length,
    };
    writeReport('adopt', 'make test-cluster ARGS=suite/adopt', report);
    expect(report).toEqual({ nodes: SIZE, evictions: 0, launches: 0, terminations: 0 });
  }, 400_000);
});

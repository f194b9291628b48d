/** The benchmark's workloads: the same seed gives the same pods, and they are shaped as promised. */
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import { ARCH, HOSTNAME, ZONE } from '../../src/domain/values/labels.js';
import { clusterInputOf } from '../../bench/workloads/cluster-input.js';
import { deploymentPods } from '../../bench/workloads/deployment-pods.js';
import { diversePods } from '../../bench/workloads/diverse-pods.js';
import { halfFullNodes } from '../../bench/workloads/half-full.js';
import { multiplePools, multiPoolPods } from '../../bench/workloads/multi-pool.js';
import { COMPARED, makeWorkload } from '../../bench/workloads/named-workloads.js';
import { homogeneousPods, mixedPods, podsOfShapes } from '../../bench/workloads/plain-pods.js';
import { shuffled } from '../../bench/workloads/shuffle.js';
import type { NeutralPod, Workload } from '../../bench/workloads/workload.js';

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const types = catalogueFor('us-east-1').instanceTypes;

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

function shapeOf({ requests }: NeutralPod): string {
  return JSON.stringify(requests);
}

/** Everything of a pod but its name. */
function contentOf(pod: NeutralPod): string {
  return JSON.stringify({ ...pod, name: '' });
}

describe('a named workload', () => {
  test.each(COMPARED.map(({ name }) => name).filter((name) => !name.startsWith('shapes')))(
    '%s is the same for the same seed, and another for another unless all its pods are equal',
    (name) => {
      const kind = COMPARED.find((each) => each.name === name);
      if (kind === undefined) throw new Error(`no kind ${name}`);
      const made = makeWorkload(kind, 1, types);
      const [again, another] = [1, 2].map((seed) => JSON.stringify(makeWorkload(kind, seed, types).pods));
      expect(JSON.stringify(made.pods) === again).toBe(true);
      const isUniform = new Set(made.pods.map(shapeOf)).size === 1;
      expect(another === again).toBe(isUniform);
      expect(new Set(made.pods.map((pod) => pod.name)).size).toBe(made.pods.length);
    },
  );

  test('with spot in its name may buy spot, with od in it only on demand', () => {
    const capacityTypes = COMPARED.filter(({ name }) => name.startsWith('mixed')).map((kind) => {
      const [pool] = makeWorkload(kind, 1, types).nodePools;
      return [kind.name, pool?.requirements.find(({ key }) => key === 'karpenter.sh/capacity-type')?.values];
    });
    expect(capacityTypes).toEqual([
      ['mixed-10k-od', ['on-demand']],
      ['mixed-10k-spot', ['spot', 'on-demand']],
    ]);
  });
});

describe('generated pods', () => {
  test('of the homogeneous kind are all equal', () => {
    expect([...countBy(homogeneousPods(50), contentOf).values()]).toEqual([50]);
  });

  test('of the mixed kind ask for 0.1 to 4 CPU and 256 MiB to 16 GiB, and differ', () => {
    const pods = mixedPods(2000, 3);
    const millicores = pods.map(({ requests }) => parseInt(requests['cpu'] ?? '', 10));
    const mebibytes = pods.map(({ requests }) => parseInt(requests['memory'] ?? '', 10));
    expect([Math.min(...millicores), Math.max(...millicores)]).toEqual([100, 4000]);
    expect([Math.min(...mebibytes), Math.max(...mebibytes)]).toEqual([256, 16384]);
    expect(new Set(pods.map(shapeOf)).size).toBeGreaterThan(1000);
  });

  test('have exactly as many shapes as were asked for', () => {
    expect(new Set(podsOfShapes(500, 100, 5).map(shapeOf)).size).toBe(100);
    expect(new Set(podsOfShapes(100, 100, 5).map(shapeOf)).size).toBe(100);
  });

  test('of the diverse kind are a sixth each of its kinds, and what is left over is generic', () => {
    const pods = diversePods(602, 5);
    expect(Object.fromEntries(countBy(pods, ({ name }) => name.replace(/-\d+$/, '')))).toEqual({
      generic: 102,
      'spread-zone': 100,
      'spread-hostname': 100,
      'aff-zone': 100,
      'aff-host': 100,
      'anti-host': 100,
    });
    const keys = (of: (pod: NeutralPod) => readonly { readonly topologyKey: string }[] | undefined) =>
      Object.fromEntries(
        countBy(
          pods.flatMap((pod) => of(pod) ?? []),
          ({ topologyKey }) => topologyKey,
        ),
      );
    expect(keys(({ topologySpread }) => topologySpread)).toEqual({ [ZONE]: 100, [HOSTNAME]: 100 });
    expect(keys(({ podAffinity }) => podAffinity)).toEqual({ [ZONE]: 100, [HOSTNAME]: 100 });
    expect(keys(({ podAntiAffinity }) => podAntiAffinity)).toEqual({ [HOSTNAME]: 100 });
  });

  test('of Deployments come in twenties that differ in their names only', () => {
    const pods = deploymentPods(200, ZONES, 11);
    const content = countBy(pods, contentOf);
    expect(content.size).toBe(200);
    expect(new Set(content.values())).toEqual(new Set([20]));
    const spread = pods.filter(({ topologySpread }) => topologySpread !== undefined).length / pods.length;
    expect(spread).toBeGreaterThan(0.3);
    expect(spread).toBeLessThan(0.6);
  });

  test('for several pools want GPUs with their toleration, or an architecture, and spread only where no zone is given', () => {
    const pods = multiPoolPods(2000, ZONES, 13);
    const gpuPods = pods.filter(({ requests }) => requests['nvidia.com/gpu'] !== undefined);
    expect(gpuPods.length / pods.length).toBeGreaterThan(0.05);
    expect(gpuPods.every(({ tolerations }) => tolerations?.[0]?.key === 'nvidia.com/gpu')).toBe(true);
    const arm = pods.filter(({ nodeSelector }) => nodeSelector?.[ARCH] === 'arm64').length / pods.length;
    expect(arm).toBeGreaterThan(0.15);
    expect(arm).toBeLessThan(0.3);
    const pinned = pods.filter(({ nodeSelector }) => nodeSelector?.[ZONE] !== undefined);
    expect(pinned.length).toBeGreaterThan(0);
    expect(pinned.filter(({ topologySpread }) => topologySpread !== undefined)).toEqual([]);
    expect(multiplePools(['t4']).map(({ name }) => name)).toEqual(['gpu', 'arm-spot', 'generic']);
  });
});

describe('a half-full cluster', () => {
  const nodes = halfFullNodes({ nodes: 40, podsPerNode: 10, zones: ZONES, seed: 17 });
  const workload: Workload = {
    name: 'half',
    seed: 17,
    nodes,
    nodePools: [],
    daemonsets: [],
    pods: homogeneousPods(3),
  };

  test('has its pods on nodes of the catalogue, in all zones, filled to about half', () => {
    const input = clusterInputOf(workload, types);
    expect(input.nodes).toHaveLength(40);
    expect(new Set(input.nodes.map(({ labels }) => labels.get(ZONE)))).toEqual(new Set(ZONES));
    const shares = input.nodes.map(({ name, allocatable }) => {
      const inside = input.pods.filter(({ nodeName }) => nodeName === name);
      const used = inside.reduce((sum, { spec }) => sum + (spec.requests.get('cpu') ?? 0), 0);
      return used / (allocatable.get('cpu') ?? 0);
    });
    expect(Math.min(...shares)).toBeGreaterThan(0.3);
    expect(Math.max(...shares)).toBeLessThan(0.65);
    expect(input.pods.filter(({ nodeName }) => nodeName === undefined)).toHaveLength(3);
  });

  test('of an unknown type is refused by name', () => {
    const [first] = nodes;
    if (first === undefined) throw new Error('no node');
    const odd = { ...workload, nodes: [{ ...first, instanceType: 'x1.odd' }] };
    expect(() => clusterInputOf(odd, types)).toThrow('node node-0 is of the unknown type x1.odd');
  });
});

describe('a shuffle', () => {
  const pods = mixedPods(300, 3);
  const workload: Workload = { name: 'm', seed: 3, nodePools: [], daemonsets: [], nodes: [], pods };

  test('holds the same pods in another order, under names of which each occurs once', () => {
    const other = shuffled(workload, 9).pods;
    expect(other.map(contentOf)).not.toEqual(pods.map(contentOf));
    expect(other.map(contentOf).sort()).toEqual(pods.map(contentOf).sort());
    expect(new Set(other.map(({ name }) => name)).size).toBe(300);
  });

  test('depends on its seed alone', () => {
    expect(shuffled(workload, 9)).toEqual(shuffled(workload, 9));
    expect(shuffled(workload, 9)).not.toEqual(shuffled(workload, 10));
  });
});

test('pods that differ in their names only share one spec, as pods of one template do', () => {
  const workload: Workload = {
    name: 'h',
    seed: 1,
    nodePools: [],
    daemonsets: [],
    nodes: [],
    pods: homogeneousPods(4),
  };
  const { pods } = clusterInputOf(workload, types);
  expect(new Set(pods.map(({ spec }) => spec)).size).toBe(1);
  expect(pods.map(({ name }) => name)).toEqual(['p0', 'p1', 'p2', 'p3']);
});

/** Seeded workloads of a few hundred pods over the embedded catalogue: small relatives of the ones in bench/. */
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { ARCH, CAPACITY_TYPE, HOSTNAME, INSTANCE_PREFIX, ZONE } from '../../src/domain/values/labels.js';
import type { Pod } from '../../src/domain/pods/pod.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from './builders/cluster-input.js';
import { oneOf, podTerm, spreadOver, taint, tolerateKey } from './builders/constraints.js';
import { daemonSet } from './builders/daemon-set.js';
import { REGION, ZONES } from './builders/instance-type.js';
import { poolOffer, type NodePoolOverrides } from './builders/node-pool.js';
import { pod, replicas, type PodOverrides, type Quantities } from './builders/pod.js';

export interface Workload {
  readonly name: string;
  readonly input: ClusterInput;
}

/** Numbers in [0, 1), the same for the same seed on every host (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a generator draws from: a source of numbers, and choices made with it. */
class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Whether something with this probability happens. */
  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  oneOf<T>(list: readonly [T, ...T[]]): T {
    return list[Math.floor(this.#random() * list.length)] ?? list[0];
  }

  requests(): Quantities {
    const cpu = this.oneOf(['100m', '250m', '500m', '1', '2']);
    return { cpu, memory: this.oneOf(['256Mi', '512Mi', '1Gi', '2Gi', '4Gi', '8Gi']) };
  }
}

const GENERAL = oneOf(`${INSTANCE_PREFIX}category`, 'c', 'm', 'r');
const BOTH_ARCHS = oneOf(ARCH, 'amd64', 'arm64');

/** All kinds: homogeneous, mixed, deployments, diverse constraints, several pools; on demand and on spot. */
export function smallWorkloads(): readonly Workload[] {
  const types = catalogueFor(REGION).instanceTypes;
  const kinds: readonly (readonly [string, readonly Pod[]])[] = [
    [
      'homogeneous',
      replicas(500, { name: 'a', labels: { app: 'a' }, requests: { cpu: '1', memory: '2Gi' } }),
    ],
    ['mixed', mixed(new Draw(42))],
    ['deployments', deployments(new Draw(7))],
    ['diverse', diverse(new Draw(43))],
  ];
  const single = kinds.flatMap(([name, pods]) => [
    workload(`${name}-on-demand`, pods, [defaultPool(['on-demand'])], types),
    workload(`${name}-spot`, pods, [defaultPool(['spot', 'on-demand'])], types),
  ]);
  return [...single, workload('several-pools', forSeveralPools(new Draw(99)), severalPools(), types)];
}

function workload(
  name: string,
  pods: readonly Pod[],
  pools: readonly NodePoolOverrides[],
  types: readonly InstanceType[],
): Workload {
  const agents = [
    daemonSet({ name: 'kube-proxy', tolerations: [tolerateKey()] }),
    daemonSet({ name: 'agent', requests: { cpu: '150m', memory: '256Mi' }, tolerations: [tolerateKey()] }),
  ];
  const offers = pools.map((pool) => poolOffer(pool, types));
  return { name, input: clusterInput({ pods, pools: offers, daemonSets: agents }) };
}

function defaultPool(capacityTypes: readonly string[]): NodePoolOverrides {
  return { weight: 10, requirements: [oneOf(CAPACITY_TYPE, ...capacityTypes), BOTH_ARCHS, GENERAL] };
}

/** 400 pods of 400 shapes. */
function mixed(draw: Draw): readonly Pod[] {
  const hundreds = Array.from({ length: 40 }, (_, index) => String((index + 1) * 100)) as [
    string,
    ...string[],
  ];
  return Array.from({ length: 400 }, (_, index) => {
    const requests = { cpu: `${draw.oneOf(hundreds)}m`, memory: `${draw.oneOf(hundreds)}Mi` };
    return pod({ name: `b${String(index)}`, labels: { app: `b${String(index % 50)}` }, requests });
  });
}

/** 25 Deployments of 16 replicas: free, spread over zones, over zones and hosts, apart, together, in one zone. */
function deployments(draw: Draw): readonly Pod[] {
  return Array.from({ length: 25 }, (_, index) => {
    const labels = { app: `d${String(index)}` };
    const constraints: readonly [PodOverrides, ...PodOverrides[]] = [
      {},
      { spread: [spreadOver(ZONE, labels)] },
      { spread: [spreadOver(ZONE, labels), spreadOver(HOSTNAME, labels)] },
      { podAntiAffinity: { required: [podTerm(HOSTNAME, labels)] } },
      { podAffinity: { required: [podTerm(ZONE, labels)] } },
      { nodeSelector: { [ZONE]: draw.oneOf(ZONES as [string, ...string[]]) } },
    ];
    const template = { ...draw.oneOf(constraints), labels, requests: draw.requests() };
    return replicas(16, { ...template, name: `d${String(index)}` });
  }).flat();
}

/** 240 bare pods: plain ones, and pods that look at each other's labels across kinds. */
function diverse(draw: Draw): readonly Pod[] {
  const letter = (): string => draw.oneOf(['a', 'b', 'c', 'd']);
  const kinds: readonly (() => PodOverrides)[] = [
    () => ({ labels: { mine: letter() } }),
    () => ({ labels: { mine: letter() }, spread: [spreadOver(ZONE, { mine: letter() })] }),
    () => ({ labels: { mine: letter() }, spread: [spreadOver(HOSTNAME, { mine: letter() })] }),
    () => joining(ZONE, { zonal: letter() }),
    () => joining(HOSTNAME, { local: `${letter()}${letter()}` }),
    () => ({
      labels: { app: 'nginx' },
      podAntiAffinity: { required: [podTerm(HOSTNAME, { app: 'nginx' })] },
    }),
  ];
  return kinds.flatMap((kind, index) =>
    Array.from({ length: 40 }, (_, number) =>
      pod({ ...kind(), name: `c${String(index)}-${String(number)}`, requests: draw.requests() }),
    ),
  );
}

function joining(key: string, labels: Readonly<Record<string, string>>): PodOverrides {
  return { labels, podAffinity: { required: [podTerm(key, labels)] } };
}

/** GPUs behind a taint, arm on spot up to a limit, and the rest. */
function severalPools(): readonly NodePoolOverrides[] {
  const gpuNames = oneOf(`${INSTANCE_PREFIX}gpu-name`, 't4', 'a10g', 'l4');
  return [
    {
      name: 'gpu',
      weight: 100,
      requirements: [oneOf(CAPACITY_TYPE, 'on-demand'), gpuNames],
      taints: [taint('nvidia.com/gpu', 'true')],
      limits: { cpu: '2000' },
    },
    {
      name: 'arm-spot',
      weight: 50,
      requirements: [oneOf(CAPACITY_TYPE, 'spot'), oneOf(ARCH, 'arm64'), GENERAL],
      limits: { cpu: '100', memory: '400Gi' },
    },
    { name: 'generic', weight: 10, requirements: [BOTH_ARCHS, GENERAL] },
  ];
}

function forSeveralPools(draw: Draw): readonly Pod[] {
  return Array.from({ length: 300 }, (_, index) => {
    const labels = { app: `a${String(index % 20)}` };
    const common = { name: `p${String(index)}`, labels };
    if (draw.chance(0.08)) {
      const requests = { cpu: '3', memory: '12Gi', 'nvidia.com/gpu': draw.oneOf(['1', '1', '1', '4']) };
      return pod({ ...common, requests, tolerations: [tolerateKey('nvidia.com/gpu')] });
    }
    const spread = draw.chance(0.3) ? [spreadOver(ZONE, labels)] : [];
    const selectors: readonly [PodOverrides, ...PodOverrides[]] = [
      { nodeSelector: { [ARCH]: 'arm64' }, spread },
      { nodeSelector: { [ARCH]: 'amd64' }, spread },
      { nodeSelector: { [ARCH]: 'amd64', [CAPACITY_TYPE]: 'on-demand' }, spread },
      { nodeSelector: { [ARCH]: 'amd64', [ZONE]: draw.oneOf(ZONES as [string, ...string[]]) } },
      { spread },
    ];
    return pod({ ...common, ...draw.oneOf(selectors), requests: draw.requests() });
  });
}

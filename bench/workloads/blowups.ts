/** Inputs that once made planning slow or large, each in growing sizes: what a planner must bound whatever pods ask. */
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { CAPACITY_TYPE, HOSTNAME, ZONE } from '../../src/domain/values/labels.js';
import type { NodePool } from '../../src/domain/policies/node-pool.js';
import type { Pod } from '../../src/domain/pods/pod.js';
import { requirement } from '../../src/domain/values/requirement.js';
import { requirementsOf } from '../../src/domain/values/requirements.js';
import type { ClusterInput, PoolOffer } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../test/support/builders/cluster-input.js';
import {
  nodeTerm,
  noneOf,
  oneOf,
  podTerm,
  spreadOver,
  taint,
  tolerateKey,
} from '../../test/support/builders/constraints.js';
import { poolOffer, type NodePoolOverrides } from '../../test/support/builders/node-pool.js';
import { pod, replicas } from '../../test/support/builders/pod.js';
import { persistentVolume, storageClass, volumeClaim } from '../../test/support/builders/volume.js';
import { Draw } from './draw.js';
import { zonesOf } from './instance-types.js';

/** One kind of input, and how large it is made. */
export interface Blowup {
  readonly name: string;
  /** Ascending; what is counted is said in `counts`. */
  readonly sizes: readonly number[];
  readonly counts: string;
  readonly make: (size: number, types: readonly InstanceType[]) => ClusterInput;
}

const SEED = 2026;
const ON_DEMAND = oneOf(CAPACITY_TYPE, 'on-demand');

/** A pool that buys any type on demand, unless it says more. */
function offer(
  types: readonly InstanceType[],
  { requirements = [], ...overrides }: NodePoolOverrides = {},
): PoolOffer {
  return poolOffer({ requirements: [ON_DEMAND, ...requirements], ...overrides }, types);
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Requests in the steps that people write. */
function usualRequests(draw: Draw): { readonly cpu: string; readonly memory: string } {
  const cpu = draw.oneOf([100, 250, 500, 1000, 2000, 4000]);
  const memory = draw.oneOf([256, 512, 1024, 2048, 4096, 8192]);
  return { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi` };
}

/** `size` preferred terms of node affinity that no node meets, and as many of pod affinity. */
function preferringPod(size: number, name = 'hostile'): Pod {
  return pod({
    name,
    labels: { app: name },
    nodeAffinity: {
      preferred: times(size, (index) => ({
        weight: 1 + (index % 100),
        term: nodeTerm(oneOf(`example.com/k${String(index)}`, 'v')),
      })),
    },
    podAffinity: {
      preferred: times(size, (index) => ({
        weight: 1 + (index % 100),
        term: podTerm(ZONE, { app: `absent-${String(index)}` }),
      })),
    },
  });
}

/** Ordinary Deployments of ten pods each. */
function ordinaryPods(count: number): readonly Pod[] {
  const draw = new Draw(SEED);
  return times(count / 10, (index) =>
    replicas(10, { name: `web-${String(index)}`, requests: usualRequests(draw) }),
  ).flat();
}

function strangersOnly(deployments: number): readonly Pod[] {
  const draw = new Draw(SEED);
  return times(deployments, (index) => {
    const name = `app-${String(index)}`;
    const notMine = {
      ...podTerm(HOSTNAME, {}),
      selector: { requirements: requirementsOf([noneOf('app', name)]) },
    };
    return replicas(2, {
      name,
      labels: { app: name },
      requests: usualRequests(draw),
      podAntiAffinity: { required: [notMine] },
    });
  }).flat();
}

function openLabels(teams: number): readonly Pod[] {
  const draw = new Draw(SEED);
  return times(teams, (index) =>
    replicas(3, {
      name: `team-${String(index)}`,
      nodeSelector: { team: `t${String(index)}` },
      requests: usualRequests(draw),
    }),
  ).flat();
}

/** Each pod would have any of thirty values of its own. */
function openChoices(pods: number): readonly Pod[] {
  return times(pods, (index) =>
    pod({
      name: `choice-${String(index)}`,
      nodeAffinity: {
        preferred: times(30, (value) => ({
          weight: 1,
          term: nodeTerm(oneOf('team', `t${String(index)}-${String(value)}`)),
        })),
      },
    }),
  );
}

const EXISTS = requirement('team', 'Exists', []);

function weightedPools(
  pools: number,
  types: readonly InstanceType[],
  limits: Pick<NodePoolOverrides, 'limits'> = {},
): ClusterInput {
  const draw = new Draw(SEED);
  return clusterInput({
    pools: times(pools, (index) =>
      offer(types, { name: `pool-${String(index)}`, weight: 1 + (index % 100), ...limits }),
    ),
    pods: times(pools * 20, (index) => pod({ name: `p-${String(index)}`, requests: usualRequests(draw) })),
  });
}

function taintedPools(pools: number, types: readonly InstanceType[]): ClusterInput {
  const draw = new Draw(SEED);
  const key = (index: number): string => `example.com/tenant-${String(index)}`;
  return clusterInput({
    pools: times(pools, (index) =>
      offer(types, { name: `pool-${String(index)}`, taints: [taint(key(index))] }),
    ),
    pods: times(pools * 20, (index) =>
      pod({
        name: `p-${String(index)}`,
        requests: usualRequests(draw),
        tolerations: [tolerateKey(key(index % pools))],
      }),
    ),
  });
}

const REPLICAS = 15;

/** StatefulSets over zones, every pod with a volume of its own; of every other set the volumes exist already. */
function volumesOverZones(pods: number, types: readonly InstanceType[]): ClusterInput {
  const draw = new Draw(SEED);
  const zones = zonesOf(types);
  const isBound = (index: number): boolean => Math.floor(index / REPLICAS) % 2 === 1;
  const setOf = (index: number): string => `db-${String(Math.floor(index / REPLICAS))}`;
  const sets = times(Math.ceil(pods / REPLICAS), () => usualRequests(draw));
  return clusterInput({
    pools: [offer(types)],
    storageClasses: [storageClass()],
    persistentVolumes: times(pods, (index) =>
      persistentVolume({ name: `pv-${String(index)}`, zone: zones[index % zones.length] ?? '' }),
    ),
    persistentVolumeClaims: times(pods, (index) =>
      volumeClaim({
        name: `default/data-${String(index)}`,
        volumeName: isBound(index) ? `pv-${String(index)}` : undefined,
      }),
    ),
    pods: times(pods, (index) =>
      pod({
        name: `db-${String(index)}`,
        labels: { app: setOf(index) },
        requests: sets[Math.floor(index / REPLICAS)] ?? {},
        volumes: [`data-${String(index)}`],
        spread: [spreadOver(ZONE, { app: setOf(index) })],
      }),
    ),
  });
}

function gangsUnderLimit(gangs: number, types: readonly InstanceType[]): ClusterInput {
  const draw = new Draw(SEED);
  const key = (index: number): string => `PodGroup default/train-${String(index)}`;
  const limit = Math.round(gangs * 20 * 0.8);
  return clusterInput({
    pools: [offer(types, { limits: { cpu: String(limit) } })],
    gangs: times(gangs, (index) => ({ key: key(index), minMembers: 20 })),
    pods: times(gangs, (index) => {
      const gang = { key: key(index), minMembers: 20 };
      return replicas(20, { name: `train-${String(index)}`, requests: usualRequests(draw), gang });
    }).flat(),
  });
}

function prioritiesUnderLimit(pods: number, types: readonly InstanceType[]): ClusterInput {
  const draw = new Draw(SEED);
  return clusterInput({
    pools: [offer(types, { limits: { cpu: String(Math.round(pods * 0.9)) } })],
    pods: times(pods, (index) =>
      pod({ name: `p-${String(index)}`, requests: usualRequests(draw), priority: 100 * (index % 7) }),
    ),
  });
}

/** Deployments of fifteen that would be spread, apart, in a zone and on a processor of their liking. */
function softPreferences(pods: number, types: readonly InstanceType[]): readonly Pod[] {
  const draw = new Draw(SEED);
  const zones = zonesOf(types);
  return times(pods / REPLICAS, (index) => {
    const name = `soft-${String(index)}`;
    const term = podTerm(HOSTNAME, { app: name });
    return replicas(REPLICAS, {
      name,
      labels: { app: name },
      requests: usualRequests(draw),
      spread: [spreadOver(ZONE, { app: name }, { whenUnsatisfiable: 'ScheduleAnyway' })],
      podAntiAffinity: { preferred: [{ weight: 100, term }] },
      nodeAffinity: {
        preferred: [
          { weight: 50, term: nodeTerm(oneOf(ZONE, draw.oneOf(zones))) },
          { weight: 10, term: nodeTerm(oneOf('kubernetes.io/arch', 'arm64')) },
        ],
      },
    });
  }).flat();
}

/** Amounts that no two pods have in common. */
function oddShapes(pods: number): readonly Pod[] {
  const draw = new Draw(SEED);
  return times(pods, (index) => {
    const requests = {
      cpu: `${String(50 + draw.below(3950))}m`,
      memory: String(64 * 1024 * 1024 + draw.below(8 * 1024 ** 3)),
    };
    return pod({ name: `p-${String(index)}`, requests });
  });
}

function impossible(pods: number): readonly Pod[] {
  return times(pods, (index) =>
    pod({ name: `p-${String(index)}`, nodeSelector: { [`example.com/none-${String(index)}`]: 'x' } }),
  );
}

type Make = (size: number, types: readonly InstanceType[]) => readonly Pod[];

/** These pods, and one pool. */
function onePool(make: Make, requirements: NodePool['template']['requirements'] = []): Blowup['make'] {
  return (size, types) => clusterInput({ pools: [offer(types, { requirements })], pods: make(size, types) });
}

/** A thousand ordinary pods, and none or one with 2,400 preferences beside them. */
export const HOSTILE: Blowup = {
  name: 'hostile-pod',
  counts: 'hostile pods',
  sizes: [0, 1],
  make: (size, types) =>
    clusterInput({
      pools: [offer(types)],
      pods: [
        ...ordinaryPods(1000),
        ...times(size, (index) => preferringPod(1200, `hostile-${String(index)}`)),
      ],
    }),
};

export const BLOWUPS: readonly Blowup[] = [
  {
    name: 'preferred-terms',
    counts: 'preferences of one pod, of nodes and of pods each',
    sizes: [75, 150, 300, 600, 1200],
    make: onePool((size) => [preferringPod(size)]),
  },
  { name: 'strangers', counts: 'Deployments', sizes: [60, 120, 240, 500], make: onePool(strangersOnly) },
  { name: 'open-label', counts: 'values', sizes: [25, 50, 100, 200], make: onePool(openLabels, [EXISTS]) },
  { name: 'open-choices', counts: 'pods', sizes: [5, 10, 20, 30], make: onePool(openChoices, [EXISTS]) },
  { name: 'weighted-pools', counts: 'pools', sizes: [25, 50, 100, 200], make: weightedPools },
  {
    name: 'limited-pools',
    counts: 'pools',
    sizes: [12, 25, 50, 100],
    make: (pools, types) => weightedPools(pools, types, { limits: { cpu: '64' } }),
  },
  { name: 'tainted-pools', counts: 'pools', sizes: [12, 25, 50, 100], make: taintedPools },
  { name: 'impossible', counts: 'pods', sizes: [125, 250, 500, 1000], make: onePool(impossible) },
  { name: 'volumes', counts: 'pods', sizes: [180, 375, 750, 1500], make: volumesOverZones },
  { name: 'gangs', counts: 'gangs', sizes: [5, 10, 20, 40], make: gangsUnderLimit },
  { name: 'priorities', counts: 'pods', sizes: [250, 500, 1000, 2000], make: prioritiesUnderLimit },
  { name: 'soft', counts: 'pods', sizes: [375, 750, 1500, 3000], make: onePool(softPreferences) },
  { name: 'odd-shapes', counts: 'pods', sizes: [625, 1250, 2500, 5000], make: onePool(oddShapes) },
];

/** The workloads that the benchmark knows by name, and how each is made from a seed. */
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { deploymentPods, REPLICAS } from './deployment-pods.js';
import { diversePods } from './diverse-pods.js';
import { halfFullNodes, waitingPods } from './half-full.js';
import { gpuNamesOf, zonesOf } from './instance-types.js';
import { multiplePools, multiPoolPods } from './multi-pool.js';
import { homogeneousPods, mixedPods, podsOfShapes } from './plain-pods.js';
import { AGENTS, defaultPool, type Purchase } from './pools.js';
import { runningNodes } from './running-cluster.js';
import type { NeutralNode, NeutralPod, NeutralPool, Workload } from './workload.js';

/** How a workload is made. */
export interface WorkloadKind {
  readonly name: string;
  /** Where its own numbers start; tuning is done on these, judging on others. */
  readonly seed: number;
  readonly make: (seed: number, types: readonly InstanceType[]) => Contents;
}

interface Contents {
  readonly pods: readonly NeutralPod[];
  readonly pools: readonly NeutralPool[];
  readonly nodes?: readonly NeutralNode[];
}

type Pods = (seed: number, types: readonly InstanceType[]) => readonly NeutralPod[];

export const OWN_SEED = 2026;
const PURCHASES: readonly Purchase[] = ['on-demand', 'spot'];

/** A name with its suffix, in both ways of buying. */
function bothWays(name: string, pods: Pods, seed = OWN_SEED): readonly WorkloadKind[] {
  return PURCHASES.map((purchase) => ({
    name: `${name}-${purchase === 'spot' ? 'spot' : 'od'}`,
    seed,
    make: (from, types) => ({ pods: pods(from, types), pools: [defaultPool(purchase)] }),
  }));
}

function deployments(pods: number): Pods {
  return (seed, types) => deploymentPods(pods / REPLICAS, zonesOf(types), seed);
}

function multiPool(name: string, pods: number, seed: number): WorkloadKind {
  return {
    name,
    seed,
    make: (from, types) => ({
      pods: multiPoolPods(pods, zonesOf(types), from),
      pools: multiplePools(gpuNamesOf(types)),
    }),
  };
}

interface Cluster {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly waiting: number;
}

/** A half-full cluster beside which pods wait. */
function halfFull(name: string, { nodes, podsPerNode, waiting }: Cluster): WorkloadKind {
  return {
    name,
    seed: OWN_SEED,
    make: (seed, types) => ({
      pods: waitingPods(waiting, seed),
      pools: [defaultPool('on-demand')],
      nodes: halfFullNodes({ nodes, podsPerNode, zones: zonesOf(types), seed }),
    }),
  };
}

/** Pods of up to 1,000 shapes, on demand. */
function shapes(name: string, pods: number): WorkloadKind {
  const most = Math.min(1000, pods);
  const make: WorkloadKind['make'] = (seed) => ({
    pods: podsOfShapes(pods, most, seed),
    pools: [defaultPool('on-demand')],
  });
  return { name, seed: OWN_SEED, make };
}

/** Too many for the benchmark of another solver. */
export const LARGEST = shapes('shapes-50k-od', 50_000);

/** The largest again, in growing parts. */
export const GROWING: readonly WorkloadKind[] = [1, 2, 5, 10, 20, 50].map((thousands) =>
  shapes(`growing-${String(thousands)}k`, thousands * 1000),
);

/** A few pods beside a cluster that is planned, again and again. */
export const SECOND_BATCH = halfFull('second-batch', { nodes: 2000, podsPerNode: 10, waiting: 100 });

/** As many pods as one cluster is built for. */
export const FULL_CLUSTER = halfFull('full-cluster', { nodes: 5000, podsPerNode: 10, waiting: 1000 });

/** What kube-scheduler asks about. */
export const THOUSAND_NODES = halfFull('thousand-nodes', { nodes: 1000, podsPerNode: 10, waiting: 0 });

/** What consolidation meets: nothing waits. */
export const HALF_FULL = halfFull('half-full-2k', { nodes: 2000, podsPerNode: 10, waiting: 0 });

/** Deployments with all their rules and moving costs, on nodes that they fill by half. */
export const RUNNING_CLUSTER: WorkloadKind = {
  name: 'running-cluster',
  seed: OWN_SEED,
  make: (seed, types) => ({
    pods: [],
    pools: [defaultPool('on-demand')],
    nodes: runningNodes({ nodes: 2000, deployments: 1000, zones: zonesOf(types), seed }),
  }),
};

/** Our own, over the embedded catalogue. */
export const COMPARED: readonly WorkloadKind[] = [
  ...bothWays('homogeneous-10k', () => homogeneousPods(10_000)),
  ...bothWays('mixed-10k', (seed) => mixedPods(10_000, seed)),
  ...bothWays('deployments-5k', deployments(5000)),
  ...bothWays('diverse-5k', (seed) => diversePods(5000, seed)),
  multiPool('multi-pool-4k', 4000, OWN_SEED),
  halfFull('half-full-5k', { nodes: 1000, podsPerNode: 10, waiting: 5000 }),
  LARGEST,
];

/** The pods of the files that BERTH_BENCH_DIR names come from the same distributions; their pools are read from the files. */
export const SHARED_KINDS: readonly WorkloadKind[] = [
  ...bothWays('a-homog-10k', () => homogeneousPods(10_000), 1),
  ...bothWays('b-mixed-10k', (seed) => mixedPods(10_000, seed), 42),
  ...bothWays('c2-deploy-5k', deployments(5000), 7),
  ...bothWays('c-diverse-5k', (seed) => diversePods(5000, seed), 42),
  multiPool('d-multipool-4k', 4000, 99),
];

/** The workload of a kind from a seed; one seed, one workload. */
export function makeWorkload(kind: WorkloadKind, seed: number, types: readonly InstanceType[]): Workload {
  const { pods, pools, nodes = [] } = kind.make(seed, types);
  return { name: kind.name, seed, nodePools: pools, daemonsets: AGENTS, pods, nodes };
}

/** The ways in which one request to the planner can differ from the next, over a cluster of a few objects. */
import type { PlannerTask } from '../../../src/adapters/planner/message.js';
import type { InstanceType } from '../../../src/domain/instance-type.js';
import type { ObservedPod } from '../../../src/domain/observed-pod.js';
import type { DisruptionInput } from '../../../src/planning/disrupt/disruption.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { disruptionOptions, fleet, managedNode } from '../../support/builders/disruption-input.js';
import { smallCatalogue } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { node } from '../../support/builders/node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { podSpec } from '../../support/builders/pod.js';
import { persistentVolume, volumeClaim } from '../../support/builders/volume.js';

/** What there is after a change; the seed says which object, and of what kind. */
type Change = (input: DisruptionInput, seed: number) => DisruptionInput;

const TEMPLATES = [podSpec({ labels: { app: 'web' } }), podSpec({ labels: { app: 'db' } })];

/** Three nodes with a pod each, a DaemonSet, and two pools of one node class. */
export function smallCluster(): DisruptionInput {
  const nodes = ['a', 'b', 'c'].map((name) => ({ name, pods: [{ requests: { cpu: '900m' } }] }));
  const types = smallCatalogue().slice(0, 4);
  return inCluster(fleet(nodes), () => ({
    daemonSets: [daemonSet({ name: 'log' })],
    pools: [poolOffer({ name: 'general' }, types), poolOffer({ name: 'other' }, types)],
    namespaces: new Map([['default', new Map([['team', 'a']])]]),
  }));
}

/** A request of either kind about the cluster. */
export function taskOf(input: DisruptionInput, kind: PlannerTask['kind']): PlannerTask {
  if (kind === 'disrupt') return { kind, request: { input, options: disruptionOptions() } };
  return { kind, request: { input: input.cluster, options: DEFAULT_PLAN_OPTIONS } };
}

const changes: readonly Change[] = [
  // Nothing.
  (input) => input,
  // A pod comes, or comes back as another.
  (input, seed) => {
    const name = `web-${String(seed % 20)}`;
    const pod: ObservedPod = { ...observedPod({ name }), spec: oneOf(TEMPLATES, seed) ?? podSpec() };
    const pods = input.pods.filter((other) => other.name !== name);
    const placed = input.cluster.pods.filter((other) => other.name !== name);
    return inCluster({ ...input, pods: [...pods, pod] }, () => ({ pods: [...placed, pod] }));
  },
  // A pod goes.
  (input, seed) => {
    const gone = oneOf(input.pods, seed)?.uid;
    const pods = input.pods.filter(({ uid }) => uid !== gone);
    return inCluster({ ...input, pods }, (cluster) => ({
      pods: cluster.pods.filter(({ uid }) => uid !== gone),
    }));
  },
  // News of a pod: that it goes, that nothing has changed, that it has another spec, or an equal one.
  (input, seed) => podAnew(input, seed, { terminating: seed % 2 === 0 }),
  (input, seed) => podAnew(input, seed, {}),
  (input, seed) => podAnew(input, seed, { spec: podSpec({ priority: seed }) }),
  (input, seed) => podAnew(input, seed, { spec: { ...(oneOf(input.pods, seed)?.spec ?? podSpec()) } }),
  // Pods have planned places, and are made anew for it.
  (input, seed) =>
    inCluster(input, ({ pods }) => ({
      pods: pods.map((pod, index) => (index % 3 === seed % 3 ? { ...pod, nodeName: 'a' } : pod)),
    })),
  (input) => inCluster(input, ({ pods }) => ({ pods: pods.map((pod) => ({ ...pod })) })),
  // Pods come in another order, or one twice.
  (input, seed) =>
    inCluster(input, ({ pods }) => ({ pods: [...pods.slice(seed % 4), ...pods.slice(0, seed % 4)] })),
  (input, seed) => inCluster(input, ({ pods }) => ({ pods: [...pods, ...pods.slice(0, seed % 2)] })),
  // Nodes come, go, and are made anew with less room.
  (input, seed) =>
    inCluster(input, ({ nodes }) => ({ nodes: [...nodes, node({ name: `n-${String(seed)}` })] })),
  (input, seed) =>
    inCluster(input, ({ nodes }) => ({ nodes: nodes.filter((_, index) => index !== seed % nodes.length) })),
  (input, seed) =>
    inCluster(input, ({ nodes }) => ({
      nodes: nodes.map((each) => ({
        ...each,
        allocatable: new Map([...each.allocatable, ['pods', seed % 2]]),
      })),
    })),
  // Types are made anew, with an offering that is out or without, for all pools together or each its own.
  (input, seed) => {
    const types = typesAnew(oneOf(input.cluster.pools, seed)?.instanceTypes ?? [], seed);
    return inCluster(input, ({ pools }) => ({
      pools: pools.map((offer) => ({ ...offer, instanceTypes: types })),
    }));
  },
  (input, seed) =>
    inCluster(input, ({ pools }) => ({
      pools: pools.map((offer, index) => ({
        ...offer,
        instanceTypes: typesAnew(offer.instanceTypes ?? [], seed + index),
      })),
    })),
  // A pool's class is broken; a pool comes; one goes; one comes first.
  (input, seed) =>
    inCluster(input, ({ pools }) => ({
      pools: pools.map((offer, index) =>
        index === seed % 3 ? { ...offer, instanceTypes: undefined, nodeClassProblem: 'no subnets' } : offer,
      ),
    })),
  (input, seed) =>
    inCluster(input, ({ pools }) => ({
      pools: [...pools, poolOffer({ name: `p-${String(seed)}` }, smallCatalogue().slice(2, 6))],
    })),
  (input) => inCluster(input, ({ pools }) => ({ pools: pools.slice(1) })),
  (input) => inCluster(input, ({ pools }) => ({ pools: [...pools].reverse() })),
  // The rest of a cluster.
  (input, seed) =>
    inCluster(input, ({ namespaces }) => ({
      namespaces: new Map([...namespaces, [`ns-${String(seed % 3)}`, new Map([['seed', String(seed)]])]]),
    })),
  (input, seed) =>
    inCluster(input, ({ persistentVolumeClaims, persistentVolumes }) => ({
      persistentVolumeClaims: [...persistentVolumeClaims, volumeClaim({ name: `default/c-${String(seed)}` })],
      persistentVolumes: [...persistentVolumes.slice(-2), persistentVolume({ name: `v-${String(seed)}` })],
    })),
  (input, seed) => inCluster(input, () => ({ gangs: [{ key: 'Job default/train', minMembers: seed }] })),
  // What the life of nodes says, and what is asked about.
  (input, seed) => ({ ...input, nodes: input.nodes.map((each) => ({ ...each, quietSince: seed % 2 })) }),
  (input, seed) => ({ ...input, nodes: [...input.nodes, managedNode({ name: `n-${String(seed)}` })] }),
  (input, seed) => ({
    ...input,
    now: input.now + seed,
    cursor: String(seed),
    only: new Set(['a', String(seed)]),
  }),
  (input, seed) => ({ ...input, only: undefined, frozenPools: new Set(['other', String(seed)]) }),
  // Another cluster, and none.
  () => smallCluster(),
  (input) => inCluster({ ...input, pods: [], nodes: [] }, () => ({ pods: [], nodes: [], pools: [] })),
];

export const CHANGES: readonly Change[] = Object.freeze(changes);

function inCluster(
  input: DisruptionInput,
  change: (cluster: ClusterInput) => Partial<ClusterInput>,
): DisruptionInput {
  return { ...input, cluster: { ...input.cluster, ...change(input.cluster) } };
}

/** One of the pods as a new object, wherever it is. */
function podAnew(input: DisruptionInput, seed: number, news: Partial<ObservedPod>): DisruptionInput {
  const old = oneOf(input.pods, seed);
  if (old === undefined) return input;
  const pod: ObservedPod = { ...old, resourceVersion: String(seed), ...news };
  return inCluster({ ...input, pods: input.pods.map((each) => (each === old ? pod : each)) }, ({ pods }) => ({
    pods: pods.map((each) => (each.uid === old.uid ? pod : each)),
  }));
}

function typesAnew(types: readonly InstanceType[], seed: number): readonly InstanceType[] {
  return types.map((type, index) => ({
    ...type,
    offerings: type.offerings.map((offering) =>
      index === seed % 5 ? { ...offering, available: false } : offering,
    ),
  }));
}

function oneOf<T>(list: readonly T[], seed: number): T | undefined {
  return list[seed % Math.max(list.length, 1)];
}

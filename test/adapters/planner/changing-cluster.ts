/** The ways in which a cluster can change between questions to the planner, over a few objects of each kind. */
import type { NodeClaimStatus } from '../../../src/domain/nodes/node-claim.js';
import { tenancyOfClaim, type LaunchedAs } from '../../../src/domain/nodes/tenancy.js';
import type { BufferDemand } from '../../../src/domain/pods/capacity-buffer.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { PlannerQuestion } from '../../../src/adapters/planner/task.js';
import { INSTANCE_TENANCY } from '../../../src/domain/values/labels.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';
import { demandOf } from '../../../src/state/planning/demand.js';
import { disruptionQuestion, planQuestion } from '../../contract/planner.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { disruptionTerms, NOW } from '../../support/builders/disruption-input.js';
import { ofTenancy, smallCatalogue } from '../../support/builders/instance-type.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { podSpec } from '../../support/builders/pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { UNSCHEDULABLE } from '../../support/builders/unschedulable-pod.js';
import { persistentVolume, volumeClaim } from '../../support/builders/volume.js';

const DEDICATED = { [INSTANCE_TENANCY]: 'dedicated' };
const TEMPLATES = [
  ...['500m', '1', '3'].map((cpu) => podSpec({ requests: { cpu }, labels: { app: `app${cpu}` } })),
  podSpec({ requests: { cpu: '1' }, nodeSelector: DEDICATED }),
];
const OWNER = { kind: 'ReplicaSet', name: 'web' };

/** Changes the cluster; the seed says which object, and how. */
type Change = (cluster: Cluster, seed: number) => void;

let lastVersion = 1;

function version(): string {
  return String(++lastVersion);
}

function numbered(name: string, seed: number, most: number): string {
  return `${name}-${String(seed % most)}`;
}

function putPod(cluster: Cluster, seed: number, overrides: Partial<ObservedPod>): void {
  const name = numbered('web', seed, 6);
  const [spec = podSpec()] = TEMPLATES.slice(seed % TEMPLATES.length);
  cluster.put('Pod', {
    ...observedPod({ name, uid: `uid-${name}-${String(seed % 3)}` }),
    ...{ spec, owner: OWNER, scheduled: UNSCHEDULABLE, resourceVersion: version() },
    ...overrides,
  });
}

function putNode(cluster: Cluster, seed: number): void {
  const name = numbered('node', seed, 4);
  const node = observedNode({ name, nodePool: 'general', ready: seed % 5 > 0, resourceVersion: version() });
  cluster.put('Node', seed % 7 === 0 ? { ...node, taints: [] } : node);
}

/** Of one of the nodes, or of none yet. */
function putClaim(cluster: Cluster, seed: number): void {
  const node = cluster.nodes.get(numbered('node', seed, 4));
  const isUp = seed % 3 > 0;
  const conditions: NodeClaimStatus['conditions'] = [
    {
      ...{ type: 'Initialized', status: isUp ? 'True' : 'False', reason: '', message: '' },
      lastTransitionTime: NOW - 3_600_000,
    },
  ];
  cluster.put(
    'NodeClaim',
    nodeClaim({
      name: numbered('claim', seed, 4),
      resourceVersion: version(),
      labels: new Map(seed % 5 === 0 ? Object.entries(DEDICATED) : []),
      spec: { nodePool: seed % 2 === 0 ? 'general' : 'other' },
      status: { providerID: node?.providerID, nodeName: node?.name, conditions, instanceType: 'm5.large' },
    }),
  );
}

function reserve(cluster: Cluster, seed: number): void {
  const pod = cluster.pods.get(`default/${numbered('web', seed, 6)}`);
  const owner = { ...OWNER, namespace: 'default', templateHash: '' };
  const entry =
    seed % 4 === 0 ? reservationEntry({ owner, count: 2 }) : reservationEntry({ podUID: pod?.uid });
  const target =
    seed % 2 === 0
      ? ({ kind: 'NodeClaim', name: numbered('claim', seed, 4) } as const)
      : ({ kind: 'Node', name: numbered('node', seed, 4) } as const);
  cluster.put('Reservation', reservation({ target, entries: [entry], resourceVersion: version() }));
}

const changes: readonly Change[] = [
  (cluster, seed) => {
    putPod(cluster, seed, {});
  },
  (cluster, seed) => {
    putPod(cluster, seed, { nodeName: numbered('node', seed, 4), phase: 'Running', ready: seed % 2 === 0 });
  },
  (cluster, seed) => {
    putPod(cluster, seed, {
      terminating: true,
      deletionTimestamp: NOW,
      gang: { key: 'g', minMembers: 'all' },
    });
  },
  (cluster, seed) => {
    putPod(cluster, seed, { nominatedNodeName: numbered('node', seed, 4) });
  },
  (cluster, seed) => {
    cluster.delete('Pod', `default/${numbered('web', seed, 6)}`);
  },
  putNode,
  (cluster, seed) => {
    cluster.delete('Node', numbered('node', seed, 4));
  },
  putClaim,
  (cluster, seed) => {
    cluster.delete('NodeClaim', numbered('claim', seed, 4));
  },
  reserve,
  (cluster, seed) => {
    const kind = seed % 2 === 0 ? 'nodeclaim.claim' : 'node.node';
    cluster.delete('Reservation', numbered(kind, seed, 4));
  },
  (cluster, seed) => {
    cluster.put(
      'DaemonSet',
      daemonSet({ name: numbered('log', seed, 2), requests: { cpu: `${String(seed)}m` } }),
    );
  },
  (cluster, seed) => {
    cluster.delete('DaemonSet', `default/${numbered('log', seed, 2)}`);
  },
  (cluster, seed) => {
    const labels = new Map([['seed', String(seed)]]);
    cluster.put('Namespace', { name: 'default', uid: 'uid-default', labels });
  },
  (cluster, seed) => {
    cluster.put('PersistentVolumeClaim', volumeClaim({ name: `default/c-${String(seed % 3)}` }));
    cluster.put('PersistentVolume', persistentVolume({ name: `v-${String(seed % 3)}` }));
  },
  (cluster, seed) => {
    cluster.put('Workload', {
      ...{ kind: 'ReplicaSet', namespace: 'default', name: 'web' },
      wantedPods: seed % 9,
      createdPods: seed % 5,
    });
  },
  (cluster, seed) => {
    cluster.put('PodDisruptionBudget', {
      ...{
        namespace: 'default',
        name: 'web',
        selector: undefined,
        minAvailable: undefined,
        status: undefined,
      },
      maxUnavailable: { unit: 'pods', amount: seed % 3 },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
  },
  // What planning does not read.
  (cluster) => {
    const times = { acquiredAt: 1, renewedAt: 1, durationSeconds: 15, transitions: 0 };
    cluster.put('Lease', { name: 'berth', resourceVersion: version(), holder: 'leader', ...times });
  },
];

export const CHANGES: readonly Change[] = Object.freeze(changes);

const TYPES = smallCatalogue().slice(0, 5);
const DEDICATED_TYPES = ofTenancy(TYPES, 'dedicated');
/** Lists of which some types are the same objects. */
const LISTS = [TYPES, TYPES.slice(1, 4), [...TYPES.slice(0, 2), ...smallCatalogue().slice(2, 4)]];

/** A CapacityBuffer, some of whose pods have been planned where nothing is. */
function spare(seed: number): BufferDemand {
  const spec = podSpec({ requests: { cpu: '250m' } });
  const places = [{ kind: 'Node', name: 'nowhere' } as const];
  return { namespace: 'default', name: 'spare', count: 1 + (seed % 3), spec, places };
}

/** A question of either kind, with offers that differ from one seed to the next. */
export function questionAbout(
  cluster: Cluster,
  kind: PlannerQuestion['kind'],
  seed: number,
): PlannerQuestion {
  const [types = TYPES, others = TYPES] = [LISTS[seed % 3], LISTS[(seed >> 2) % 3]];
  const general = {
    ...poolOffer({ name: 'general', disruption: disruptionTerms() }, types),
    ...(seed % 3 > 0 && { dedicatedTypes: seed % 3 === 1 ? DEDICATED_TYPES : DEDICATED_TYPES.slice(0, 2) }),
  };
  const pools = [
    general,
    seed % 5 === 0
      ? { pool: poolOffer({ name: 'other' }).pool, instanceTypes: undefined }
      : poolOffer({ name: 'other' }, others),
  ].slice(0, 1 + (seed % 2));
  const buffers = seed % 4 === 0 ? [spare(seed)] : undefined;
  const offers = {
    pools,
    buffers,
    typesOf: (claim: LaunchedAs) => {
      if (tenancyOfClaim(claim) === 'dedicated') return DEDICATED_TYPES;
      return claim.spec.nodePool === 'general' ? TYPES : others;
    },
  };
  if (kind === 'disrupt') return { kind, question: { ...disruptionQuestion(), ...offers } };
  const demand = demandOf(cluster, 0);
  const setAside = demand.filter((_, index) => seed % 3 === 0 && index % 4 === 0);
  return { kind, question: { ...planQuestion(cluster, 0), ...offers, demand, setAside } };
}

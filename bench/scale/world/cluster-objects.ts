/** What the measured cluster has beside its nodes and pods: namespaces, two DaemonSets, NodePools and their node class. */
import { CLUSTER_NAME } from '../../../world/demo/embedded/embedded-region.js';
import { AGENTS as HALF_FULL_AGENTS, defaultPool } from '../../workloads/pools.js';
import { HALF_FULL_POOLS } from './half-full-cluster.js';

/** An object of the API server as JSON. */
export type ApiObject = Readonly<Record<string, unknown>>;

/** What is measured: `full` without disruption, `half-full` with consolidation. */
export type ClusterKind = 'full' | 'half-full';

/** UID of kube-system, by which Berth knows its instances. */
export const CLUSTER_UID = '00000000-0000-4000-9000-000000000001';
/** The CA bundle that nodes are given, in base64. */
export const CLUSTER_CA = Buffer.from('CA bundle of the measured cluster').toString('base64');
/** Of a full cluster. */
export const POOL = 'general';
export const NODE_CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } as const;

type Agent = Pick<(typeof HALF_FULL_AGENTS)[number], 'name' | 'requests'>;

/** What every node runs. */
const AGENTS: Readonly<Record<ClusterKind, readonly Agent[]>> = {
  full: [
    { name: 'aws-node', requests: { cpu: '100m', memory: '128Mi' } },
    { name: 'kube-proxy', requests: { cpu: '100m', memory: '128Mi' } },
  ],
  'half-full': HALF_FULL_AGENTS,
};

const NODE_POOLS: Readonly<Record<ClusterKind, readonly ApiObject[]>> = {
  full: [
    nodePool(POOL, {
      requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
        { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
      ],
      // What is measured is not disruption.
      disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '0' }] },
    }),
  ],
  'half-full': HALF_FULL_POOLS.map(({ name, budgets }) =>
    nodePool(name, {
      requirements: defaultPool('on-demand').requirements,
      disruption: { consolidateAfter: '30s', ...(budgets && { budgets }) },
    }),
  ),
};

interface PoolTerms {
  readonly requirements: readonly object[];
  readonly disruption: object;
}

function nodePool(name: string, { requirements, disruption }: PoolTerms): ApiObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: { spec: { nodeClassRef: NODE_CLASS, expireAfter: 'Never', requirements } },
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', ...disruption },
    },
  };
}

const DISCOVERED = [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }];
const EC2_NODE_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: NODE_CLASS.name },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: 'berth-node',
    subnetSelectorTerms: DISCOVERED,
    securityGroupSelectorTerms: DISCOVERED,
  },
};

/** The ConfigMap of all policies. */
export function policies(kind: ClusterKind): ApiObject {
  const documents = [...NODE_POOLS[kind], EC2_NODE_CLASS].map((document, index) => [
    `policy-${String(index)}.yaml`,
    JSON.stringify(document, undefined, 2),
  ]);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'policies', namespace: 'berth-system', labels: { 'berth.sh/policy': 'true' } },
    data: Object.fromEntries(documents),
  };
}

/** Collection → its objects. */
export function clusterObjects(kind: ClusterKind): readonly (readonly [string, readonly ApiObject[]])[] {
  return [
    ['api/v1/namespaces', ['default', 'berth-system', 'kube-system'].map(namespace)],
    ['apis/apps/v1/daemonsets', AGENTS[kind].map(daemonSet)],
    ['api/v1/configmaps', [policies(kind)]],
  ];
}

function namespace(name: string): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: { 'kubernetes.io/metadata.name': name },
      ...(name === 'kube-system' && { uid: CLUSTER_UID }),
    },
  };
}

function daemonSet({ name, requests }: Agent): ApiObject {
  const labels = { 'k8s-app': name };
  const containers = [{ name, image: name, resources: { requests } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { tolerations: [{ operator: 'Exists' }], containers } },
    },
  };
}

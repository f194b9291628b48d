/** What the measured cluster has beside its nodes and pods: namespaces, two DaemonSets, one NodePool and its node class. */
import { CLUSTER_NAME } from '../../../world/demo/embedded/embedded-region.js';

/** An object of the API server as JSON. */
export type ApiObject = Readonly<Record<string, unknown>>;

/** UID of kube-system, by which Berth knows its instances. */
export const CLUSTER_UID = '00000000-0000-4000-9000-000000000001';
export const POOL = 'general';
export const NODE_CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } as const;

/** What every node runs. */
const AGENTS = [
  { name: 'aws-node', requests: { cpu: '100m', memory: '128Mi' } },
  { name: 'kube-proxy', requests: { cpu: '100m', memory: '128Mi' } },
];

const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: POOL },
  spec: {
    template: {
      spec: {
        nodeClassRef: NODE_CLASS,
        expireAfter: 'Never',
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
          { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
        ],
      },
    },
    // What is measured is not disruption.
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: 'Never',
      budgets: [{ nodes: '0' }],
    },
  },
};

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

/** The ConfigMap of both policies. */
export const POLICIES: ApiObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'policies', namespace: 'berth-system', labels: { 'berth.sh/policy': 'true' } },
  data: {
    'node-pool.yaml': JSON.stringify(NODE_POOL, undefined, 2),
    'node-class.yaml': JSON.stringify(EC2_NODE_CLASS, undefined, 2),
  },
};

/** Collection → its objects. */
export const CLUSTER_OBJECTS: readonly (readonly [string, readonly ApiObject[]])[] = [
  [
    'api/v1/namespaces',
    ['default', 'berth-system', 'kube-system'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        labels: { 'kubernetes.io/metadata.name': name },
        ...(name === 'kube-system' && { uid: CLUSTER_UID }),
      },
    })),
  ],
  ['apis/apps/v1/daemonsets', AGENTS.map(daemonSet)],
  ['api/v1/configmaps', [POLICIES]],
];

function daemonSet({ name, requests }: (typeof AGENTS)[number]): ApiObject {
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

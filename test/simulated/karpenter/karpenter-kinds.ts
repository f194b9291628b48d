/** Karpenter's custom resources in the simulated world: their definitions, and the policies that a user would have written. */
import type { SimulatedWorld } from '../simulated-world.js';

const KINDS = [
  ['karpenter.sh', 'NodePool', 'nodepools'],
  ['karpenter.sh', 'NodeClaim', 'nodeclaims'],
  ['karpenter.k8s.aws', 'EC2NodeClass', 'ec2nodeclasses'],
  ['eks.amazonaws.com', 'NodeClass', 'nodeclasses'],
] as const;

export const NODE_POOLS = 'nodepools.karpenter.sh';
export const NODE_CLAIMS = 'nodeclaims.karpenter.sh';
export const EC2_NODE_CLASSES = 'ec2nodeclasses.karpenter.k8s.aws';
const AUTO_MODE_CLASSES = 'nodeclasses.eks.amazonaws.com';

/** Structural, with a status, and open for everything. */
export async function applyKarpenterKinds({ api }: Pick<SimulatedWorld, 'api'>): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  for (const [group, kind, plural] of KINDS)
    await api.create('customresourcedefinitions.apiextensions.k8s.io', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Cluster',
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
          },
        ],
      },
    });
}

export interface KarpenterPool {
  readonly name: string;
  readonly requirements: Readonly<Record<string, readonly string[]>>;
  /** Of spec. */
  readonly disruption: Readonly<Record<string, unknown>>;
  readonly nodeClassRef?: { readonly group: string; readonly kind: string; readonly name: string };
}

const USUAL_CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

/** Creates a NodePool; of the EC2NodeClass `default` unless another is given. */
export async function createPool(
  { api }: Pick<SimulatedWorld, 'api'>,
  { name, requirements, disruption, nodeClassRef = USUAL_CLASS }: KarpenterPool,
): Promise<void> {
  await api.create(NODE_POOLS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name,
      annotations: { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v3' },
    },
    spec: {
      disruption,
      template: {
        spec: {
          nodeClassRef,
          requirements: Object.entries(requirements).map(([key, values]) => ({
            key,
            operator: 'In',
            values,
          })),
        },
      },
    },
  });
}

const tagged = [{ tags: { 'karpenter.sh/discovery': 'berth-demo' } }];

/** Creates the EC2NodeClass `default`, in the network of the simulated AWS. */
export async function createNodeClass({ api }: Pick<SimulatedWorld, 'api'>): Promise<void> {
  await api.create(EC2_NODE_CLASSES, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      // Of a role that Berth has made no instance profile for.
      role: 'KarpenterNodeRole-berth-demo',
      subnetSelectorTerms: tagged,
      securityGroupSelectorTerms: tagged,
    },
  });
}

/** Creates the NodeClass `default` of EKS Auto Mode, in the same network, with fields that an EC2NodeClass has not. */
export async function createAutoModeClass({ api }: Pick<SimulatedWorld, 'api'>): Promise<void> {
  await api.create(AUTO_MODE_CLASSES, {
    apiVersion: 'eks.amazonaws.com/v1',
    kind: 'NodeClass',
    metadata: { name: 'default' },
    spec: {
      role: 'AmazonEKSAutoNodeRole',
      subnetSelectorTerms: tagged,
      securityGroupSelectorTerms: tagged,
      ephemeralStorage: { size: '80Gi', iops: 3000, throughput: 125 },
      networkPolicy: 'DefaultAllow',
      snatPolicy: 'Random',
    },
  });
}

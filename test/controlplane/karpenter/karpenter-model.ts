/**
 * A Karpenter of nodes on a real control plane, as far as it leaves traces: its kinds, NodeClaims, owner references, finalizers
 * and the tags of its instances, its Deployment and Lease. It launches nothing by itself, and judges what a living one would do.
 */
import { AwsCloud } from '../../../src/clouds/aws/adapter/index.js';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { systemRandom } from '../../../src/runtime/process/system-random.js';
import { clientsOf } from '../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../support/builders/ec2-node-class.js';
import { recordingLogger } from '../../support/recording-logger.js';
import type { BerthCluster } from '../berth/berth-cluster.js';
import { CLUSTER_NAME } from '../berth/aws-backend.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { eventually } from '../fixture/eventually.js';
import {
  clusterScoped,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  LEASES,
  NODES,
  type AnyObject,
  type KubeObject,
  type Node,
} from '../fixture/api/kube-object.js';

export interface KarpenterNodeClaim extends KubeObject {
  readonly status?: { readonly providerID?: string; readonly nodeName?: string };
}

export const KARPENTER_NODE_CLAIMS = clusterScoped<KarpenterNodeClaim>('karpenter.sh/v1', 'NodeClaim');
export const KARPENTER_NODE_POOLS = clusterScoped('karpenter.sh/v1', 'NodePool');

const EC2_NODE_CLASSES = clusterScoped('karpenter.k8s.aws/v1', 'EC2NodeClass', 'ec2nodeclasses');

export const POOL = 'general';
const TYPE = 'm5.large';
const FINALIZER = 'karpenter.sh/termination';
const UNREGISTERED = 'karpenter.sh/unregistered';

/** Its kinds as far as they matter: structural, with a status of their own, and claims whose specification is immutable. */
export async function applyKarpenterKinds(cluster: ControlPlane): Promise<void> {
  for (const [group, kind, plural] of [
    ['karpenter.sh', 'NodeClaim', 'nodeclaims'],
    ['karpenter.sh', 'NodePool', 'nodepools'],
    ['karpenter.k8s.aws', 'EC2NodeClass', 'ec2nodeclasses'],
  ] as const) {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const rules = [{ rule: 'self == oldSelf', message: 'spec is immutable' }];
    const spec = kind === 'NodeClaim' ? { ...open, 'x-kubernetes-validations': rules } : open;
    const name = `${plural}.${group}`;
    await cluster.api.apply(CUSTOM_RESOURCE_DEFINITIONS, {
      metadata: { name },
      spec: {
        group,
        scope: 'Cluster',
        names: {
          kind,
          plural,
          singular: kind.toLowerCase(),
          listKind: `${kind}List`,
          categories: ['karpenter'],
        },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
            schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: open } } },
          },
        ],
      },
    });
  }
  for (const kind of [KARPENTER_NODE_CLAIMS, KARPENTER_NODE_POOLS, EC2_NODE_CLASSES])
    await eventually('the kinds of Karpenter are served', () =>
      cluster.api.list(kind).then(
        () => true,
        () => false,
      ),
    );
  const metadata = { name: POOL };
  const template = {
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } },
  };
  await cluster.api.create(KARPENTER_NODE_POOLS, { metadata, spec: { template } });
}

/** What its user would have written: the pool as a whole, which consolidates at once, and its node class. */
export async function givePolicies({ api }: ControlPlane): Promise<void> {
  const requirement = (key: string, ...values: readonly string[]) => ({ key, operator: 'In', values });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const requirements = [
    requirement('karpenter.sh/capacity-type', 'on-demand'),
    requirement('node.kubernetes.io/instance-type', TYPE),
  ];
  const consolidationPolicy = 'WhenEmptyOrUnderutilized';
  const disruption = { consolidationPolicy, consolidateAfter: '0s', budgets: [{ nodes: '100%' }] };
  const spec = { template: { spec: { nodeClassRef, requirements } }, disruption };
  await api.patch(KARPENTER_NODE_POOLS, { name: POOL }, { type: 'merge', body: { spec } });
  const tagged = [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }];
  await api.create(EC2_NODE_CLASSES, {
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

/** Instances launched as Karpenter launches them, their Nodes registered, and a NodeClaim for each. Answers provider IDs. */
export async function launchNodes(berth: BerthCluster, count: number): Promise<readonly string[]> {
  const catalogue = catalogueFor('eu-west-3');
  const clients = clientsOf(berth.aws, { clock: systemClock, random: systemRandom });
  const cloud = new AwsCloud({
    ...{ clients, catalogue: () => catalogue, clock: systemClock, logger: recordingLogger().logger },
    cluster: { name: CLUSTER_NAME },
    clusterUID: () => 'not-berths',
    checksPermissions: false,
  });
  const labels = new Map([['karpenter.sh/nodepool', POOL]]);
  const taints = [{ key: UNREGISTERED, value: '', effect: 'NoExecute' }];
  const request = await cloud.prepareLaunch({
    ...{ nodeClass: ec2NodeClass(), capacityType: 'on-demand', size: count, labels, taints },
    offerings: ['a', 'b', 'c'].map((zone) => ({ instanceType: TYPE, zone: `eu-west-3${zone}`, price: 0.1 })),
  });
  const tags = new Map([
    ['karpenter.sh/nodepool', POOL],
    ['karpenter.k8s.aws/ec2nodeclass', 'default'],
    ['eks:eks-cluster-name', CLUSTER_NAME],
    [`kubernetes.io/cluster/${CLUSTER_NAME}`, 'owned'],
  ]);
  const { instances } = await cloud.launch({ token: 'karpenter', request, tags, labels, taints });
  const providerIDs = instances.map(({ providerID }) => providerID);
  const { api } = berth.cluster;
  const nodes = await eventually(
    `${String(count)} nodes are Ready`,
    async () => {
      const ready = (await api.list(NODES)).items.filter(
        ({ spec, status }) =>
          providerIDs.includes(spec.providerID ?? '') &&
          status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True'),
      );
      return ready.length === count && ready;
    },
    { timeoutMillis: 120_000, everyMillis: 500 },
  );
  for (const [index, node] of nodes.entries()) await register(berth, node, `${POOL}-${String(index + 1)}`);
  return providerIDs;
}

/** As its life cycle controller does: the claim, then the Node, whose taint is removed last. */
async function register({ cluster: { api } }: BerthCluster, node: Node, name: string): Promise<void> {
  const { labels = {} } = node.metadata;
  const values = ['node.kubernetes.io/instance-type', 'topology.kubernetes.io/zone'] as const;
  const pool = await api.get(KARPENTER_NODE_POOLS, { name: POOL });
  const claim = await api.create(KARPENTER_NODE_CLAIMS, {
    metadata: {
      name,
      labels,
      finalizers: [FINALIZER],
      ownerReferences: [
        { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: POOL, uid: pool.metadata.uid },
      ],
    },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: values.map((key) => ({ key, operator: 'In', values: [labels[key]] })),
      resources: { requests: { cpu: '500m', pods: '4' } },
      expireAfter: '720h',
    },
  });
  const conditions = ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => ({
    ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  }));
  const { providerID } = node.spec;
  const status = {
    providerID,
    nodeName: node.metadata.name,
    imageID: 'ami-that-no-class-selects',
    conditions,
  };
  await api.patchStatus(KARPENTER_NODE_CLAIMS, { name }, { type: 'merge', body: { status } });
  const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: claim.metadata.uid };
  const body = {
    metadata: {
      finalizers: [FINALIZER],
      ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
      labels: {
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
        'karpenter.sh/capacity-type': 'on-demand',
      },
    },
    spec: { taints: (node.spec.taints ?? []).filter(({ key }) => key !== UNREGISTERED) },
  };
  await api.patch(NODES, { name: node.metadata.name }, { type: 'merge', body });
}

/** Its Deployment, whose pods do nothing, and a Lease that its leader has just renewed. */
export async function startProcess({ api }: ControlPlane): Promise<void> {
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  const containers = [{ name: 'controller', image: 'karpenter' }];
  await api.create(DEPLOYMENTS, {
    metadata: { name: 'karpenter', namespace: 'kube-system', labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  await api.create(LEASES, {
    metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
    spec: { holderIdentity: 'karpenter-1', leaseDurationSeconds: 15, renewTime, acquireTime: renewTime },
  });
}

export type Owner = 'karpenter' | 'berth';

/** Who owns each instance, and what a living Karpenter would terminate: instances with its tags and without a NodeClaim. */
export async function owners(
  berth: BerthCluster,
  claims: readonly AnyObject[],
): Promise<{
  readonly byInstance: ReadonlyMap<string, readonly Owner[]>;
  readonly doomed: readonly string[];
}> {
  const theirs = (await berth.cluster.api.list(KARPENTER_NODE_CLAIMS)).items;
  const karpenters = new Set(theirs.map(({ status }) => status?.providerID));
  const active = new Set(
    claims.flatMap(({ metadata, status }) =>
      metadata.annotations?.['berth.sh/handover'] === undefined ? [providerIDOf(status)] : [],
    ),
  );
  const held = new Set(claims.map(({ status }) => providerIDOf(status)));
  const running = berth.aws.instances().filter(({ state }) => state === 'running');
  const byInstance = new Map<string, readonly Owner[]>();
  const doomed: string[] = [];
  for (const { id, zone, tags } of running) {
    const providerID = `aws:///${zone}/${id}`;
    const isTheirs = karpenters.has(providerID);
    // A NodeClaim of Berth that is being handed over stands in for an owner when the other's is gone.
    const isOurs = active.has(providerID) || (!isTheirs && held.has(providerID));
    byInstance.set(id, [
      ...(isTheirs ? (['karpenter'] as const) : []),
      ...(isOurs ? (['berth'] as const) : []),
    ]);
    if (tags.has('karpenter.sh/nodepool') && !isTheirs) doomed.push(id);
    if (tags.has('berth.sh/cluster') && !held.has(providerID)) doomed.push(id);
  }
  return { byInstance, doomed };
}

function providerIDOf(status: unknown): string {
  return (status as { readonly providerID?: string } | undefined)?.providerID ?? '';
}

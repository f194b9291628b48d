/** Nodes as large as in a real cluster, and the NodeClaims of those that Berth launched long ago. */
import '../../../src/app/clouds.js';
import { encodeNodeClaim } from '../../../src/apis/berth/node-claim.js';
import { decodePolicyConfigMap } from '../../../src/apis/berth/policy-config-map.js';
import { caFingerprint } from '../../../src/clouds/aws/adapter/node-class/ca-fingerprint.js';
import type { Catalogue } from '../../../src/clouds/aws/catalogue/index.js';
import { hashAnnotations } from '../../../src/controllers/fingerprint/template-hash.js';
import { TERMINATION_FINALIZER, type NodeClaimStatus } from '../../../src/domain/nodes/node-claim.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, type Labels } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import type { SimulatedInstance } from '../../../world/cluster/instance-source.js';
import { instanceOffer, nodeConditions, nodeObject } from '../../../world/kubelet/node-object.js';
import { NOTHING } from '../../../world/kubelet/registration.js';
import { readUserData } from '../../../world/kubelet/user-data.js';
import type { SeededInstance } from './seeded-instances.js';
import { CLUSTER_CA, NODE_CLASS, policies, type ApiObject, type ClusterKind } from './cluster-objects.js';

const DAY_MILLIS = 86_400_000;
const IMAGES_PER_NODE = 30;
const DIGEST = '0123456789abcdef'.repeat(4);

/** kubelet tells of the images that it has; they are most of a Node's bytes. */
const IMAGES = Array.from({ length: IMAGES_PER_NODE }, (_, index) => {
  const name = `registry.example.com/team/app${String(index)}`;
  return { names: [`${name}@sha256:${DIGEST}`, `${name}:v1`], sizeBytes: 123_456_789 };
});

export interface NodeSource {
  readonly catalogue: Catalogue;
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The Node of an instance that has just come up: Ready, with what its userData says. */
export function newNode(source: NodeSource, instance: SimulatedInstance): ApiObject {
  return readyNode(source, instance, readUserData(instance.userData));
}

/** The Node of an instance that Berth registered long ago. */
export function oldNode(source: NodeSource, { instance, type, pool }: SeededInstance): ApiObject {
  const labels = {
    ...Object.fromEntries(type.labels),
    [NODEPOOL]: pool,
    [CAPACITY_TYPE]: 'on-demand',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  const node = readyNode(source, instance, { ...NOTHING, labels });
  const metadata = node['metadata'] as ApiObject;
  const creationTimestamp = new Date(source.now - DAY_MILLIS).toISOString().replace(/\.\d+/, '');
  return { ...node, metadata: { ...metadata, creationTimestamp, finalizers: [TERMINATION_FINALIZER] } };
}

function readyNode(
  { catalogue, region, now }: NodeSource,
  instance: SimulatedInstance,
  registration: ReturnType<typeof readUserData>,
): ApiObject {
  const offer = instanceOffer(catalogue, instance, registration);
  const node = nodeObject({ instance, registration, region, offer, now });
  const conditions = nodeConditions({ isReady: true, readySince: now, registeredAt: now, now });
  const status = { ...(node['status'] as ApiObject), conditions, images: IMAGES };
  return { apiVersion: 'v1', kind: 'Node', ...node, status };
}

/** What holds for claims of old nodes: those that may be consolidated have been quiet for long. */
const OLD_CONDITIONS: Readonly<Record<ClusterKind, readonly string[]>> = {
  full: ['Launched', 'Registered', 'Initialized', 'ConsistentStateFound', 'Ready'],
  'half-full': ['Launched', 'Registered', 'Initialized', 'ConsistentStateFound', 'Ready', 'Consolidatable'],
};

export interface OldClaim extends SeededInstance {
  readonly kind: ClusterKind;
  readonly annotations: Labels;
  readonly now: number;
}

/** The NodeClaim of such a node. */
export function oldClaim(old: OldClaim): ApiObject {
  const { claim: name, instance, pool, annotations, now } = old;
  return encodeNodeClaim({
    name,
    uid: `claim-${instance.id}`,
    resourceVersion: '1',
    createdAt: now - DAY_MILLIS,
    deletionTimestamp: undefined,
    finalizers: [TERMINATION_FINALIZER],
    labels: new Map([[NODEPOOL, pool]]),
    annotations,
    spec: {
      nodePool: pool,
      nodeClassRef: NODE_CLASS,
      requirements: [requirement(INSTANCE_TYPE, 'In', [instance.instanceType])],
      taints: [],
      startupTaints: [],
      requests: new Map([['cpu', 100]]),
      expireAfterSeconds: undefined,
      terminationGracePeriodSeconds: undefined,
    },
    status: statusOf(old),
  });
}

function statusOf({ kind, claim: name, instance, type, now }: OldClaim): NodeClaimStatus {
  const since = now - DAY_MILLIS;
  const { id, zone, instanceType, imageID, privateDnsName, subnetID } = instance;
  const price = type.offerings.find(
    (offering) => offering.zone === zone && offering.capacityType === 'on-demand',
  )?.price;
  const override = { instanceType, zone, price: price ?? 0, imageID, subnetID, launchTemplate: undefined };
  return {
    launch: {
      ...{ group: `group-${name}`, attempt: 1, token: `token-${name}`, requestHash: 'hash' },
      request: {
        ...{ capacityType: 'on-demand', size: 1, overrides: [override] },
        certificateAuthority: caFingerprint({ certificateAuthority: CLUSTER_CA }),
      },
      answeredAt: since,
      error: undefined,
    },
    providerID: `aws:///${zone}/${id}`,
    nodeName: privateDnsName,
    ...{ instanceType, zone, capacityType: 'on-demand', hourlyPrice: price, imageID },
    capacity: type.capacity,
    allocatable: type.allocatable,
    conditions: OLD_CONDITIONS[kind].map((condition) => ({
      type: condition,
      status: 'True',
      reason: condition,
      message: '',
      lastTransitionTime: since,
    })),
    ...(kind === 'half-full' && { lastPodEventTime: since }),
    disruption: undefined,
  };
}

/** What Berth notes on claims of the pool, so that it has nothing to add to old ones. */
export function fingerprints(kind: ClusterKind, poolName: string): Labels {
  const values = (decodePolicyConfigMap(policies(kind)).value?.documents ?? []).map(({ value }) => value);
  const pool = values.find((value) => value?.kind === 'NodePool' && value.nodePool.name === poolName);
  const nodeClass = values.find((value) => value !== undefined && 'nodeClass' in value);
  if (pool?.kind !== 'NodePool' || nodeClass === undefined || !('nodeClass' in nodeClass))
    throw new Error("the bench's own policies cannot be read");
  return hashAnnotations(pool.nodePool, nodeClass.nodeClass);
}

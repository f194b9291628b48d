/** Nodes as they would be if Berth managed them: those of another system, taken over as they are, and those that plans launch. */
import { launchedResources } from '../../domain/nodes/launched-resources.js';
import type { CapacityType } from '../../domain/nodes/instance-type.js';
import { NEW_CLAIM_STATUS, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { tenancyLabels, type Tenancy } from '../../domain/nodes/tenancy.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { Condition } from '../../domain/values/condition.js';
import { CAPACITY_TYPE, NODEPOOL } from '../../domain/values/labels.js';
import { NO_RESOURCES } from '../../domain/values/resources.js';
import { cheapestOfferings } from '../../planning/disrupt/sets/narrow-claim.js';
import type { PlannedClaim } from '../../planning/plan.js';
import { typesOffered, type PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { NewNodeClaim } from '../../ports/kube-writer.js';
import { nodeOfFlight } from '../../state/nodes/expected-node.js';
import { isPassing } from '../../state/nodes/node-state.js';

/** What another system bought as a node. */
export interface Bought {
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly tenancy: Tenancy;
}

/** A claim with its node. */
export interface ModelNode {
  readonly claim: NodeClaim;
  readonly node: ObservedNode;
}

/** Taints by which Karpenter and Cluster Autoscaler announce that a node goes. */
const LEAVING_TAINTS: ReadonlySet<string> = new Set([
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
  'ToBeDeletedByClusterAutoscaler',
  'DeletionCandidateOfClusterAutoscaler',
]);

/** Whether the system that launched the node is removing it. */
export function isGoing({ deletionTimestamp, unschedulable, taints }: ObservedNode): boolean {
  return (
    deletionTimestamp !== undefined || unschedulable || taints.some(({ key }) => LEAVING_TAINTS.has(key))
  );
}

/** The node with a claim, as an adoption at this time (milliseconds since 1970) leaves it. */
export function takenOver(
  observed: ObservedNode,
  { nodePool, tenancy, ...bought }: Bought,
  pool: NodePool,
  now: number,
): ModelNode {
  const { name, uid, createdAt, capacity, allocatable } = observed;
  const providerID = observed.providerID ?? `observed:///${name}`;
  const claim: NodeClaim = {
    ...{ name, uid, createdAt, annotations: observed.annotations },
    ...{ resourceVersion: '', deletionTimestamp: undefined, finalizers: [], labels: tenancyLabels(tenancy) },
    spec: {
      nodePool,
      nodeClassRef: pool.template.nodeClassRef,
      ...{ requirements: [], taints: [], startupTaints: [], requests: NO_RESOURCES },
      expireAfterSeconds: pool.template.expireAfterSeconds,
      terminationGracePeriodSeconds: pool.template.terminationGracePeriodSeconds,
    },
    status: {
      ...NEW_CLAIM_STATUS,
      ...{ providerID, nodeName: name, ...bought, capacity, allocatable },
      conditions: upSince(now),
    },
  };
  return { claim, node: settled(observed, pool, { ...bought, nodePool, providerID }) };
}

/** The node as it is without what passes: it has come up, and nothing removes it. */
function settled(
  node: ObservedNode,
  { template: { startupTaints } }: NodePool,
  { nodePool, capacityType, providerID }: Omit<Bought, 'tenancy'> & { readonly providerID: string },
): ObservedNode {
  return {
    ...node,
    providerID,
    labels: new Map([...node.labels, [NODEPOOL, nodePool], [CAPACITY_TYPE, capacityType]]),
    taints: node.taints.filter((taint) => !isPassing(taint, startupTaints) && !LEAVING_TAINTS.has(taint.key)),
    ...{ unschedulable: false, deletionTimestamp: undefined, finalizers: [], conditions: [] },
    ...{ ready: true, readySince: node.createdAt },
  };
}

/** The instance that the cloud would start for a claim: the cheapest offering, in the zone with the fewest nodes. */
export function launched(
  { name, labels, annotations, spec }: NewNodeClaim,
  { planned, offer }: { readonly planned: PlannedClaim; readonly offer: PoolOffer },
  { now, nodesIn }: { readonly now: number; readonly nodesIn: (zone: string) => number },
): ModelNode | undefined {
  const [best] = [...cheapestOfferings(planned, offer)]
    .map((text) => text.split(' '))
    .map(([instanceType = '', zone = '', capacityType]) => ({ instanceType, zone, capacityType }))
    .sort((left, right) => nodesIn(left.zone) - nodesIn(right.zone) || (left.zone < right.zone ? -1 : 1));
  const offered = typesOffered(offer, planned.chosenLabels);
  const types = offered.filter((type) => type.name === best?.instanceType);
  const [type] = types;
  if (best === undefined || type === undefined) return undefined;
  const providerID = `planned:///${name}`;
  const claim: NodeClaim = {
    ...{ name, uid: providerID, resourceVersion: '', createdAt: now, labels, annotations, spec },
    ...{ deletionTimestamp: undefined, finalizers: [] },
    status: {
      ...NEW_CLAIM_STATUS,
      ...{ providerID, nodeName: name, instanceType: best.instanceType, zone: best.zone },
      capacityType: best.capacityType as CapacityType,
      ...launchedResources(type, spec.requests),
      conditions: upSince(now),
    },
  };
  const node: ObservedNode = {
    ...nodeOfFlight(claim, types),
    ...{ uid: providerID, resourceVersion: '', createdAt: now, deletionTimestamp: undefined, finalizers: [] },
    ...{ annotations, bootID: '', ready: true, readySince: now, conditions: [] },
  };
  return { claim, node };
}

const REACHED = ['Launched', 'Registered', 'Initialized', 'Ready'];

function upSince(now: number): readonly Condition[] {
  return REACHED.map((type) => ({
    ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: now },
  }));
}

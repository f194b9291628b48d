/** `berth get nodes` and `berth get nodeclaims`, the latter with Karpenter's columns. */
import type { NodeClaim } from '../../../../domain/nodes/node-claim.js';
import { CPU, MEMORY, addResources, NO_RESOURCES } from '../../../../domain/values/resources.js';
import type { SeenCluster } from '../../../cluster-reader.js';
import { stateNodes, podsOn, type StateNode } from '../../../../state/nodes/state-node.js';
import { durationText } from '../../../../state/story/words.js';
import { formatPrice, roundPrice } from '../../render/text/numbers.js';
import { byName, listing, NONE, type Listing } from './listing.js';

const NODE_KINDS = ['Node', 'NodeClaim', 'Pod'] as const;

interface SeenNode {
  readonly stateNode: StateNode;
  readonly pods: number;
  readonly used: ReadonlyMap<string, number>;
  readonly ageMillis: number;
}

export const NODES: Listing = listing<SeenNode>({
  names: ['nodes', 'node', 'no'],
  kinds: NODE_KINDS,
  namespaced: false,
  items: (seen) => byName(stateNodes(seen.cluster), nameOfNode).map((stateNode) => seenNode(seen, stateNode)),
  nameOf: ({ stateNode }) => nameOfNode(stateNode),
  columns: [
    { header: 'NAME', key: 'name', text: ({ stateNode }) => stateNode.name },
    { header: 'NODEPOOL', key: 'nodePool', text: ({ stateNode }) => or(stateNode.nodePool) },
    { header: 'TYPE', key: 'type', text: ({ stateNode }) => or(stateNode.instanceType) },
    { header: 'CAPACITY', key: 'capacity', text: ({ stateNode }) => or(stateNode.capacityType) },
    { header: 'ZONE', key: 'zone', text: ({ stateNode }) => or(stateNode.zone) },
    {
      header: 'PODS',
      key: 'pods',
      align: 'right',
      text: ({ pods }) => String(pods),
      value: ({ pods }) => pods,
    },
    {
      header: 'CPU',
      key: 'cpuShare',
      align: 'right',
      text: (item) => percent(share(item, CPU)),
      value: (item) => share(item, CPU),
    },
    {
      header: 'MEMORY',
      key: 'memoryShare',
      align: 'right',
      text: (item) => percent(share(item, MEMORY)),
      value: (item) => share(item, MEMORY),
    },
    {
      header: 'USD/H',
      key: 'hourlyPrice',
      align: 'right',
      text: ({ stateNode }) =>
        stateNode.hourlyPrice === undefined ? NONE : formatPrice(stateNode.hourlyPrice),
      value: ({ stateNode }) =>
        stateNode.hourlyPrice === undefined ? null : roundPrice(stateNode.hourlyPrice),
    },
    { header: 'STATUS', key: 'status', text: ({ stateNode }) => stateNode.phase },
    {
      header: 'AGE',
      key: 'ageSeconds',
      text: ({ ageMillis }) => durationText(ageMillis),
      value: ({ ageMillis }) => seconds(ageMillis),
    },
    {
      header: 'NODECLAIM',
      key: 'nodeClaim',
      wide: true,
      text: ({ stateNode }) => stateNode.claim?.name ?? NONE,
    },
  ],
});

export const NODE_CLAIMS: Listing = listing<{ readonly claim: NodeClaim; readonly ageMillis: number }>({
  names: ['nodeclaims', 'nodeclaim', 'bnc'],
  kinds: ['NodeClaim'],
  namespaced: false,
  items: ({ cluster, now }) =>
    byName(cluster.nodeClaims.values(), ({ name }) => ({ namespace: '', name })).map((claim) => ({
      claim,
      ageMillis: now - claim.createdAt,
    })),
  nameOf: ({ claim }) => ({ namespace: '', name: claim.name }),
  columns: [
    { header: 'NAME', key: 'name', text: ({ claim }) => claim.name },
    { header: 'TYPE', key: 'type', text: ({ claim }) => or(claim.status.instanceType) },
    { header: 'CAPACITY', key: 'capacity', text: ({ claim }) => or(claim.status.capacityType) },
    { header: 'ZONE', key: 'zone', text: ({ claim }) => or(claim.status.zone) },
    { header: 'NODE', key: 'node', text: ({ claim }) => or(claim.status.nodeName) },
    { header: 'READY', key: 'ready', text: ({ claim }) => statusOf(claim, 'Ready') },
    { header: 'DRIFTED', key: 'drifted', text: ({ claim }) => statusOf(claim, 'Drifted') },
    {
      header: 'AGE',
      key: 'ageSeconds',
      text: ({ ageMillis }) => durationText(ageMillis),
      value: ({ ageMillis }) => seconds(ageMillis),
    },
    { header: 'IMAGEID', key: 'imageID', wide: true, text: ({ claim }) => or(claim.status.imageID) },
    { header: 'ID', key: 'id', wide: true, text: ({ claim }) => or(claim.status.providerID) },
    { header: 'NODEPOOL', key: 'nodePool', wide: true, text: ({ claim }) => claim.spec.nodePool },
    { header: 'NODECLASS', key: 'nodeClass', wide: true, text: ({ claim }) => claim.spec.nodeClassRef.name },
    {
      header: 'DISRUPTED',
      key: 'disrupted',
      wide: true,
      text: ({ claim }) => or(claim.status.disruption?.reason),
    },
  ],
});

function nameOfNode({ name }: StateNode): { readonly namespace: string; readonly name: string } {
  return { namespace: '', name };
}

function seenNode({ cluster, now }: SeenCluster, stateNode: StateNode): SeenNode {
  const pods = podsOn(cluster, stateNode);
  const used = pods.map(({ spec }) => spec.requests).reduce(addResources, NO_RESOURCES);
  return { stateNode, pods: pods.length, used, ageMillis: now - stateNode.createdAt };
}

/** How much of the resource is asked for, 0 to 1; null where it has none. */
function share({ stateNode, used }: SeenNode, resource: string): number | null {
  const size = stateNode.allocatable.get(resource) ?? 0;
  return size > 0 ? Number(((used.get(resource) ?? 0) / size).toFixed(4)) : null;
}

function percent(part: number | null): string {
  return part === null ? '-' : `${String(Math.floor(part * 100))}%`;
}

function or(text: string | undefined): string {
  return text === undefined || text === '' ? NONE : text;
}

function statusOf({ status }: NodeClaim, type: string): string {
  return status.conditions.find((condition) => condition.type === type)?.status ?? NONE;
}

function seconds(millis: number): number {
  return Math.floor(millis / 1000);
}

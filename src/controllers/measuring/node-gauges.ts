/** Gauges of nodes: what they have, what pods request of it, and what a NodePool and a namespace cost. */
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { isFinished } from '../../domain/pods/pod.js';
import {
  ARCH,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  NODEPOOL,
  OS,
  REGION,
  WINDOWS_BUILD,
  ZONE,
} from '../../domain/values/labels.js';
import { CPU, MEMORY, subtractResources, type ResourceList } from '../../domain/values/resources.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { NodeLabels } from '../../runtime/metrics/node-metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import {
  hasSeriesForEach,
  LabelledValues,
  type GaugeGroup,
  type MeasuringContext,
} from './measuring-context.js';

export const NODE_GAUGES: GaugeGroup = {
  reset: (metrics) => {
    for (const gauge of [...resourceGauges(metrics).values(), metrics.nodesCurrentLifetime]) gauge.reset();
    for (const gauge of [metrics.clusterUtilization, metrics.clusterStateNodes]) gauge.reset();
    for (const gauge of [metrics.nodePoolCost, metrics.namespaceCost, metrics.idleCost]) gauge.reset();
  },
  measure: (context) => {
    const nodes = [...context.cluster.nodes.values()].map((node) => requestsOn(context.cluster, node));
    context.metrics.clusterStateNodes.set(nodes.length);
    measureNodes(context, nodes);
    measureUtilization(context, nodes);
    measureCosts(context, nodes);
  },
};

/** What the pods of a node request. */
interface NodeRequests {
  readonly node: ObservedNode;
  readonly all: ResourceList;
  readonly daemons: ResourceList;
  readonly byNamespace: ReadonlyMap<string, ResourceList>;
}

/** Amount of a resource in the unit of Karpenter's metrics: cpu in cores. */
export function inUnits(resource: string, amount: number): number {
  return resource === CPU ? amount / 1000 : amount;
}

/** Karpenter's spelling of a resource as a label value. */
export function resourceLabel(resource: string): string {
  return resource.toLowerCase().replaceAll('-', '_');
}

/** Labels of nodes; `name` is empty for several that are added up. */
export function nodeLabels({ labels }: Pick<ObservedNode, 'labels'>, name: string): NodeLabels {
  const of = (key: string): string => labels.get(key) ?? '';
  return {
    node_name: name,
    nodepool: of(NODEPOOL),
    phase: '',
    managed: String(labels.has(NODEPOOL)),
    zone: of(ZONE),
    region: of(REGION),
    instance_type: of(INSTANCE_TYPE),
    arch: of(ARCH),
    os: of(OS),
    capacity_type: of(CAPACITY_TYPE),
    windows_build: of(WINDOWS_BUILD),
  };
}

function resourceGauges(metrics: Metrics) {
  return new Map([
    ['allocatable', metrics.nodesAllocatable],
    ['requests', metrics.nodesPodRequests],
    ['daemons', metrics.nodesDaemonRequests],
    ['overhead', metrics.nodesSystemOverhead],
  ] as const);
}

/** In place: adding one list to another would make tens of thousands of them. */
function addTo(sum: Map<string, number>, amounts: ResourceList): void {
  for (const [resource, amount] of amounts) sum.set(resource, (sum.get(resource) ?? 0) + amount);
}

function requestsOn(cluster: Cluster, node: ObservedNode): NodeRequests {
  const all = new Map<string, number>();
  const daemons = new Map<string, number>();
  const byNamespace = new Map<string, Map<string, number>>();
  for (const pod of cluster.podsOn(node.name)) {
    if (isFinished(pod)) continue;
    const { requests } = pod.spec;
    addTo(all, requests);
    if (pod.owner?.kind === 'DaemonSet') addTo(daemons, requests);
    const own = byNamespace.get(pod.namespace) ?? new Map<string, number>();
    byNamespace.set(pod.namespace, own);
    addTo(own, requests);
  }
  return { node, all, daemons, byNamespace };
}

function measureNodes(context: MeasuringContext, nodes: readonly NodeRequests[]): void {
  const { clock, metrics } = context;
  const isEach = hasSeriesForEach(context);
  const gauges = resourceGauges(metrics);
  const sums = new Map([...gauges.keys()].map((kind) => [kind, new LabelledValues<ResourceLabels>()]));
  const ages = new LabelledValues<NodeLabels>();
  const now = clock.now();
  for (const { node, all, daemons } of nodes) {
    const labels = nodeLabels(node, isEach ? node.name : '');
    const { allocatable, capacity } = node;
    const lists = { allocatable, requests: all, daemons, overhead: subtractResources(capacity, allocatable) };
    for (const [kind, sum] of sums)
      for (const [resource, amount] of lists[kind])
        sum.put({ ...labels, resource_type: resourceLabel(resource) }, inUnits(resource, amount));
    ages.put(labels, (now - node.createdAt) / 1000, Math.max);
  }
  for (const [kind, gauge] of gauges)
    for (const { labels, value } of sums.get(kind)?.values() ?? []) gauge.set({ ...labels }, value);
  for (const { labels, value } of ages.values()) metrics.nodesCurrentLifetime.set({ ...labels }, value);
}

type ResourceLabels = NodeLabels & { readonly resource_type: string };

function measureUtilization({ metrics }: MeasuringContext, nodes: readonly NodeRequests[]): void {
  const allocatable = new Map<string, number>();
  const requested = new Map<string, number>();
  for (const { node, all } of nodes) {
    addTo(allocatable, node.allocatable);
    addTo(requested, all);
  }
  for (const [resource, amount] of allocatable) {
    const percent = amount === 0 ? 0 : (100 * (requested.get(resource) ?? 0)) / amount;
    metrics.clusterUtilization.set({ resource_type: resourceLabel(resource) }, percent);
  }
}

/** Namespaces with a series of their own. */
const MOST_NAMESPACES = 100;
const OTHER_NAMESPACES = '(other)';

function measureCosts({ cluster, metrics }: MeasuringContext, nodes: readonly NodeRequests[]): void {
  for (const { spec, status } of cluster.nodeClaims.values()) {
    if (status.providerID !== undefined && status.hourlyPrice !== undefined)
      metrics.nodePoolCost.inc({ nodepool: spec.nodePool }, status.hourlyPrice);
  }
  const costs: { readonly namespace: string; readonly nodepool: string; readonly cost: number }[] = [];
  const totals = new Map<string, number>();
  for (const { node, byNamespace } of nodes) {
    const claim = cluster.claimOfNode(node.name);
    const price = claim?.status.hourlyPrice;
    if (claim === undefined || price === undefined) continue;
    const nodepool = claim.spec.nodePool;
    let idle = price;
    for (const [namespace, requests] of byNamespace) {
      const cost = price * shareOf(requests, node.allocatable);
      costs.push({ namespace, nodepool, cost });
      totals.set(namespace, (totals.get(namespace) ?? 0) + cost);
      idle -= cost;
    }
    metrics.idleCost.inc({ nodepool }, Math.max(0, idle));
  }
  const highest = [...totals].sort(([, one], [, other]) => other - one).slice(0, MOST_NAMESPACES);
  const named = new Set(highest.map(([namespace]) => namespace));
  for (const { namespace, nodepool, cost } of costs)
    metrics.namespaceCost.inc(
      { namespace: named.has(namespace) ? namespace : OTHER_NAMESPACES, nodepool },
      cost,
    );
}

/** Of a node, from 0 to 1: half of it is its cpu, half its memory. Shares of several namespaces add up. */
function shareOf(requests: ResourceList, allocatable: ResourceList): number {
  const shares = [CPU, MEMORY].map((resource) => {
    const room = allocatable.get(resource) ?? 0;
    return room === 0 ? 0 : Math.min(1, (requests.get(resource) ?? 0) / room);
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

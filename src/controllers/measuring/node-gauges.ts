/** Gauges of nodes: what they have, and what pods request of it. */
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
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
import { CPU, subtractResources } from '../../domain/values/resources.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { NodeLabels } from '../../runtime/metrics/node-metrics.js';
import { hasSeriesForEach, SameLabels, type GaugeGroup, type MeasuringContext } from './measuring-context.js';
import { addTo, type MeasuredNode, type PodsOnNodes } from './pods-on-nodes.js';

type Kind = 'allocatable' | 'requests' | 'daemons' | 'overhead';
type Sums = Readonly<Record<Kind, Map<string, number>>>;

export class NodeGauges implements GaugeGroup {
  readonly #requests: PodsOnNodes;
  readonly #labels = new WeakMap<ObservedNode, NodeLabels>();
  readonly #sameLabels = new SameLabels<NodeLabels>();

  constructor(requests: PodsOnNodes) {
    this.#requests = requests;
  }

  reset(metrics: Metrics): void {
    for (const gauge of [...Object.values(resourceGauges(metrics)), metrics.nodesCurrentLifetime])
      gauge.reset();
    for (const gauge of [metrics.clusterUtilization, metrics.clusterStateNodes]) gauge.reset();
  }

  measure(context: MeasuringContext): void {
    const nodes = this.#requests.all(context.cluster);
    context.metrics.clusterStateNodes.set(nodes.length);
    this.#measureNodes(context, nodes);
    measureUtilization(context, nodes);
  }

  #measureNodes(context: MeasuringContext, nodes: readonly MeasuredNode[]): void {
    const { clock, metrics } = context;
    const isEach = hasSeriesForEach(context);
    const sums = new Map<NodeLabels, Sums>();
    const ages = new Map<NodeLabels, number>();
    const now = clock.now();
    for (const { node, all, daemons } of nodes) {
      const labels = isEach ? nodeLabels(node, node.name) : this.#labelsOf(node);
      const own = sums.get(labels) ?? noSums();
      sums.set(labels, own);
      addTo(own.allocatable, node.allocatable);
      addTo(own.requests, all);
      addTo(own.daemons, daemons);
      addTo(own.overhead, node.capacity);
      ages.set(labels, Math.max(ages.get(labels) ?? 0, (now - node.createdAt) / 1000));
    }
    for (const [labels, own] of sums) setSums(metrics, labels, own);
    for (const [labels, age] of ages) metrics.nodesCurrentLifetime.set({ ...labels }, age);
  }

  #labelsOf(node: ObservedNode): NodeLabels {
    const labels = this.#labels.get(node) ?? this.#sameLabels.of(nodeLabels(node, ''));
    this.#labels.set(node, labels);
    return labels;
  }
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

function resourceGauges(metrics: Metrics): Readonly<Record<Kind, Metrics['nodesAllocatable']>> {
  return {
    allocatable: metrics.nodesAllocatable,
    requests: metrics.nodesPodRequests,
    daemons: metrics.nodesDaemonRequests,
    overhead: metrics.nodesSystemOverhead,
  };
}

function noSums(): Sums {
  return { allocatable: new Map(), requests: new Map(), daemons: new Map(), overhead: new Map() };
}

/** `overhead` is the capacity until here. */
function setSums(metrics: Metrics, labels: NodeLabels, sums: Sums): void {
  const gauges = resourceGauges(metrics);
  const overhead = subtractResources(sums.overhead, sums.allocatable);
  for (const [kind, amounts] of Object.entries({ ...sums, overhead }))
    for (const [resource, amount] of amounts)
      gauges[kind as Kind].set(
        { ...labels, resource_type: resourceLabel(resource) },
        inUnits(resource, amount),
      );
}

function measureUtilization({ metrics }: MeasuringContext, nodes: readonly MeasuredNode[]): void {
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

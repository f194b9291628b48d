/** What NodePools, the shares of namespaces and what nothing requests cost. */
import { CPU, MEMORY, type ResourceList } from '../../domain/values/resources.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { GaugeGroup, MeasuringContext } from './measuring-context.js';
import type { MeasuredNode, PodsOnNodes } from './pods-on-nodes.js';

export class CostGauges implements GaugeGroup {
  readonly #requests: PodsOnNodes;

  constructor(requests: PodsOnNodes) {
    this.#requests = requests;
  }

  reset({ nodePoolCost, namespaceCost, idleCost }: Metrics): void {
    for (const gauge of [nodePoolCost, namespaceCost, idleCost]) gauge.reset();
  }

  measure(context: MeasuringContext): void {
    measureCosts(context, this.#requests.all(context.cluster));
  }
}

/** Namespaces with a series of their own. */
const MOST_NAMESPACES = 100;
const OTHER_NAMESPACES = '(other)';

function measureCosts({ cluster, metrics }: MeasuringContext, nodes: readonly MeasuredNode[]): void {
  const pools = new Map<string, number>();
  for (const { spec, status } of cluster.nodeClaims.values())
    if (status.providerID !== undefined && status.hourlyPrice !== undefined)
      addOne(pools, spec.nodePool, status.hourlyPrice);
  for (const [nodepool, cost] of pools) metrics.nodePoolCost.set({ nodepool }, cost);
  const idle = new Map<string, number>();
  /** NodePool → namespace → USD/h. */
  const costs = new Map<string, Map<string, number>>();
  for (const { node, byNamespace } of nodes) {
    const claim = cluster.claimOfNode(node.name);
    const price = claim?.status.hourlyPrice;
    if (claim === undefined || price === undefined) continue;
    const { nodePool } = claim.spec;
    const own = costs.get(nodePool) ?? new Map<string, number>();
    costs.set(nodePool, own);
    let left = price;
    for (const [namespace, requests] of byNamespace) {
      const cost = price * shareOf(requests, node.allocatable);
      addOne(own, namespace, cost);
      left -= cost;
    }
    addOne(idle, nodePool, Math.max(0, left));
  }
  for (const [nodepool, cost] of idle) metrics.idleCost.set({ nodepool }, cost);
  setNamespaceCosts(metrics, costs);
}

function setNamespaceCosts(
  { namespaceCost }: Metrics,
  costs: ReadonlyMap<string, ReadonlyMap<string, number>>,
): void {
  const totals = new Map<string, number>();
  for (const own of costs.values()) for (const [namespace, cost] of own) addOne(totals, namespace, cost);
  const highest = [...totals].sort(([, one], [, other]) => other - one).slice(0, MOST_NAMESPACES);
  const named = new Set(highest.map(([namespace]) => namespace));
  for (const [nodepool, own] of costs)
    for (const [name, cost] of own)
      namespaceCost.inc({ namespace: named.has(name) ? name : OTHER_NAMESPACES, nodepool }, cost);
}

function addOne(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/** Of a node, from 0 to 1: half of it is its cpu, half its memory. Shares of several namespaces add up. */
function shareOf(requests: ResourceList, allocatable: ResourceList): number {
  const share = (resource: string): number => {
    const room = allocatable.get(resource) ?? 0;
    return room === 0 ? 0 : Math.min(1, (requests.get(resource) ?? 0) / room);
  };
  return (share(CPU) + share(MEMORY)) / 2;
}

/** Gauges of NodePools, and of the room that is held for pods. */
import type { PolicyStatus } from '../../domain/policies/policy.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { poolResources } from '../../state/nodes/pool-resources.js';
import type { GaugeGroup, MeasuringContext } from './measuring-context.js';
import { inUnits } from './node-gauges.js';

export const POOL_GAUGES: GaugeGroup = {
  reset: ({ nodePoolUsage, nodePoolLimit, reservations, reservedPods }) => {
    for (const gauge of [nodePoolUsage, nodePoolLimit, reservations, reservedPods]) gauge.reset();
  },
  measure: (context) => {
    for (const status of context.cluster.policyStatuses.values()) measurePool(context, status);
    countReservations(context);
  },
};

function measurePool({ cluster, metrics }: MeasuringContext, { policy, lastAccepted }: PolicyStatus): void {
  const value = lastAccepted?.value;
  if (value?.kind !== 'NodePool') return;
  const { limits } = value.nodePool;
  const usage = poolResources(cluster, policy);
  const unused = [...limits.keys()].filter((resource) => !usage.has(resource));
  const set = (gauge: Metrics['nodePoolUsage'], amounts: ResourceList): void => {
    for (const [resource, amount] of amounts)
      gauge.set({ nodepool: policy, resource_type: resource }, inUnits(resource, amount));
  };
  set(metrics.nodePoolLimit, limits);
  set(metrics.nodePoolUsage, new Map([...usage, ...unused.map((resource) => [resource, 0] as const)]));
}

function countReservations({ cluster, metrics }: MeasuringContext): void {
  let pods = 0;
  for (const { entries } of cluster.reservations.values()) for (const { count } of entries) pods += count;
  metrics.reservations.set(cluster.reservations.size);
  metrics.reservedPods.set(pods);
}

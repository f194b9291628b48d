/** What the cloud sells: price and availability of offerings, and how large instance types are. */
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import { INSTANCE_TYPE } from '../../domain/values/labels.js';
import { CPU, MEMORY } from '../../domain/values/resources.js';
import type { GaugeGroup, MeasuringContext } from './measuring-context.js';
import { inUnits } from './node-gauges.js';

export const OFFERING_GAUGES: GaugeGroup = {
  reset: (metrics) => {
    for (const gauge of [metrics.offeringPrice, metrics.offeringAvailable]) gauge.reset();
    for (const gauge of [metrics.instanceTypeCores, metrics.instanceTypeMemory]) gauge.reset();
  },
  measure: (context) => {
    const used = context.detail === 'full' ? undefined : typesInUse(context);
    for (const type of context.catalogue().instanceTypes)
      if (used === undefined || used.has(type.name)) measureType(context, type);
  },
};

/** Of nodes and of NodeClaims that are on their way. */
function typesInUse({ cluster }: MeasuringContext): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { labels } of cluster.nodes.values()) types.add(labels.get(INSTANCE_TYPE) ?? '');
  for (const { status } of cluster.nodeClaims.values()) types.add(status.instanceType ?? '');
  return types;
}

function measureType(
  { clock, metrics, unavailableOfferings }: MeasuringContext,
  { name, capacity, offerings }: InstanceType,
): void {
  const now = clock.now();
  metrics.instanceTypeCores.set({ instance_type: name }, inUnits(CPU, capacity.get(CPU) ?? 0));
  metrics.instanceTypeMemory.set({ instance_type: name }, capacity.get(MEMORY) ?? 0);
  for (const { zone, capacityType, price, available } of offerings) {
    const labels = { instance_type: name, capacity_type: capacityType, zone };
    const isOut = unavailableOfferings.isUnavailable(name, zone, capacityType, now);
    metrics.offeringPrice.set(labels, price);
    metrics.offeringAvailable.set(labels, available && !isOut ? 1 : 0);
  }
}

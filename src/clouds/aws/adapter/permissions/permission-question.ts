/** The launch by which a node class's permissions are judged: one of any that it could lead to. */
import type { Catalogue } from '../../catalogue/index.js';
import { NO_LABELS } from '../../../../domain/values/labels.js';
import { UNREGISTERED_TAINT } from '../../../../domain/nodes/node-claim.js';
import type { LaunchIntent } from '../../../../ports/cloud.js';
import { imageFor } from '../discovery/index.js';
import { instanceKind } from '../launch/launch-plan.js';
import type { NodeClassView } from '../launch/node-class-view.js';

/** undefined when there is nothing to launch. */
export function permissionIntent(
  nodeClass: LaunchIntent['nodeClass'],
  { images, subnets }: Pick<NodeClassView, 'images' | 'subnets'>,
  catalogue: Catalogue,
): LaunchIntent | undefined {
  const zones = new Set(subnets.map(({ zone }) => zone));
  for (const { facts, offerings } of catalogue.entries) {
    if (imageFor(images, instanceKind(facts)) === undefined) continue;
    const zone = offerings.find((offering) => zones.has(offering.zone))?.zone;
    if (zone === undefined) continue;
    return {
      nodeClass,
      capacityType: 'on-demand',
      offerings: [{ instanceType: facts.name, zone, price: 0 }],
      size: 1,
      labels: NO_LABELS,
      taints: [UNREGISTERED_TAINT],
    };
  }
  return undefined;
}

/** Which NodeOverlays of some manifests are applied, and which contradict one of them. */
import type { Policies } from '../../apis/policies/read-policies.js';
import type { Catalogue } from '../../clouds/aws/catalogue/index.js';
import { describeNodeClass } from '../../domain/policies/node-class.js';
import {
  decideOverlays,
  overlaidTenancies,
  type DecidedOverlays,
} from '../../domain/nodes/overlay-conflicts.js';

/** A pool whose node class is not there has no types to disagree about. */
export function decidedOverlays(
  { nodePools, nodeClasses, nodeOverlays }: Pick<Policies, 'nodePools' | 'nodeClasses' | 'nodeOverlays'>,
  catalogue: Catalogue,
): DecidedOverlays {
  const byName = new Map(nodeClasses.map((nodeClass) => [describeNodeClass(nodeClass), nodeClass]));
  const pools = nodePools.flatMap(({ pool: { name, template } }) => {
    const nodeClass = byName.get(describeNodeClass(template.nodeClassRef));
    if (nodeClass === undefined) return [];
    const pool = { name, labels: template.labels };
    return overlaidTenancies(template, nodeOverlays).map((tenancy) => ({
      pool,
      types: catalogue.forNodeClass(nodeClass, tenancy),
    }));
  });
  return decideOverlays(nodeOverlays, pools);
}

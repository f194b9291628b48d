/** Launches that a node class could lead to, to check permissions with. */
import { UNREGISTERED_TAINT } from '../../../../domain/nodes/node-claim.js';
import { NO_LABELS } from '../../../../domain/values/labels.js';
import type { LaunchIntent } from '../../../../ports/cloud.js';
import type { Catalogue } from '../../catalogue/index.js';
import { imageFor } from '../discovery/choose-images.js';
import { instanceKind } from '../launch/launch-plan.js';
import type { NodeClassView } from '../node-class/node-class-view.js';

/** Those that organizations allow, where they allow few. */
const USUAL_FAMILIES = ['m5', 't3', 'm6i', 'm7g', 'c5', 'm7i', 'r5', 'g5'];

/** Each is asked for only when those before it were denied. EC2 takes about as many RunInstances calls at once. */
const MOST_INTENTS = 4;

/**
 * Each with an instance type of another family: an organization may deny some. The usual families come first; empty when there is nothing
 * to launch.
 */
export function permissionIntents(
  nodeClass: LaunchIntent['nodeClass'],
  { images, subnets }: Pick<NodeClassView, 'images' | 'subnets'>,
  catalogue: Catalogue,
): readonly LaunchIntent[] {
  const zones = new Set(subnets.map(({ zone }) => zone));
  const excluded = new Set(
    catalogue.forNodeClass(nodeClass).flatMap((type) => (type.excluded === undefined ? [] : [type.name])),
  );
  const byFamily = new Map<string, LaunchIntent['offerings'][number]>();
  for (const { facts, offerings } of catalogue.entries) {
    const [family = '', size] = facts.name.split('.');
    // The smallest and the largest sizes are what an organization may deny as well.
    if (byFamily.has(family) && size !== 'large') continue;
    if (excluded.has(facts.name) || imageFor(images, instanceKind(facts)) === undefined) continue;
    const zone = offerings.find((offering) => zones.has(offering.zone))?.zone;
    if (zone !== undefined) byFamily.set(family, { instanceType: facts.name, zone, price: 0 });
  }
  const families = [...new Set([...USUAL_FAMILIES, ...byFamily.keys()])];
  return families
    .flatMap((family) => byFamily.get(family) ?? [])
    .slice(0, MOST_INTENTS)
    .map((offering) => ({
      nodeClass,
      capacityType: 'on-demand',
      offerings: [offering],
      size: 1,
      labels: NO_LABELS,
      taints: [UNREGISTERED_TAINT],
    }));
}

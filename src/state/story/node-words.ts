/** What an instance is, and why it is that one, in words that the stories of nodes and of their pods share. */
import { counted, usdPerHour } from '../../domain/values/text.js';
import { INSTANCE_TYPE } from '../../domain/values/labels.js';
import { REPLACES_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { StateNode } from '../nodes/state-node.js';
import type { StoryOption, StoryRef } from './story.js';

/** Alternatives that are listed. */
const MOST_OPTIONS = 12;

/** The node's story where there is a node, else the claim's. */
export function nodeRef({ node, claim, name }: StateNode): StoryRef {
  return { kind: node === undefined && claim !== undefined ? 'NodeClaim' : 'Node', namespace: '', name };
}

/** `m6g.large, spot in eu-west-3a`. */
export function nodeText({ name, instanceType, capacityType, zone }: StateNode): string {
  const bought = [capacityType, zone === '' ? '' : `in ${zone}`].filter((part) => part !== '').join(' ');
  const parts = [instanceType, bought].filter((part) => part !== '');
  return parts.length === 0 ? name : parts.join(', ');
}

/** Why this instance was launched: for what, and which alternatives were available. */
export function nodeWhy({ claim, name, nodePool, hourlyPrice }: StateNode): readonly string[] {
  if (claim === undefined)
    return [`Berth did not launch ${name}; kube-scheduler chose it among the existing nodes.`];
  const types = listedTypes(claim).length;
  const replaced = claim.annotations.get(REPLACES_ANNOTATION);
  const purpose =
    replaced === undefined ? 'for a plan of pending pods' : `to replace ${replaced.split(',').join(', ')}`;
  const own = claim.name === name ? '' : ` (NodeClaim ${claim.name})`;
  return [
    `NodePool ${nodePool} launched ${name}${own} ${purpose}.`,
    ...(types === 0 ? [] : [`${counted(types, 'instance type')} fit those pods.`]),
    ...(hourlyPrice === undefined ? [] : [`It costs ${usdPerHour(hourlyPrice)}.`]),
  ];
}

/** Offerings that the launch could use with their prices; before a launch the types that the claim lists. */
export function launchOptions(claim: NodeClaim): readonly StoryOption[] {
  const { instanceType, zone } = claim.status;
  const overrides = claim.status.launch?.request.overrides ?? [];
  const options =
    overrides.length === 0
      ? listedTypes(claim).map((name) => ({ name, verdict: '', chosen: name === instanceType }))
      : overrides.map((offer) => ({
          name: `${offer.instanceType} in ${offer.zone}`,
          verdict: usdPerHour(offer.price),
          chosen: offer.instanceType === instanceType && offer.zone === zone,
        }));
  const shown = options.slice(0, MOST_OPTIONS);
  const chosen = options.find((option) => option.chosen);
  return chosen === undefined || shown.includes(chosen) ? shown : [...shown.slice(0, -1), chosen];
}

function listedTypes({ spec }: NodeClaim): readonly string[] {
  return [...(spec.requirements.find(({ key }) => key === INSTANCE_TYPE)?.values ?? [])];
}

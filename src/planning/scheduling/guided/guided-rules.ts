/** What the optimizer can be told of a class's rules: caps per machine, shares of zones, one zone for all. */
import { HOSTNAME, ZONE } from '../../../domain/labels.js';
import type { Ask, SpreadRule } from '../ask.js';
import type { Packing } from '../packing.js';
import type { PodClass } from '../pod-class.js';
import type { TopologyGroup } from '../topology-groups.js';

/** At most so many pods that a group counts may share a machine. */
export interface HostCap {
  readonly group: TopologyGroup;
  readonly most: number;
}

export interface GuidedRules {
  readonly hostCaps: readonly HostCap[];
  /** Rules that share pods out among zones, its own and those of others that count it. */
  readonly zoneSpread: readonly SpreadRule[];
  /** The group whose pods must all be in one zone, this class among them. */
  readonly zoneAffinity: TopologyGroup | undefined;
  /** The group whose pods must all be on one machine, this class among them. */
  readonly bundle: TopologyGroup | undefined;
}

const NO_RULES: GuidedRules = { hostCaps: [], zoneSpread: [], zoneAffinity: undefined, bundle: undefined };

/**
 * The rules of a class under an ask, or undefined when it has one that the optimizer knows nothing of: such pods are
 * placed afterwards, one by one. Caps may be stricter than what is asked; nothing is ever laxer that replay would not find.
 */
export function guidedRules(packing: Packing, pods: PodClass, ask: Ask): GuidedRules | undefined {
  if (packing.isFree(pods, ask)) return NO_RULES;
  const spread = [...ask.spread, ...pods.courtesies];
  if (!areKnown(pods, spread)) return undefined;
  // A rule that does not count the pod itself holds wherever those that it counts are shared out evenly.
  const counting = spread.filter(({ self }) => self === 1);
  const hostCaps = hostCapsOf(pods, ask, counting);
  const together = affinityOf(packing, ask);
  if (hostCaps === undefined || together === undefined) return undefined;
  const zoneSpread = counting.filter(({ group }) => group.topologyKey === ZONE);
  const isMixed =
    (together.bundle !== undefined && hostCaps.length + zoneSpread.length > 0) ||
    (together.zoneAffinity !== undefined && zoneSpread.length > 0);
  return isMixed ? undefined : { hostCaps, zoneSpread, ...together };
}

/** Whether ports, volumes and keys of spread are such that caps and shares of zones say all about them. */
function areKnown({ hostPorts, volumes }: PodClass, spread: readonly SpreadRule[]): boolean {
  if (hostPorts.length > 0 || volumes.some(({ readWriteOncePod }) => readWriteOncePod)) return false;
  if (volumes.length > 0 && spread.length > 0) return false;
  return spread.every(({ group }) => group.isHostname || group.topologyKey === ZONE);
}

/** undefined where pods shun others than their own kind, or shun them in more than a machine. */
function hostCapsOf(pods: PodClass, ask: Ask, spread: readonly SpreadRule[]): readonly HostCap[] | undefined {
  const caps: HostCap[] = [];
  for (const { group } of ask.antiAffinity) {
    if (!group.isHostname || !pods.memberOf.includes(group.index)) return undefined;
    caps.push({ group, most: 1 });
  }
  for (const { group } of pods.repelledBy) {
    if (!group.isHostname) return undefined;
    caps.push({ group, most: 1 });
  }
  for (const { group, maxSkew } of spread) if (group.isHostname) caps.push({ group, most: maxSkew });
  return caps;
}

/** undefined where pods look for others than their own kind, or their kind runs somewhere already. */
function affinityOf(
  { counts }: Packing,
  { affinity, startsAffinity }: Ask,
): Pick<GuidedRules, 'zoneAffinity' | 'bundle'> | undefined {
  if (affinity.length === 0) return { zoneAffinity: undefined, bundle: undefined };
  const [{ group } = { group: undefined }, ...others] = affinity;
  if (group === undefined || others.length > 0 || !startsAffinity || counts.total(group.index) > 0)
    return undefined;
  if (group.topologyKey === HOSTNAME) return { zoneAffinity: undefined, bundle: group };
  return group.topologyKey === ZONE ? { zoneAffinity: group, bundle: undefined } : undefined;
}

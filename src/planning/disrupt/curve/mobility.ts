/** What decides where pods of a running cluster may move: which can be moved at all, and which only within their zone. */
import { ZONE } from '../../../domain/values/labels.js';
import type { Ask } from '../../model/classes/ask.js';
import { guidedRules, type GuidedRules, type HostCap } from '../../pack/guided/guided-rules.js';
import type { BinTypeSet, BinTypeSets } from '../../pack/guided/bin-type-sets.js';
import type { Packing } from '../../rules/packing.js';
import type { PodClass } from '../../model/classes/pod-class.js';

/** Pods of a class that may move. */
export interface Mobility {
  readonly ask: Ask;
  readonly set: BinTypeSet;
  readonly hostCaps: readonly HostCap[];
  /**
   * Whether a rule counts them by zone: then each stays in its zone, and all counts are as they were, however many of them
   * move, and in which order.
   */
  readonly isZoneBound: boolean;
  /** The group whose pods must all be on one node and so move together, or -1. */
  readonly bundle: number;
  /** The group whose pods must all be in one zone, or -1. */
  readonly zoneGroup: number;
}

/** undefined for pods that stay: those with rules that caps per node and zones do not say. */
export function mobilityOf(packing: Packing, sets: BinTypeSets, pods: PodClass): Mobility | undefined {
  const [ask] = pods.asks;
  if (ask === undefined || pods.hostPorts.length + pods.volumes.length > 0) return undefined;
  const set = sets.of(ask.constraint);
  const rules = guidedRules(packing, pods, ask);
  if (set === undefined || rules === undefined || !areSettled(packing, pods, ask, rules)) return undefined;
  const spread = [...ask.spread, ...pods.courtesies];
  return {
    ask,
    set,
    hostCaps: rules.hostCaps,
    isZoneBound: rules.zoneAffinity !== undefined || spread.some(({ group }) => group.topologyKey === ZONE),
    bundle: rules.bundle?.index ?? -1,
    zoneGroup: rules.zoneAffinity?.index ?? -1,
  };
}

/** Whether pods that stay, and hosts that do not count for everyone, change nothing about the rules. */
function areSettled(packing: Packing, pods: PodClass, ask: Ask, { hostCaps }: GuidedRules): boolean {
  const spread = [...ask.spread, ...pods.courtesies];
  const isPlain = spread.every(
    ({ group, self }) => group.filter === undefined && (self === 1 || !group.isHostname),
  );
  const own = new Set(ask.antiAffinity.map(({ group }) => group.index));
  return (
    isPlain &&
    pods.repelledBy.every(({ group }) => own.has(group.index)) &&
    hostCaps.every(({ group }) => packing.counts.total(group.index) === 0)
  );
}

/** The rules of a class in the optimizer's terms: caps per node, shares of zones, one zone for all. */
import { HOSTNAME, ZONE } from '../../../domain/values/labels.js';
import type { HostPort } from '../../../domain/pods/pod.js';
import { DisjointSets } from '../../../domain/values/disjoint-sets.js';
import type { Ask, SpreadRule } from '../../model/classes/ask.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { TopologyGroup } from '../../model/classes/topology-groups.js';
import type { Problem } from '../../model/problem.js';
import type { Packing } from '../../rules/packing.js';

/** At most so many pods that a group counts, or that ask for a port, may share a node. */
export interface HostCap {
  readonly group: Pick<TopologyGroup, 'index'>;
  readonly most: number;
}

export interface GuidedRules {
  readonly hostCaps: readonly HostCap[];
  /** Rules that share pods out among zones, its own and those of others that count it. */
  readonly zoneSpread: readonly SpreadRule[];
  /** The group whose pods must all be in one zone, this class among them. */
  readonly zoneAffinity: TopologyGroup | undefined;
  /** The group whose pods must all be on one node, this class among them. */
  readonly bundle: TopologyGroup | undefined;
}

/** The rules of pods for which only room and the bin type matter. */
export const NO_RULES: GuidedRules = {
  hostCaps: [],
  zoneSpread: [],
  zoneAffinity: undefined,
  bundle: undefined,
};

/**
 * The rules of a class under an ask, or undefined when it has one that the optimizer knows nothing of: such pods are
 * placed afterwards, one by one. Caps may be stricter than what is asked; nothing is ever laxer that replay would not find.
 */
export function guidedRules(packing: Packing, pods: PodClass, ask: Ask): GuidedRules | undefined {
  if (packing.isFree(pods, ask)) return NO_RULES;
  if (!areKnown(pods, ask)) return undefined;
  const hostCaps = capsOfAntiAffinity(packing, pods, ask);
  const together = affinityOf(packing, ask);
  if (hostCaps === undefined || together === undefined) return undefined;
  const zoneSpread: SpreadRule[] = [];
  for (const rules of [ask.spread, pods.courtesies]) {
    for (const rule of rules) {
      // A rule that does not count the pod itself holds wherever those that it counts are shared out evenly.
      if (rule.self !== 1) continue;
      if (rule.group.isHostname) hostCaps.push({ group: rule.group, most: rule.maxSkew });
      else zoneSpread.push(rule);
    }
  }
  const { bundle, zoneAffinity } = together;
  const rules = { hostCaps, zoneSpread, bundle, zoneAffinity };
  return areMixed(rules) ? undefined : rules;
}

/** Whether pods that must share a node are limited in more, or pods that must share a zone in zones. */
function areMixed({ hostCaps, zoneSpread, bundle, zoneAffinity }: GuidedRules): boolean {
  return (
    (bundle !== undefined && hostCaps.length + zoneSpread.length > 0) ||
    (zoneAffinity !== undefined && zoneSpread.length > 0)
  );
}

/** Whether ports, volumes, claims of devices and keys of spread are such that caps and shares of zones say all about them. */
function areKnown({ hostPorts, volumes, devices, courtesies }: PodClass, { spread }: Ask): boolean {
  if (hostPorts.length > 0 || devices.some(({ isNamed }) => isNamed)) return false;
  if (volumes.length > 0) {
    if (spread.length + courtesies.length > 0) return false;
    if (volumes.some(({ readWriteOncePod }) => readWriteOncePod)) return false;
  }
  return spread.every(isOverHostsOrZones) && courtesies.every(isOverHostsOrZones);
}

function isOverHostsOrZones({ group }: SpreadRule): boolean {
  return group.isHostname || group.topologyKey === ZONE;
}

/**
 * undefined where pods have anti-affinity to others than their own kind, or by another key than the hostname. Pods that only
 * other kinds have anti-affinity to may share nodes: those kinds are placed afterwards.
 */
function capsOfAntiAffinity({ problem }: Packing, pods: PodClass, ask: Ask): HostCap[] | undefined {
  const caps: HostCap[] = [];
  for (const { group } of ask.antiAffinity) {
    if (!group.isHostname || !pods.memberOf.includes(group.index)) return undefined;
    caps.push({ group, most: 1 });
  }
  for (const { group } of pods.repelledBy) {
    if (!group.isHostname) return undefined;
    if (shunnedByMembers(problem).has(group.index)) caps.push({ group, most: 1 });
  }
  return caps;
}

const ofProblem = new WeakMap<Problem, ReadonlySet<number>>();

/** Groups of required anti-affinity that count some of the pods that have it. */
function shunnedByMembers(problem: Problem): ReadonlySet<number> {
  const known = ofProblem.get(problem);
  if (known !== undefined) return known;
  const found = new Set<number>();
  for (const { repels, memberOf } of problem.classes)
    for (const group of repels) if (memberOf.includes(group)) found.add(group);
  ofProblem.set(problem, found);
  return found;
}

/** undefined where pods look for others than their own kind, or their kind runs somewhere already. */
function affinityOf(
  { counts }: Packing,
  { affinity, startsAffinity }: Ask,
): Pick<GuidedRules, 'zoneAffinity' | 'bundle'> | undefined {
  if (affinity.length === 0) return NO_RULES;
  const [{ group } = { group: undefined }, ...others] = affinity;
  if (group === undefined || others.length > 0 || !startsAffinity || counts.total(group.index) > 0)
    return undefined;
  if (group.topologyKey === HOSTNAME) return { zoneAffinity: undefined, bundle: group };
  return group.topologyKey === ZONE ? { zoneAffinity: group, bundle: undefined } : undefined;
}

export interface CapGroups {
  /** Index of the given lists → its cap group, or -1. */
  readonly of: Int32Array;
  /** Cap group → most items on one node. */
  readonly cap: Int32Array;
}

/**
 * One list of caps per kind of items. Groups that share a list become one, with the least of their caps: stricter than asked
 * where they overlap in part.
 */
export function capGroups(lists: readonly (readonly HostCap[])[]): CapGroups {
  const sets = new DisjointSets();
  for (const [first, ...others] of lists)
    if (first !== undefined) for (const { group } of others) sets.join(first.group.index, group.index);
  const numbers = new Map<number, number>();
  const cap: number[] = [];
  const of = new Int32Array(lists.length).fill(-1);
  lists.forEach((caps, index) => {
    for (const { group, most } of caps) {
      const root = sets.find(group.index);
      const number = numbers.get(root) ?? numbers.size;
      numbers.set(root, number);
      cap[number] = Math.min(cap[number] ?? Infinity, most);
      of[index] = number;
    }
  });
  return { of, cap: Int32Array.from(cap) };
}

/** Host ports as caps: one pod per node of those that ask for the same port. */
export class PortCaps {
  /** Port and protocol → a number beyond those of the topology groups. */
  readonly #numbers = new Map<string, number>();
  readonly #first: number;

  constructor({ problem }: Packing) {
    this.#first = problem.topology.groups.length;
  }

  /**
   * The rules with a cap for each host port of the class. Pods that ask for one port at different addresses could share a
   * node (NodePorts): that is stricter than asked. Undefined rules stay so, and so do those of pods that must share one.
   */
  add({ hostPorts }: PodClass, rules: GuidedRules | undefined): GuidedRules | undefined {
    if (rules === undefined || hostPorts.length === 0) return rules;
    if (rules.bundle !== undefined) return undefined;
    return { ...rules, hostCaps: [...rules.hostCaps, ...hostPorts.map((port) => this.#capOf(port))] };
  }

  #capOf({ port, protocol }: HostPort): HostCap {
    const key = `${protocol} ${String(port)}`;
    const number = this.#numbers.get(key) ?? this.#first + this.#numbers.size;
    this.#numbers.set(key, number);
    return { group: { index: number }, most: 1 };
  }
}

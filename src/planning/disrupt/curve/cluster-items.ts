/** The pods of a running cluster as items: what moves together, what it is like, and what it may move to. */
import { append } from '../../../domain/values/lists.js';
import { ZONE } from '../../../domain/values/labels.js';
import { type HostCap, guidedRules, type GuidedRules } from '../../pack/guided/guided-rules.js';
import { BinTypeSets, type BinTypeSet } from '../../pack/guided/bin-type-sets.js';
import type { BinTypeTable } from '../../pack/guided/bin-type-table.js';
import { Packing } from '../../rules/packing.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { Problem } from '../../model/problem.js';
import type { PodHomes } from '../../snapshot/snapshot-view.js';
import type { Ask } from '../../model/classes/ask.js';

/** Items that are alike. */
export interface ItemKind {
  /** R amounts of one item, on the axis of the snapshot. */
  readonly requests: Float64Array;
  readonly zoneMask: number;
  readonly hostCaps: readonly HostCap[];
  /** What nodes must be like; undefined for items that stay where they are. */
  readonly mobility: Mobility | undefined;
  /** Groups that count its pods. */
  readonly memberOf: readonly number[];
}

/** A pod, or pods that must share a node. */
export interface ClusterItem {
  readonly kind: ItemKind;
  readonly node: number;
  /** Rows of the snapshot. */
  readonly pods: readonly number[];
}

export interface ClusterItems {
  readonly packing: Packing;
  readonly kinds: readonly ItemKind[];
  /** Node → its zone, or -1. */
  readonly zone: Int32Array;
  /** By node. */
  readonly items: readonly ClusterItem[];
}

/** @param problem compiled with the pods of `homes` pending. */
export function clusterItems(problem: Problem, table: BinTypeTable, homes: PodHomes): ClusterItems {
  const packing = new Packing(problem);
  const sets = new BinTypeSets(problem, table);
  const zone = zonesOfNodes(problem);
  const kinds = new ItemKinds(problem, homes, zone);
  const mobilities = problem.classes.map((pods) => mobilityOf(packing, sets, pods));
  const bundles = new Map<number, readonly PodClass[]>();
  const items: ClusterItem[] = [];
  problem.classes.forEach((pods, index) => {
    const mobility = mobilities[index];
    if (mobility !== undefined && mobility.bundle >= 0)
      bundles.set(mobility.bundle, [...(bundles.get(mobility.bundle) ?? []), pods]);
    else items.push(...kinds.singles(pods, mobility));
  });
  for (const [group, members] of bundles) items.push(...kinds.bundle(group, members, mobilities));
  items.sort((one, other) => one.node - other.node);
  return { packing, kinds: kinds.all, zone, items };
}

class ItemKinds {
  readonly all: ItemKind[] = [];
  readonly #problem: Problem;
  readonly #homes: PodHomes;
  /** Node → its zone, or -1. */
  readonly #zone: Int32Array;
  /** Topology group → the classes that it counts. */
  readonly #counted = new Map<number, PodClass[]>();
  readonly #inOneZone = new Map<number, boolean>();

  constructor(problem: Problem, homes: PodHomes, zone: Int32Array) {
    this.#problem = problem;
    this.#homes = homes;
    this.#zone = zone;
    for (const pods of problem.classes) {
      for (const group of pods.memberOf) append(this.#counted, group, pods);
    }
  }

  /** Each pod for itself. */
  singles(pods: PodClass, mobility: Mobility | undefined): readonly ClusterItem[] {
    const moving = mobility !== undefined && this.#isInOneZone(mobility.zoneGroup) ? mobility : undefined;
    const byZone = new Map<number, ItemKind>();
    return pods.pods.map((row) => {
      const node = this.#homes.node[row] ?? -1;
      const zone = moving?.isZoneBound === true ? (this.#zone[node] ?? -1) : -1;
      const mask = moving?.isZoneBound === true ? (zone < 0 ? 0 : 1 << zone) : (moving?.set.zoneMask ?? 0);
      const kind =
        byZone.get(mask) ?? this.#add([pods], pods.requests, mask === 0 ? undefined : moving, mask);
      byZone.set(mask, kind);
      return { kind, node, pods: [row] };
    });
  }

  /** Pods of a group that all are on one node are one item; others stay, each for itself. */
  bundle(
    group: number,
    members: readonly PodClass[],
    mobilities: readonly (Mobility | undefined)[],
  ): readonly ClusterItem[] {
    const [first] = members;
    const mobility = mobilities[first?.index ?? -1];
    const rows = members.flatMap(({ pods }) => pods);
    const node = this.#homes.node[rows[0] ?? -1] ?? -1;
    const isOne =
      members.length === this.#counted.get(group)?.length &&
      rows.every((row) => this.#homes.node[row] === node) &&
      members.every(({ index }) => mobilities[index]?.set === mobility?.set);
    if (mobility === undefined || !isOne) return members.flatMap((pods) => this.singles(pods, undefined));
    const requests = new Float64Array(this.#problem.snapshot.resources.length);
    for (const pods of members)
      pods.requests.forEach((amount, axis) => {
        requests[axis] = (requests[axis] ?? 0) + amount * pods.pods.length;
      });
    return [{ kind: this.#add(members, requests, mobility, mobility.set.zoneMask), node, pods: rows }];
  }

  #add(
    members: readonly PodClass[],
    requests: Float64Array,
    mobility: Mobility | undefined,
    zoneMask: number,
  ): ItemKind {
    const kind: ItemKind = {
      ...{ requests, zoneMask, mobility },
      hostCaps: mobility?.hostCaps ?? [],
      memberOf: [...new Set(members.flatMap(({ memberOf }) => memberOf))],
    };
    this.all.push(kind);
    return kind;
  }

  /** Whether all pods that a group counts are in one zone: else one of them might end up alone in its own. */
  #isInOneZone(group: number): boolean {
    if (group < 0) return true;
    const known = this.#inOneZone.get(group);
    if (known !== undefined) return known;
    const zones = new Set<number>();
    for (const { pods } of this.#counted.get(group) ?? [])
      for (const row of pods) zones.add(this.#zone[this.#homes.node[row] ?? -1] ?? -1);
    this.#inOneZone.set(group, zones.size === 1);
    return zones.size === 1;
  }
}

function zonesOfNodes({ snapshot, domains }: Problem): Int32Array {
  return Int32Array.from(snapshot.nodes, (_, target) => domains.at(ZONE, { target, column: -1 }));
}

/** Pods of a class that may move. */
interface Mobility {
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
function mobilityOf(packing: Packing, sets: BinTypeSets, pods: PodClass): Mobility | undefined {
  const [ask] = pods.asks;
  if (ask === undefined || pods.hostPorts.length + pods.volumes.length + pods.devices.length > 0)
    return undefined;
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

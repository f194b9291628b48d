/** Chooses the pods that the optimizer packs, as items: all but those with rules that it knows nothing of. */
import { append } from '../../../domain/values/lists.js';
import type { Ask, SpreadRule } from '../../model/classes/ask.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import { companionUnits, type Unit } from '../companions.js';
import { guidedRules, type GuidedRules, type HostCap, NO_RULES, PortCaps } from './guided-rules.js';
import type { BinTypeSet, BinTypeSets, Reach, Reaches } from './bin-type-sets.js';
import type { RequestKinds } from './resource-axis.js';
import type { Packing } from '../../rules/packing.js';

/** So many pods of a class, to be placed under an ask. */
export interface ItemSource {
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly n: number;
  /** Launchable columns that the ask admits. */
  readonly admitted: Uint8Array;
  /** Whether only room and the bin type matter. */
  readonly isFree: boolean;
}

export interface ItemDraft {
  /** One class of pods; or, when `isBundle`, all that must share a node: `n` pods of each source in every item. */
  readonly sources: readonly ItemSource[];
  readonly isBundle: boolean;
  readonly items: number;
  /** What one item asks for, and where it may go. */
  readonly reach: Reach;
  readonly hostCaps: readonly HostCap[];
  readonly zoneSpread: readonly SpreadRule[];
}

interface Candidate {
  readonly source: ItemSource;
  readonly set: BinTypeSet;
  readonly rules: GuidedRules;
}

/** What is asked while drafts are made. */
interface DraftTables {
  readonly sets: BinTypeSets;
  readonly kinds: RequestKinds;
  readonly reaches: Reaches;
}

/** What is left of the classes, as drafts. Pods that must share a node or a zone come together or not at all. */
export function draftItems(packing: Packing, tables: DraftTables): readonly ItemDraft[] {
  const candidates: Candidate[] = [];
  const ports = new PortCaps(packing);
  const units = companionUnits(packing);
  for (const { members, count } of units) for (const { pods, n } of members) packing.reserve(pods, n * count);
  for (const pods of packing.problem.classes) {
    const candidate = candidateOf(packing, { sets: tables.sets, ports }, pods);
    if (candidate !== undefined) candidates.push(candidate);
  }
  for (const { members, count } of units)
    for (const { pods, n } of members) packing.reserve(pods, -n * count);
  const zoneOf = commonZones(candidates);
  const drafts: ItemDraft[] = [];
  for (const { source, set, rules } of candidates) {
    const { bundle, zoneAffinity, hostCaps, zoneSpread } = rules;
    const zoneMask = zoneAffinity === undefined ? set.zoneMask : (zoneOf.get(zoneAffinity.index) ?? 0);
    if (bundle !== undefined || zoneMask === 0) continue;
    const { pods, n } = source;
    const reach = tables.reaches.of(set, zoneMask, tables.kinds.ofClass(pods.index), pods.requests);
    drafts.push({ sources: [source], isBundle: false, items: n, reach, hostCaps, zoneSpread });
  }
  const together = units.flatMap((unit) => draftUnit(packing, tables, unit) ?? []);
  return [...drafts, ...bundles(packing, tables, candidates), ...together];
}

function candidateOf(
  packing: Packing,
  { sets, ports }: { readonly sets: BinTypeSets; readonly ports: PortCaps },
  pods: PodClass,
): Candidate | undefined {
  const n = packing.remaining[pods.index] ?? 0;
  const [ask] = pods.asks;
  if (n === 0 || ask === undefined) return undefined;
  const set = sets.of(ask.constraint);
  const rules =
    set &&
    ports.add(
      pods,
      guidedRules(packing, pods.hostPorts.length === 0 ? pods : { ...pods, hostPorts: [] }, ask),
    );
  if (set === undefined || rules === undefined) return undefined;
  const admitted = packing.problem.admission.columns(ask.constraint);
  return { source: { pods, ask, n, admitted, isFree: rules === NO_RULES }, set, rules };
}

/** Group of pods that share a zone → the mask of the zone that they get: of those open to all of them, each group in turn. */
function commonZones(candidates: readonly Candidate[]): ReadonlyMap<number, number> {
  const open = new Map<number, number>();
  for (const { rules, set } of candidates) {
    const group = rules.zoneAffinity?.index;
    if (group !== undefined) open.set(group, (open.get(group) ?? -1) & set.zoneMask);
  }
  let turn = 0;
  return new Map([...open].map(([group, mask]) => [group, nthZone(mask, turn++)]));
}

/** The mask of the zone that comes n-th, counted round, or 0 for an empty mask. */
function nthZone(mask: number, n: number): number {
  const zones: number[] = [];
  for (let rest = mask; rest !== 0; rest &= rest - 1) zones.push(rest & -rest);
  return zones[n % Math.max(1, zones.length)] ?? 0;
}

/** One item per group of pods that must share a node, if all of them are here and may use the same bin types. */
function bundles(
  { problem }: Packing,
  { kinds, reaches }: DraftTables,
  candidates: readonly Candidate[],
): readonly ItemDraft[] {
  const byGroup = new Map<number, Candidate[]>();
  for (const candidate of candidates) {
    const group = candidate.rules.bundle?.index;
    if (group === undefined) continue;
    append(byGroup, group, candidate);
  }
  const expected = new Map<number, number>();
  for (const group of problem.bundleOf) expected.set(group, (expected.get(group) ?? 0) + 1);
  return [...byGroup].flatMap(([group, members]): readonly ItemDraft[] => {
    const [first] = members;
    const isWhole = members.length === expected.get(group);
    if (first === undefined || !isWhole || members.some(({ set }) => set !== first.set)) return [];
    const requests = new Float64Array(problem.snapshot.resources.length);
    const sources = members.map(({ source }) => source);
    for (const { pods, n } of sources) {
      pods.requests.forEach((amount, index) => (requests[index] = (requests[index] ?? 0) + n * amount));
    }
    const { set } = first;
    const reach = reaches.of(set, set.zoneMask, kinds.of(requests), requests);
    return [{ sources, isBundle: true, items: 1, reach, hostCaps: [], zoneSpread: [] }];
  });
}

/** Whether the optimizer knows all rules of a unit: those of its members beside each other are all that they have. */
export function isKnownUnit(packing: Packing, { members }: Unit): boolean {
  return members.every(({ pods }) => isKnown(packing, pods));
}

function isKnown(packing: Packing, pods: PodClass): boolean {
  const [ask] = pods.asks;
  if (ask?.affinity.length !== pods.hostAffinity.length) return false;
  return packing.isFree(pods, { ...ask, affinity: [] });
}

/** undefined for a unit with rules that the optimizer does not know, and for one that no bin holds. */
function draftUnit(
  packing: Packing,
  { sets, kinds, reaches }: DraftTables,
  unit: Unit,
): ItemDraft | undefined {
  if (!isKnownUnit(packing, unit)) return undefined;
  const requests = new Float64Array(packing.problem.snapshot.resources.length);
  const sources: ItemSource[] = [];
  let common: BinTypeSet | undefined;
  let zoneMask = -1;
  for (const { pods, n } of unit.members) {
    const [ask] = pods.asks;
    const set = ask && sets.of(ask.constraint);
    if (ask === undefined || set === undefined) return undefined;
    common = common === undefined || common === set ? set : sets.part(common, set, 'inside');
    zoneMask &= set.zoneMask;
    pods.requests.forEach((amount, index) => (requests[index] = (requests[index] ?? 0) + n * amount));
    const admitted = packing.problem.admission.columns(ask.constraint);
    sources.push({ pods, ask, n, admitted, isFree: false });
  }
  if (common === undefined || zoneMask === 0) return undefined;
  const reach = reaches.of(common, zoneMask, kinds.of(requests), requests);
  if (reach.tier < 0) return undefined;
  return { sources, isBundle: true, items: unit.count, reach, hostCaps: [], zoneSpread: [] };
}

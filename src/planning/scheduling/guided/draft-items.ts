/** Chooses the pods that the optimizer packs, as items: all but those with rules that it knows nothing of. */
import type { Ask } from '../ask.js';
import type { Packing } from '../packing.js';
import type { PodClass } from '../pod-class.js';
import { guidedRules, type GuidedRules } from './guided-rules.js';
import type { ItemDraft } from './item-draft.js';
import type { MachineSet, MachineSets } from './machine-sets.js';

interface Candidate {
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly n: number;
  readonly set: MachineSet;
  readonly rules: GuidedRules;
}

/** What is left of the classes, as drafts. Pods that must share a machine or a zone come together or not at all. */
export function draftItems(packing: Packing, sets: MachineSets): readonly ItemDraft[] {
  const candidates = packing.problem.classes.flatMap((pods) => candidateOf(packing, sets, pods));
  const zoneOf = commonZones(candidates);
  const single = candidates.filter(({ rules }) => rules.bundle === undefined);
  const drafts = single.flatMap(({ pods, ask, n, set, rules }): readonly ItemDraft[] => {
    const { zoneAffinity, hostCaps, zoneSpread } = rules;
    const zoneMask = zoneAffinity === undefined ? set.zoneMask : (zoneOf.get(zoneAffinity.index) ?? 0);
    if (zoneMask === 0) return [];
    const sources = [{ pods, ask, n }];
    const { requests } = pods;
    return [{ sources, isBundle: false, items: n, requests, set, zoneMask, hostCaps, zoneSpread }];
  });
  return [...drafts, ...bundles(packing, candidates)];
}

function candidateOf(packing: Packing, sets: MachineSets, pods: PodClass): readonly Candidate[] {
  const n = packing.remaining[pods.index] ?? 0;
  const [ask] = pods.asks;
  if (n === 0 || ask === undefined) return [];
  const set = sets.of(ask.constraint);
  if (set === undefined) return [];
  const rules = guidedRules(packing, pods, ask);
  return rules === undefined ? [] : [{ pods, ask, n, set, rules }];
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

/** One item per group of pods that must share a machine, if all of them are here and may use the same machines. */
function bundles({ problem }: Packing, candidates: readonly Candidate[]): readonly ItemDraft[] {
  const byGroup = new Map<number, Candidate[]>();
  for (const candidate of candidates) {
    const group = candidate.rules.bundle?.index;
    if (group === undefined) continue;
    const known = byGroup.get(group);
    if (known === undefined) byGroup.set(group, [candidate]);
    else known.push(candidate);
  }
  const expected = new Map<number, number>();
  for (const group of problem.bundleOf) expected.set(group, (expected.get(group) ?? 0) + 1);
  return [...byGroup].flatMap(([group, members]): readonly ItemDraft[] => {
    const [first] = members;
    const isWhole = members.length === expected.get(group);
    if (first === undefined || !isWhole || members.some(({ set }) => set !== first.set)) return [];
    const requests = new Float64Array(problem.snapshot.resources.length);
    for (const { pods, n } of members) {
      pods.requests.forEach((amount, index) => (requests[index] = (requests[index] ?? 0) + n * amount));
    }
    const sources = members.map(({ pods, ask, n }) => ({ pods, ask, n }));
    const { set } = first;
    return [
      {
        ...{ sources, isBundle: true, items: 1, requests, set },
        ...{ zoneMask: set.zoneMask, hostCaps: [], zoneSpread: [] },
      },
    ];
  });
}

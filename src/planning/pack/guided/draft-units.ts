/** Units of companions as items of the optimizer: one item is all pods of one unit. */
import type { Unit } from '../companions.js';
import type { Packing } from '../../rules/packing.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { DraftTables } from './draft-items.js';
import type { ItemDraft, ItemSource } from './item-draft.js';
import type { MachineSet } from './machine-sets.js';

/** Whether the optimizer knows all rules of a unit: those of its members beside each other are all that they have. */
export function isKnownUnit(packing: Packing, { members }: Unit): boolean {
  return members.every(({ pods }) => isKnown(packing, pods));
}

function isKnown(packing: Packing, pods: PodClass): boolean {
  const [ask] = pods.asks;
  if (ask?.affinity.length !== pods.hostAffinity.length) return false;
  return packing.isFree(pods, { ...ask, affinity: [] });
}

/** undefined for a unit with rules that the optimizer does not know, and for one that no machine holds. */
export function draftUnit(
  packing: Packing,
  { sets, kinds, reaches }: DraftTables,
  unit: Unit,
): ItemDraft | undefined {
  if (!isKnownUnit(packing, unit)) return undefined;
  const requests = new Float64Array(packing.problem.snapshot.resources.length);
  const sources: ItemSource[] = [];
  let common: MachineSet | undefined;
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

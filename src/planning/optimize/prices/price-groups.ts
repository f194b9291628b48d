/**
 * Classes that the linear program need not tell apart: those of one requirement set that go to the same zones and fit the
 * same bin types. A group asks for the sum of what its items do.
 */
import type { BinProblem } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

export interface PriceGroups {
  readonly count: number;
  /** Zones that the program tells apart: 1 where all cost the same. */
  readonly zones: number;
  /** classes × zones: the group whose prices an item has there, or -1. */
  readonly groupOf: Int32Array;
  readonly requirementSet: readonly number[];
  /** Group → bit z is set where it may be served in zone z. */
  readonly zoneMask: readonly number[];
  /** groups × R: the least that one of its items asks for; what has less room than that serves none of them. */
  readonly least: Float64Array;
  /** Group → its smallest classes: where none of them fits, no other of the group does. */
  readonly smallest: readonly (readonly number[])[];
  /** groups × R. */
  readonly demand: Float64Array;
  /** Group → whether it has items of the slot group. */
  readonly hasSlot: readonly boolean[];
}

/** How classes are grouped. */
interface Grouping {
  /** Class → bit z is set where something that may be bought in zone z takes an item of it. */
  readonly reach: Int32Array;
  /** Class → a number; classes that differ in it are in different groups. */
  readonly bucket: Int32Array;
  /** Whether classes of a quota that binds are dealt to their zones by quota, a group in each. */
  readonly byQuota: boolean;
  readonly slotGroup: number;
}

/** The zones that the program tells apart. */
export function zonesOfProgram({ zones, zonesEqual }: BinProblem): number {
  return zonesEqual ? 1 : zones;
}

/**
 * USD/h for a bin type in a zone of the program; Infinity where it is not offered. Where zones are one, a bin type that
 * only some of them offer counts as offered everywhere: the bound stays one, it may be lower.
 */
export function programPrice({ binTypes, zones }: BinProblem, programZones: number, at: number): number {
  if (programZones > 1) return real(binTypes.price, at);
  let least = Infinity;
  for (let zone = 0; zone < zones; zone++) least = Math.min(least, real(binTypes.price, at * zones + zone));
  return least;
}

export function groupClasses(problem: BinProblem, grouping: Grouping): PriceGroups {
  const draft = new GroupDraft(problem, grouping.slotGroup);
  const dealt = grouping.byQuota ? boundQuotas(problem) : undefined;
  for (let item = 0; item < problem.classes.count; item++) {
    const mask = whole(grouping.reach, item);
    if (mask === 0) continue;
    const bucket = whole(grouping.bucket, item);
    const quota = whole(problem.classes.quotaGroup, item);
    if (dealt === undefined || quota < 0 || dealt[quota] !== 1) draft.put(item, { bucket, mask, share: 1 });
    else deal(problem, draft, item, { bucket, mask });
  }
  return draft.finish();
}

/** Puts a class into a group in each of its zones, by quota. */
function deal(problem: BinProblem, draft: GroupDraft, item: number, to: Omit<Membership, 'share'>): void {
  const quota = whole(problem.classes.quotaGroup, item);
  for (let zone = 0; zone < draft.zones; zone++) {
    const share = quotaShare(problem, quota, zone, to.mask);
    if (share > 0) draft.put(item, { bucket: to.bucket, mask: 1 << zone, share });
  }
}

/** Whether dealing by quota would tell anything apart that zones' prices do not already. */
export function hasBoundQuota(problem: BinProblem): boolean {
  return zonesOfProgram(problem) > 1 && boundQuotas(problem).includes(1);
}

/** Quota group → 1 where some zone may not take all its items. */
function boundQuotas({ classes, quota, zones }: BinProblem): Uint8Array {
  const groups = zones === 0 ? 0 : quota.length / zones;
  const items = new Float64Array(groups);
  for (let item = 0; item < classes.count; item++) {
    const group = whole(classes.quotaGroup, item);
    if (group >= 0) items[group] = real(items, group) + whole(classes.items, item);
  }
  const bound = new Uint8Array(groups);
  for (let group = 0; group < groups; group++) {
    for (let zone = 0; zone < zones; zone++) {
      if (whole(quota, group * zones + zone) < real(items, group)) bound[group] = 1;
    }
  }
  return bound;
}

/** The part of a class that goes to a zone when it is dealt by quota. */
function quotaShare({ quota, zones }: BinProblem, group: number, zone: number, reach: number): number {
  if ((reach & (1 << zone)) === 0) return 0;
  let total = 0;
  let open = 0;
  for (let each = 0; each < zones; each++) {
    if ((reach & (1 << each)) === 0) continue;
    open++;
    total += whole(quota, group * zones + each);
  }
  return total === 0 ? 1 / open : whole(quota, group * zones + zone) / total;
}

interface Membership {
  readonly bucket: number;
  readonly mask: number;
  /** The part of the class's items that is meant. */
  readonly share: number;
}

/** Groups while classes are still being added. */
class GroupDraft {
  readonly zones: number;
  readonly #problem: BinProblem;
  readonly #slotGroup: number;
  readonly #groupOf: Int32Array;
  readonly #byKey = new Map<string, number>();
  readonly #requirementSet: number[] = [];
  readonly #zoneMask: number[] = [];
  readonly #hasSlot: boolean[] = [];
  readonly #least: number[] = [];
  readonly #smallest: number[][] = [];
  readonly #demand: number[] = [];

  constructor(problem: BinProblem, slotGroup: number) {
    this.#problem = problem;
    this.#slotGroup = slotGroup;
    this.zones = zonesOfProgram(problem);
    this.#groupOf = new Int32Array(problem.classes.count * this.zones).fill(-1);
  }

  put(item: number, { bucket, mask, share }: Membership): void {
    const { classes, resources } = this.#problem;
    const group = this.#groupFor(whole(classes.requirementSet, item), bucket, mask);
    const amount = share * whole(classes.items, item);
    this.#addSmallest(group, item);
    for (let resource = 0; resource < resources; resource++) {
      const request = real(classes.requests, item * resources + resource);
      const at = group * resources + resource;
      this.#least[at] = Math.min(this.#least[at] ?? Infinity, request);
      this.#demand[at] = (this.#demand[at] ?? 0) + amount * request;
    }
    if (this.#slotGroup >= 0 && classes.capGroup[item] === this.#slotGroup) this.#hasSlot[group] = true;
    for (let zone = 0; zone < this.zones; zone++)
      if ((mask & (1 << zone)) !== 0) this.#groupOf[item * this.zones + zone] = group;
  }

  #addSmallest(group: number, item: number): void {
    const smallest = this.#smallest[group] ?? [];
    for (const other of smallest) if (asksNoMore(this.#problem, other, item)) return;
    this.#smallest[group] = smallest.filter((other) => !asksNoMore(this.#problem, item, other));
    this.#smallest[group].push(item);
  }

  #groupFor(requirementSet: number, bucket: number, mask: number): number {
    const key = `${String(requirementSet)}/${String(mask)}/${String(bucket)}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const group = this.#requirementSet.length;
    this.#byKey.set(key, group);
    this.#requirementSet.push(requirementSet);
    this.#zoneMask.push(mask);
    this.#hasSlot.push(false);
    this.#smallest.push([]);
    return group;
  }

  finish(): PriceGroups {
    return {
      count: this.#requirementSet.length,
      zones: this.zones,
      groupOf: this.#groupOf,
      requirementSet: this.#requirementSet,
      zoneMask: this.#zoneMask,
      least: Float64Array.from(this.#least),
      smallest: this.#smallest,
      demand: Float64Array.from(this.#demand),
      hasSlot: this.#hasSlot,
    };
  }
}

function asksNoMore({ classes, resources }: BinProblem, one: number, other: number): boolean {
  for (let resource = 0; resource < resources; resource++) {
    const most = real(classes.requests, other * resources + resource);
    if (real(classes.requests, one * resources + resource) > most) return false;
  }
  return true;
}

/** Whether a bin type that may be bought somewhere admits an item of the class and has room for it. */
export function takes(problem: BinProblem, binType: number, item: number): boolean {
  const { admits, requirementSets, binTypes, classes } = problem;
  const signature = whole(binTypes.signature, binType);
  const admitted = admits[signature * requirementSets + whole(classes.requirementSet, item)] === 1;
  return admitted && hasRoom(problem, binType, item);
}

export function hasRoom(
  { binTypes, classes, resources }: BinProblem,
  binType: number,
  item: number,
): boolean {
  for (let resource = 0; resource < resources; resource++) {
    const request = real(classes.requests, item * resources + resource);
    if (request > real(binTypes.capacity, binType * resources + resource)) return false;
  }
  return true;
}

/** Class → its zones in which one of the bin types takes it, a bit each; 0 for classes without items or with a cap of 0. */
export function classReach(problem: BinProblem, kept: Int32Array): Int32Array {
  const { classes } = problem;
  const offered = Int32Array.from(kept, (binType) => offeredZones(problem, binType));
  const reach = new Int32Array(classes.count);
  /** Requirement set → the bin type that served it last: most often it serves the next class too. */
  const last = new Int32Array(problem.requirementSets);
  for (let item = 0; item < classes.count; item++) {
    if (!mayBePlaced(problem, item)) continue;
    const wanted = whole(classes.zoneMask, item);
    const set = whole(classes.requirementSet, item);
    const first = whole(last, set);
    let found = 0;
    for (let step = 0; step < kept.length && found !== wanted; step++) {
      const index = (first + step) % kept.length;
      const gain = whole(offered, index) & wanted & ~found;
      if (gain === 0 || !takes(problem, whole(kept, index), item)) continue;
      if (found === 0) last[set] = index;
      found |= gain;
    }
    reach[item] = found;
  }
  return reach;
}

function mayBePlaced({ classes, cap }: BinProblem, item: number): boolean {
  const group = whole(classes.capGroup, item);
  return whole(classes.items, item) > 0 && (group < 0 || whole(cap, group) > 0);
}

function offeredZones({ binTypes, zones }: BinProblem, binType: number): number {
  let mask = 0;
  for (let zone = 0; zone < zones; zone++)
    if (real(binTypes.price, binType * zones + zone) < Infinity) mask |= 1 << zone;
  return mask;
}

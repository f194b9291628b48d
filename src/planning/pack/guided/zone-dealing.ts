/**
 * Deals items to zones, each to the one that holds least of the groups that count it, and evens out afterwards what such
 * one-by-one dealing leaves uneven.
 */
import { isSameList } from '../../../domain/values/same.js';
import type { ItemDraft } from './draft-items.js';
import type { EligibleZones } from './eligible-zones.js';
import type { Packing } from '../../rules/packing.js';

/** A draft with the zones that it may be shared out to. */
export interface OpenDraft {
  readonly draft: number;
  readonly mask: number;
  /** How many zones these are. */
  readonly choice: number;
}

export interface Dealt {
  readonly draft: number;
  readonly mask: number;
  /** Zone → items of the draft. */
  readonly items: Int32Array;
}

export class ZoneDealing {
  readonly #packing: Packing;
  readonly #eligible: EligibleZones;
  readonly #zones: number;
  /** Group → what is known of it, apart by the zones that rules look at. */
  readonly #counted: Counted[][] = [];
  #turn = 0;

  constructor(packing: Packing, eligible: EligibleZones, zones: number) {
    this.#packing = packing;
    this.#eligible = eligible;
    this.#zones = zones;
  }

  /** Deals the drafts, in this order. */
  deal(open: readonly OpenDraft[], drafts: readonly ItemDraft[]): readonly Dealt[] {
    const kinds: Alike[] = [];
    const dealt: Dealt[] = [];
    for (const { draft, mask } of open) {
      const { items: n = 0, zoneSpread = [] } = drafts[draft] ?? {};
      const alike = this.#alikeOf(kinds, mask, zoneSpread);
      const items = this.#dealItems(n, alike);
      alike.members.push(items);
      dealt.push({ draft, mask, items });
    }
    evenOut(kinds, this.#zones);
    return dealt;
  }

  #alikeOf(kinds: Alike[], mask: number, zoneSpread: ItemDraft['zoneSpread']): Alike {
    const counts = zoneSpread.map((rule) => this.#countedBy(rule.group.index, this.#eligible.of(rule)));
    const known = kinds.find((kind) => kind.mask === mask && isSameList(kind.counts, counts));
    if (known !== undefined) return known;
    const made: Alike = { mask, counts, total: new Int32Array(this.#zones), members: [] };
    kinds.push(made);
    return made;
  }

  #countedBy(group: number, eligible: number): Counted {
    const ofGroup = (this.#counted[group] ??= []);
    const known = ofGroup.find((each) => each.eligible === eligible);
    if (known !== undefined) return known;
    const made: Counted = { count: ofGroup[0]?.count ?? this.#membersOf(group), eligible };
    ofGroup.push(made);
    return made;
  }

  /** Zone → members that run there. */
  #membersOf(group: number): Int32Array {
    const { counts } = this.#packing;
    return Int32Array.from({ length: this.#zones }, (_, zone) => counts.members(group, zone));
  }

  /** Zone → items. */
  #dealItems(items: number, { mask, counts, total }: Alike): Int32Array {
    const dealt = new Int32Array(this.#zones);
    for (let item = 0; item < items; item++) {
      const zone = this.#fairest(counts, mask);
      dealt[zone] = (dealt[zone] ?? 0) + 1;
      total[zone] = (total[zone] ?? 0) + 1;
      for (const { count } of counts) count[zone] = (count[zone] ?? 0) + 1;
    }
    return dealt;
  }

  /** The zone in which one more pod tilts its groups least: squares, so that one far off weighs more than several near. */
  #fairest(counts: readonly Counted[], mask: number): number {
    let best = -1;
    let least = Infinity;
    this.#turn++;
    for (let step = 0; step < this.#zones; step++) {
      const zone = (this.#turn + step) % this.#zones;
      if ((mask & (1 << zone)) === 0) continue;
      let tilt = 0;
      for (const { count, eligible } of counts) {
        if ((eligible & (1 << zone)) !== 0) tilt += ((count[zone] ?? 0) + 1 - leastOf(count, eligible)) ** 2;
      }
      if (tilt < least) [best, least] = [zone, tilt];
    }
    return best;
  }
}

function leastOf(count: Int32Array, eligible: number): number {
  let least = Infinity;
  for (let zone = 0; zone < count.length; zone++)
    if ((eligible & (1 << zone)) !== 0) least = Math.min(least, count[zone] ?? 0);
  return least;
}

/** Members of a group per zone, and the zones that a rule looks at. */
export interface Counted {
  readonly count: Int32Array;
  readonly eligible: number;
}

/** Items that the same groups count and that may go to the same zones: any of them may stand in for another. */
export interface Alike {
  readonly mask: number;
  readonly counts: readonly Counted[];
  /** Zone → items of all members. */
  readonly total: Int32Array;
  /** Zone → items, of each member. */
  readonly members: Int32Array[];
}

/** From a zone to another. */
interface Way {
  readonly from: number;
  readonly to: number;
}

/** Members of a group may differ by so many between zones. */
const EVEN = 1;

/** Changes totals, members and counts; every change makes the sum of squares of all counts smaller, so it ends. */
export function evenOut(kinds: readonly Alike[], zones: number): void {
  const groups = new Set<Counted>(kinds.flatMap(({ counts }) => counts));
  for (let isMoved = groups.size > 1; isMoved;) {
    isMoved = false;
    for (const group of groups) isMoved = evenOutGroup(kinds, group, zones) || isMoved;
  }
}

/** Moves items of a group while that helps; whether any was moved. */
function evenOutGroup(kinds: readonly Alike[], group: Counted, zones: number): boolean {
  let isMoved = false;
  for (let way = steepest(group, zones); way !== undefined; way = steepest(group, zones)) {
    if (!shift(kinds, group, way)) break;
    isMoved = true;
  }
  return isMoved;
}

/** From the zone that holds most of a group to the one that holds least; undefined when it is even. */
function steepest({ count, eligible }: Counted, zones: number): Way | undefined {
  let [from, most] = [-1, -1];
  let [to, least] = [-1, Infinity];
  for (let zone = 0; zone < zones; zone++) {
    if ((eligible & (1 << zone)) === 0) continue;
    const n = count[zone] ?? 0;
    if (n > most) [from, most] = [zone, n];
    if (n < least) [to, least] = [zone, n];
  }
  return most - least > EVEN ? { from, to } : undefined;
}

/** Makes a group more even by one move, or by one there and another back; whether there was any. */
function shift(kinds: readonly Alike[], group: Counted, way: Way): boolean {
  const movable = kinds.filter((kind) => kind.counts.includes(group) && mayMove(kind, way));
  for (const kind of movable) {
    if (gain(kind, way) <= 0) continue;
    move(kind, way);
    return true;
  }
  const back: Way = { from: way.to, to: way.from };
  const others = kinds.filter((kind) => !kind.counts.includes(group) && mayMove(kind, back));
  for (const kind of movable) {
    const own = gain(kind, way);
    move(kind, way);
    for (const other of others) {
      if (own + gain(other, back) <= 0) continue;
      move(other, back);
      return true;
    }
    move(kind, back);
  }
  return false;
}

function mayMove({ mask, total }: Alike, { from, to }: Way): boolean {
  return (total[from] ?? 0) > 0 && (mask & (1 << from)) !== 0 && (mask & (1 << to)) !== 0;
}

/** By how much half the sum of squares shrinks when one item moves. */
function gain({ counts }: Alike, { from, to }: Way): number {
  let sum = 0;
  for (const { count } of counts) sum += (count[from] ?? 0) - (count[to] ?? 0) - 1;
  return sum;
}

function move({ counts, total, members }: Alike, { from, to }: Way): void {
  for (const items of [total, members.find((each) => (each[from] ?? 0) > 0)]) {
    if (items === undefined) continue;
    items[from] = (items[from] ?? 0) - 1;
    items[to] = (items[to] ?? 0) + 1;
  }
  for (const { count } of counts) {
    count[from] = (count[from] ?? 0) - 1;
    count[to] = (count[to] ?? 0) + 1;
  }
}

/**
 * Deals items to zones, each to the one that holds least of the groups that count it, and evens out afterwards what such
 * one-by-one dealing leaves uneven.
 */
import type { Packing } from '../../rules/packing.js';
import type { EligibleZones } from './eligible-zones.js';
import { evenOut, type Alike, type Counted } from './even-out.js';
import type { ItemDraft } from './item-draft.js';

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
    const known = kinds.find((kind) => kind.mask === mask && areSame(kind.counts, counts));
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

function areSame(left: readonly Counted[], right: readonly Counted[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}

function leastOf(count: Int32Array, eligible: number): number {
  let least = Infinity;
  for (let zone = 0; zone < count.length; zone++)
    if ((eligible & (1 << zone)) !== 0) least = Math.min(least, count[zone] ?? 0);
  return least;
}

/**
 * Shares pods of spread rules out among zones before anything is packed. Each pod goes to the zone that holds least of the
 * groups that count it. A class that is alone with its rule keeps its shape and gets a quota per zone; the others are
 * dealt, pod by pod, and need no rule any more.
 */
import { append } from '../../../domain/values/lists.js';
import { DisjointSets } from '../../../domain/values/disjoint-sets.js';
import { isSameList } from '../../../domain/values/same.js';
import type { Packing } from '../../rules/packing.js';
import { zonesIn, type EligibleZones } from './eligible-zones.js';
import type { ItemDraft } from './draft-items.js';
import type { BinTypeTable } from './bin-type-table.js';
import { ZoneDealing, type Dealt, type OpenDraft } from './zone-dealing.js';

/** Part of a draft: `items` of it, in these zones, under a quota or none. */
export interface Share {
  /** Index of the draft. */
  readonly draft: number;
  readonly items: number;
  readonly zoneMask: number;
  readonly quotaGroup: number;
}

export interface ZoneShares {
  readonly shares: readonly Share[];
  /** quota groups × Z. */
  readonly quota: Int32Array;
}

/** What is known of zones: who is there already, what is sold there, which rules look there. */
interface ZonePlaces {
  readonly packing: Packing;
  readonly table: BinTypeTable;
  readonly eligible: EligibleZones;
}

/** Drafts as shares. Pods of a rule that no zone can satisfy are left out. */
export function shareOutZones(places: ZonePlaces, drafts: readonly ItemDraft[]): ZoneShares {
  const sharing = new Sharing(places, drafts);
  const components = new Map<number, number[]>();
  const sets = joinedGroups(drafts);
  for (const [draft, { zoneSpread, items, reach }] of drafts.entries()) {
    const first = zoneSpread[0]?.group.index ?? -1;
    if (first < 0) {
      sharing.shares.push({ draft, items, zoneMask: reach.zoneMask, quotaGroup: -1 });
      continue;
    }
    const root = sets.find(first);
    append(components, root, draft);
  }
  for (const members of components.values()) sharing.component(members);
  return { shares: sharing.shares, quota: Int32Array.from(sharing.quota) };
}

/** Groups are one set where a draft counts in several. */
function joinedGroups(drafts: readonly ItemDraft[]): DisjointSets {
  const sets = new DisjointSets();
  for (const { zoneSpread } of drafts) {
    const first = zoneSpread[0]?.group.index ?? -1;
    for (let rule = 1; rule < zoneSpread.length; rule++)
      sets.join(first, zoneSpread[rule]?.group.index ?? first);
  }
  return sets;
}

class Sharing {
  readonly shares: Share[] = [];
  readonly quota: number[] = [];
  readonly #drafts: readonly ItemDraft[];
  readonly #zones: number;
  readonly #eligible: EligibleZones;
  readonly #dealing: ZoneDealing;

  constructor({ packing, table, eligible }: ZonePlaces, drafts: readonly ItemDraft[]) {
    this.#drafts = drafts;
    this.#zones = table.zones;
    this.#eligible = eligible;
    this.#dealing = new ZoneDealing(packing, eligible, table.zones);
  }

  /** Drafts whose rules hang together. */
  component(members: readonly number[]): void {
    const open: OpenDraft[] = [];
    let widest = 0;
    for (const draft of members) {
      const mask = this.#openZones(draft);
      if (mask === 0) continue;
      widest |= mask;
      open.push({ draft, mask, choice: zonesIn(mask) });
    }
    open.sort((left, right) => this.#compare(left, right));
    const hasQuota = this.#keepsShape(members);
    const dealt = this.#dealing.deal(open, this.#drafts);
    const shaped = hasQuota ? dealt.filter(({ mask }) => mask === widest) : [];
    for (const each of dealt) if (!hasQuota || each.mask !== widest) this.#pin(each);
    this.#shareQuota(shaped);
  }

  /** One rule for all, and a class that is alone with it or capped per node: pods need not be divided by zone. */
  #keepsShape(members: readonly number[]): boolean {
    const first = this.#drafts[members[0] ?? -1]?.zoneSpread ?? [];
    const isOneRule = members.every((draft) => haveSameGroups(first, this.#drafts[draft]?.zoneSpread ?? []));
    return isOneRule && (members.length === 1 || members.some((draft) => this.#hasCaps(draft)));
  }

  #shareQuota(shaped: readonly Dealt[]): void {
    if (shaped.length === 0) return;
    const total = new Int32Array(this.#zones);
    for (const { items } of shaped)
      items.forEach((n, zone) => {
        total[zone] = (total[zone] ?? 0) + n;
      });
    const quotaGroup = this.quota.length / this.#zones;
    this.quota.push(...total);
    for (const { draft, mask: zoneMask } of shaped)
      this.shares.push({ draft, items: this.#drafts[draft]?.items ?? 0, zoneMask, quotaGroup });
  }

  /** Zones that the draft may use and that its own rules count; none where a rule wants more domains than there are. */
  #openZones(draft: number): number {
    const { reach, zoneSpread = [], sources = [] } = this.#drafts[draft] ?? {};
    let mask = reach?.zoneMask ?? 0;
    for (const rule of zoneSpread)
      if (sources.some(({ ask }) => ask.spread.includes(rule))) mask &= this.#eligible.of(rule);
    return mask;
  }

  #hasCaps(draft: number): boolean {
    return (this.#drafts[draft]?.hostCaps.length ?? 0) > 0;
  }

  /** Those with least choice first, then those that may share nodes beside each other, large before small. */
  #compare(left: OpenDraft, right: OpenDraft): number {
    const [a, b] = [this.#drafts[left.draft]?.reach, this.#drafts[right.draft]?.reach];
    if (a === undefined || b === undefined) return 0;
    const byChoice = left.choice - right.choice || a.set.index - b.set.index;
    if (byChoice !== 0) return byChoice;
    if (a.kind === b.kind) return left.draft - right.draft;
    for (let index = a.requests.length - 1; index >= 0; index--) {
      const bySize = (b.requests[index] ?? 0) - (a.requests[index] ?? 0);
      if (bySize !== 0) return bySize;
    }
    return left.draft - right.draft;
  }

  #pin({ draft, items }: Dealt): void {
    for (let zone = 0; zone < items.length; zone++) {
      const n = items[zone] ?? 0;
      if (n > 0) this.shares.push({ draft, items: n, zoneMask: 1 << zone, quotaGroup: -1 });
    }
  }
}

function haveSameGroups(left: ItemDraft['zoneSpread'], right: ItemDraft['zoneSpread']): boolean {
  return isSameList(left, right, (one, other) => one.group.index === other.group.index);
}

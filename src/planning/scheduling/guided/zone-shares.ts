/**
 * Shares pods of spread rules out among zones before anything is packed. Each pod goes to the zone that holds least of the
 * groups that count it. A class that is alone with its rule keeps its shape and gets a quota per zone; the others are
 * dealt, pod by pod, and need no rule any more.
 */
import { DisjointSets } from '../../disjoint-sets.js';
import type { SpreadRule } from '../ask.js';
import type { Packing } from '../packing.js';
import { zonesIn, type ItemDraft } from './item-draft.js';

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

/** Drafts as shares. Pods of a rule that no zone can satisfy are left out. */
export function shareOutZones(packing: Packing, drafts: readonly ItemDraft[], zones: number): ZoneShares {
  const sharing = new Sharing(packing, drafts, zones);
  const components = new Map<number, number[]>();
  const sets = new DisjointSets();
  for (const { zoneSpread } of drafts) {
    const [first, ...others] = zoneSpread;
    if (first !== undefined) for (const { group } of others) sets.join(first.group.index, group.index);
  }
  drafts.forEach(({ zoneSpread: [first], items, zoneMask }, draft) => {
    if (first === undefined) {
      sharing.shares.push({ draft, items, zoneMask, quotaGroup: -1 });
      return;
    }
    const root = sets.find(first.group.index);
    const component = components.get(root);
    if (component === undefined) components.set(root, [draft]);
    else component.push(draft);
  });
  for (const members of components.values()) sharing.component(members);
  return { shares: sharing.shares, quota: Int32Array.from(sharing.quota) };
}

class Sharing {
  readonly shares: Share[] = [];
  readonly quota: number[] = [];
  readonly #packing: Packing;
  readonly #drafts: readonly ItemDraft[];
  readonly #zones: number;
  /** Group → members per zone, those that run and those dealt. */
  readonly #counts = new Map<number, Int32Array>();
  #turn = 0;

  constructor(packing: Packing, drafts: readonly ItemDraft[], zones: number) {
    this.#packing = packing;
    this.#drafts = drafts;
    this.#zones = zones;
  }

  /** Drafts whose rules hang together. */
  component(members: readonly number[]): void {
    const open = members
      .map((draft): OpenDraft => ({ draft, mask: this.#openZones(draft) }))
      .filter(({ mask }) => mask !== 0)
      .sort((left, right) => this.#compare(left, right));
    const widest = open.reduce((mask, each) => mask | each.mask, 0);
    const hasQuota = this.#keepsShape(members);
    const total = new Int32Array(this.#zones);
    for (const { draft, mask } of open) {
      const dealt = this.#deal(draft, mask);
      if (hasQuota && mask === widest)
        dealt.forEach((items, zone) => (total[zone] = (total[zone] ?? 0) + items));
      else this.#pin(draft, dealt);
    }
    if (hasQuota)
      this.#shareQuota(
        open.filter(({ mask }) => mask === widest),
        total,
      );
  }

  /** One rule for all, and a class that is alone with it or capped per machine: pods need not be told apart by zone. */
  #keepsShape(members: readonly number[]): boolean {
    const [first = -1] = members;
    const isOneRule = members.every((draft) => this.#isLike(draft, first));
    return isOneRule && (members.length === 1 || members.some((draft) => this.#hasCaps(draft)));
  }

  #shareQuota(drafts: readonly OpenDraft[], total: Int32Array): void {
    if (drafts.length === 0) return;
    const quotaGroup = this.quota.length / this.#zones;
    this.quota.push(...total);
    for (const { draft, mask: zoneMask } of drafts)
      this.shares.push({ draft, items: this.#drafts[draft]?.items ?? 0, zoneMask, quotaGroup });
  }

  /** Zones that the draft may use and that its own rules count; none where a rule wants more domains than there are. */
  #openZones(draft: number): number {
    const { zoneMask = 0, zoneSpread = [], sources = [] } = this.#drafts[draft] ?? {};
    const own = zoneSpread.filter((rule) => sources.some(({ ask }) => ask.spread.includes(rule)));
    return own.reduce((mask, rule) => mask & this.#eligible(rule), zoneMask);
  }

  #eligible(rule: SpreadRule): number {
    const eligible = this.#packing.counts.eligibleDomains(rule);
    if (eligible.length < rule.minDomains) return 0;
    return eligible.reduce((mask, domain) => mask | (1 << domain), 0);
  }

  #isLike(draft: number, other: number): boolean {
    const groups = (index: number): string =>
      (this.#drafts[index]?.zoneSpread ?? []).map(({ group }) => group.index).join();
    return groups(draft) === groups(other);
  }

  #hasCaps(draft: number): boolean {
    return (this.#drafts[draft]?.hostCaps.length ?? 0) > 0;
  }

  /** Those with least choice first, then those that may share machines beside each other, large before small. */
  #compare(left: OpenDraft, right: OpenDraft): number {
    const [a, b] = [this.#drafts[left.draft], this.#drafts[right.draft]];
    if (a === undefined || b === undefined) return 0;
    const byChoice = zonesIn(left.mask) - zonesIn(right.mask) || a.set.index - b.set.index;
    if (byChoice !== 0) return byChoice;
    for (let index = a.requests.length - 1; index >= 0; index--) {
      const bySize = (b.requests[index] ?? 0) - (a.requests[index] ?? 0);
      if (bySize !== 0) return bySize;
    }
    return left.draft - right.draft;
  }

  /** Zone → items of the draft. */
  #deal(draft: number, mask: number): Int32Array {
    const { items = 0, zoneSpread = [] } = this.#drafts[draft] ?? {};
    const counts = zoneSpread.map((rule) => ({
      count: this.#countsOf(rule.group.index),
      eligible: this.#eligible(rule),
    }));
    const dealt = new Int32Array(this.#zones);
    for (let item = 0; item < items; item++) {
      const zone = this.#fairest(counts, mask);
      dealt[zone] = (dealt[zone] ?? 0) + 1;
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

  #countsOf(group: number): Int32Array {
    const known = this.#counts.get(group);
    if (known !== undefined) return known;
    const { counts } = this.#packing;
    const made = Int32Array.from({ length: this.#zones }, (_, zone) => counts.members(group, zone));
    this.#counts.set(group, made);
    return made;
  }

  #pin(draft: number, dealt: Int32Array): void {
    dealt.forEach((items, zone) => {
      if (items > 0) this.shares.push({ draft, items, zoneMask: 1 << zone, quotaGroup: -1 });
    });
  }
}

/** A draft with the zones that it may be shared out to. */
interface OpenDraft {
  readonly draft: number;
  readonly mask: number;
}

/** Members of a group per zone, and the zones that its rule looks at. */
interface Counted {
  readonly count: Int32Array;
  readonly eligible: number;
}

function leastOf(count: Int32Array, eligible: number): number {
  let least = Infinity;
  for (let zone = 0; zone < count.length; zone++)
    if ((eligible & (1 << zone)) !== 0) least = Math.min(least, count[zone] ?? 0);
  return least;
}

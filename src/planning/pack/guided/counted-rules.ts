/**
 * Decides, before zones are dealt, which spread rules will count a pod. A rule that honours node affinity counts pods on the
 * bin types that its owner may use; a pod that may also use others is held to one side of that line, the cheaper one.
 */
import type { SpreadRule } from '../../model/classes/ask.js';
import type { TopologyGroup } from '../../model/classes/topology-groups.js';
import type { ItemDraft } from './draft-items.js';
import type { BinTypeSet, BinTypeSets, BinTypeTiers, Reach, Reaches } from './bin-type-sets.js';

/** What a rule makes of items: whether it counts them, and where they may still go. */
interface Turn {
  readonly isCounted: boolean;
  readonly next: Reach;
}

/** Bin types on both sides of a line. */
interface Sides {
  readonly inside: Int32Array;
  readonly outside: Int32Array;
}

export class CountedRules {
  readonly #sets: BinTypeSets;
  readonly #tiers: BinTypeTiers;
  readonly #reaches: Reaches;
  /** Number of a group → the bin types on which it counts pods; null when these do not split. */
  readonly #filters: (BinTypeSet | null)[] = [];
  /** Number of a reach → number of a filter's set → turn. */
  readonly #turns: Turn[][] = [];
  /** Number of a set → number of a filter's set → tier → sides. */
  readonly #sides: Sides[][][] = [];

  constructor(sets: BinTypeSets, tiers: BinTypeTiers, reaches: Reaches) {
    this.#sets = sets;
    this.#tiers = tiers;
    this.#reaches = reaches;
  }

  /** The draft with the rules that count it, on bin types where they do; undefined when a rule cannot be split so. */
  narrow(draft: ItemDraft): ItemDraft | undefined {
    if (draft.zoneSpread.length === 0) return draft;
    const counting: SpreadRule[] = [];
    let { reach } = draft;
    for (const rule of draft.zoneSpread) {
      const inside = rule.group.filter === undefined ? EVERYWHERE : this.#filterOf(rule.group);
      if (inside === null) return undefined;
      const turn = inside === EVERYWHERE ? undefined : this.#turn(reach, inside);
      if (turn?.isCounted !== false) counting.push(rule);
      reach = turn?.next ?? reach;
    }
    const isSame = reach === draft.reach && counting.length === draft.zoneSpread.length;
    return isSame ? draft : { ...draft, reach, zoneSpread: counting };
  }

  #filterOf({ index, filter }: TopologyGroup): BinTypeSet | null {
    const known = this.#filters[index];
    if (known !== undefined) return known;
    const made = (filter && this.#sets.of(filter)) ?? null;
    this.#filters[index] = made;
    return made;
  }

  #turn(reach: Reach, filter: BinTypeSet): Turn {
    const turns = (this.#turns[reach.index] ??= []);
    return (turns[filter.index] ??= this.#decide(reach, filter));
  }

  #decide(reach: Reach, filter: BinTypeSet): Turn {
    if (reach.tier < 0) return { isCounted: false, next: reach };
    const { inside, outside } = this.#sidesOf(reach, filter);
    // Some bin type of the tier holds an item: where one side has none, it is on the other.
    if (outside.length === 0 || inside.length === 0) return { isCounted: inside.length > 0, next: reach };
    const [within, beyond] = [
      this.#tiers.leastPriceOf(reach, inside),
      this.#tiers.leastPriceOf(reach, outside),
    ];
    const isCounted = within <= beyond;
    if (Math.max(within, beyond) === Infinity) return { isCounted, next: reach };
    const part = this.#sets.part(reach.set, filter, isCounted ? 'inside' : 'outside');
    return { isCounted, next: this.#reaches.of(part, reach.zoneMask, reach.kind, reach.requests) };
  }

  #sidesOf({ set, tier }: Reach, filter: BinTypeSet): Sides {
    const ofSet = (this.#sides[set.index] ??= []);
    const ofFilter = (ofSet[filter.index] ??= []);
    return (ofFilter[tier] ??= sidesOf(this.#tiers.binTypesOf(set, tier), filter));
  }
}

/** Stands for the bin types of a rule that looks at all of them. */
const EVERYWHERE: BinTypeSet = { index: -1, binTypes: new Uint8Array(), zoneMask: 0 };

function sidesOf(binTypes: Int32Array, { binTypes: admitted }: BinTypeSet): Sides {
  const inside = new Int32Array(binTypes.length);
  const outside = new Int32Array(binTypes.length);
  let [within, beyond] = [0, 0];
  for (const binType of binTypes) {
    if (admitted[binType] === 1) inside[within++] = binType;
    else outside[beyond++] = binType;
  }
  return { inside: inside.subarray(0, within), outside: outside.subarray(0, beyond) };
}

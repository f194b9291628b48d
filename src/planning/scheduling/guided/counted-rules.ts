/**
 * Decides, before zones are dealt, which spread rules will count a pod. A rule that honours node affinity counts pods on the
 * machines that its owner may use; a pod that may also use others is held to one side of that line, the cheaper one.
 */
import type { SpreadRule } from '../ask.js';
import type { ItemDraft } from './item-draft.js';
import type { MachineSet, MachineSets } from './machine-sets.js';
import type { MachineTable } from './machine-table.js';
import type { RequirementSets } from './requirement-sets.js';

interface Sides {
  /** USD/h per item of the draft, on the machine that it fills most cheaply on each side; Infinity where there is none. */
  readonly inside: number;
  readonly outside: number;
}

export class CountedRules {
  readonly #sets: MachineSets;
  readonly #table: MachineTable;
  readonly #requirements: RequirementSets;
  readonly #sides = new Map<string, Sides>();

  constructor(sets: MachineSets, table: MachineTable, requirements: RequirementSets) {
    this.#sets = sets;
    this.#table = table;
    this.#requirements = requirements;
  }

  /** The draft with the rules that count it, on machines where they do; undefined when a rule cannot be told apart so. */
  narrow(draft: ItemDraft): ItemDraft | undefined {
    const counting: SpreadRule[] = [];
    let narrowed = draft;
    for (const rule of draft.zoneSpread) {
      const filter = rule.group.filter;
      if (filter === undefined) {
        counting.push(rule);
        continue;
      }
      const inside = this.#sets.of(filter);
      if (inside === undefined) return undefined;
      const sides = this.#sidesOf(narrowed, inside);
      const isCounted = sides.inside <= sides.outside && sides.inside < Infinity;
      if (isCounted) counting.push(rule);
      if (Math.max(sides.inside, sides.outside) === Infinity) continue;
      const set = this.#sets.part(narrowed.set, inside, isCounted ? 'inside' : 'outside');
      narrowed = { ...narrowed, set };
    }
    return { ...narrowed, zoneSpread: counting };
  }

  #sidesOf(draft: ItemDraft, filter: MachineSet): Sides {
    const key = [draft.set.index, draft.zoneMask, filter.index, ...draft.requests].join();
    const known = this.#sides.get(key);
    if (known !== undefined) return known;
    let [inside, outside] = [Infinity, Infinity];
    for (const machine of this.#requirements.machinesFor(draft)) {
      const price = this.#cheapest(machine) / this.#requirements.itemsOn(machine, draft);
      if (filter.machines[machine] === 1) inside = Math.min(inside, price);
      else outside = Math.min(outside, price);
    }
    const made = { inside, outside };
    this.#sides.set(key, made);
    return made;
  }

  #cheapest(machine: number): number {
    const { zones, price } = this.#table;
    let least = Infinity;
    for (let zone = 0; zone < zones; zone++)
      least = Math.min(least, price[machine * zones + zone] ?? Infinity);
    return least;
  }
}

/** What claims should become, worked out the long way: every set is built and every type asked, for each claim anew. */
import { CAPACITY_TYPES, type Offering } from '../../../src/domain/nodes/instance-type.js';
import { HOSTNAME } from '../../../src/domain/values/labels.js';
import { allows } from '../../../src/domain/values/requirement.js';
import { NEW_HOST } from '../../../src/planning/model/constraints/domains.js';
import type { Packing } from '../../../src/planning/rules/packing.js';
import type { Target } from '../../../src/planning/rules/targets.js';

/** What a claim lists; prices in USD/h. */
export interface NaiveClaim {
  readonly types: readonly string[];
  readonly zones: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly hourlyPrice: number;
  readonly hourlyPriceMax: number;
}

interface Sets {
  readonly zones: ReadonlySet<string>;
  readonly capacityTypes: ReadonlySet<string>;
}

/** A type with what it lists, and the row that stands for it. */
interface Choice {
  readonly row: number;
  readonly columns: readonly number[];
  readonly price: number;
}

interface Draft {
  readonly target: Target;
  readonly sets: Sets;
  readonly choices: readonly Choice[];
  /** What is kept of the pool's limits. */
  charge: ReadonlyMap<string, number>;
}

const WANTED = 15;

export class NaiveFinish {
  readonly #packing: Packing;
  /** Pool and resource → what its limits leave. */
  readonly #left = new Map<string, number>();

  constructor(packing: Packing) {
    this.#packing = packing;
    packing.problem.snapshot.pools.forEach((_, pool) => {
      for (const name of packing.usage.limited(pool))
        this.#left.set(`${String(pool)} ${name}`, packing.usage.left(pool, name));
    });
  }

  /** All claims, in the order in which they were opened. */
  finish(): readonly NaiveClaim[] {
    const targets = this.#packing.targets.filter(({ column }) => column >= 0);
    const drafts = targets.map((target) => this.#draft(target));
    for (const draft of drafts) this.#reserve(draft);
    return drafts.map((draft) => this.#list(draft));
  }

  /** The columns of the claim's template that hold its pods, in the domains that they rely on. */
  possible(target: Target): ReadonlySet<number> {
    const { launchables } = this.#packing.problem;
    const template = launchables.rowTemplate[launchables.columnRow[target.column] ?? -1];
    const rows = launchables.templateRows[template?.index ?? -1] ?? [];
    const columns = rows.flatMap((row) => launchables.rowColumns[row] ?? []);
    return new Set(
      columns.filter((column) => this.#hasRoom(target, column) && this.#isAdmitted(target, column)),
    );
  }

  #hasRoom({ column: opened, free }: Target, column: number): boolean {
    const { net, columnRow } = this.#packing.problem.launchables;
    const at = (of: number, axis: number): number => net[(columnRow[of] ?? 0) * free.length + axis] ?? 0;
    return free.every((left, axis) => {
      const needed = at(opened, axis) - left;
      return at(column, axis) >= 0 && at(column, axis) >= needed;
    });
  }

  #isAdmitted({ column: opened, asks, content }: Target, column: number): boolean {
    const { admission, domains, daemonPorts, classes, topology } = this.#packing.problem;
    const inside = [...content.keys()].flatMap((index) => classes[index] ?? []);
    const rules = [...asks].flatMap((ask) => [...ask.spread, ...ask.affinity, ...ask.antiAffinity]);
    const counting = inside.flatMap((pods) => pods.memberOf.flatMap((index) => topology.groups[index] ?? []));
    const groups = [...rules.map(({ group }) => group), ...counting.filter(({ isHard }) => isHard)];
    const domainOf = (key: string, of: number): number => domains.at(key, { target: NEW_HOST, column: of });
    return (
      [...asks].every(({ constraint }) => admission.columns(constraint)[column] === 1) &&
      inside.every(({ hostPorts }) => daemonPorts.leaveFree(hostPorts, column)) &&
      groups.every(
        ({ topologyKey, neededKeys, filter }) =>
          [topologyKey, ...neededKeys].every(
            (key) => key === HOSTNAME || domainOf(key, column) === domainOf(key, opened),
          ) &&
          (filter === undefined || admission.columns(filter)[column] === admission.columns(filter)[opened]),
      )
    );
  }

  #draft(target: Target): Draft {
    const { launchables, options } = this.#packing.problem;
    const possible = this.possible(target);
    const charge = this.#chargeOf(target.column);
    const isCheaper = (column: number, than: number): boolean => this.#price(column) < this.#price(than);
    const column = [...possible]
      .sort((left, right) => left - right)
      .reduce(
        (best, other) => (isCheaper(other, best) && covers(charge, this.#chargeOf(other)) ? other : best),
        target.column,
      );
    const most = Math.min(WANTED, options.maxInstanceTypes);
    const count = (sets: Sets): number => Math.min(most, this.#choices(possible, sets, column).length);
    const row = launchables.columnRow[target.column] ?? 0;
    const isWide = this.#packing.flexibility.setsMinValues(launchables.rowTemplate[row]?.index ?? -1);
    const widest = this.#widest(possible, column, isWide);
    const isSpot = !isWide && widest.capacityTypes.has('spot');
    const sets = isSpot && count(widest) < most ? this.#diverse(widest, column, count) : widest;
    const choices = this.#choices(possible, sets, column);
    if (!isWide || this.#keepsMinValues(target, this.#within(choices, charge)))
      return { target, sets, charge, choices };
    const kept = this.#keepingMinValues({ target, possible, charge });
    return { target, charge, ...(kept ?? { sets, choices }) };
  }

  #within(choices: readonly Choice[], charge: ReadonlyMap<string, number>): readonly Choice[] {
    return choices.filter(({ columns }) => covers(charge, this.#chargeOf(columns[0] ?? -1)));
  }

  #keepsMinValues(target: Target, choices: readonly Choice[]): boolean {
    const { launchables } = this.#packing.problem;
    const template = launchables.rowTemplate[launchables.columnRow[target.column] ?? -1];
    return [...(template?.requirements.values() ?? [])].every((item) => {
      const values = choices.flatMap(({ columns }) =>
        columns.flatMap((column) => launchables.views[column]?.labels.get(item.key) ?? []),
      );
      return new Set(values.filter((value) => allows(item, value))).size >= item.minValues;
    });
  }

  /** Any zones with any capacity types: where minValues are kept, the cheapest. */
  #keepingMinValues({
    target,
    possible,
    charge,
  }: Pick<Draft, 'target' | 'charge'> & { readonly possible: ReadonlySet<number> }):
    Pick<Draft, 'sets' | 'choices'> | undefined {
    const { offerings } = this.#packing.problem.launchables;
    const zones = [...new Set([...possible].map((column) => offerings[column]?.zone ?? ''))].sort();
    let best: (Pick<Draft, 'sets' | 'choices'> & { readonly price: number }) | undefined;
    for (const zoneSet of largestFirst(zones)) {
      for (const capacityTypes of largestFirst(CAPACITY_TYPES)) {
        const sets = { zones: new Set(zoneSet), capacityTypes: new Set(capacityTypes) };
        const choices = this.#choices(possible, sets, -1);
        const within = this.#within(choices, charge);
        const price = within[0]?.price ?? Infinity;
        if (price < (best?.price ?? Infinity) && this.#keepsMinValues(target, within))
          best = { sets, choices, price };
      }
    }
    return best;
  }

  #widest(possible: ReadonlySet<number>, column: number, isWide: boolean): Sets {
    const { offerings, typeColumns, columnRow } = this.#packing.problem.launchables;
    const own = typeColumns[columnRow[column] ?? 0] ?? [];
    const all = [...new Set([...possible].flatMap((each) => typeColumns[columnRow[each] ?? 0] ?? []))];
    const holds = (list: readonly number[], zone: string, types: readonly string[]): boolean => {
      const there = list.filter(
        (each) => offerings[each]?.zone === zone && types.includes(offerings[each].capacityType),
      );
      return there.length > 0 && there.every((each) => possible.has(each));
    };
    const zones = new Set(all.flatMap((each) => offerings[each]?.zone ?? []));
    const home = offerings[column]?.zone ?? '';
    const capacityTypes = CAPACITY_TYPES.filter((type) => {
      const isRefused = all.some(
        (each) =>
          offerings[each]?.zone === home && offerings[each].capacityType === type && !possible.has(each),
      );
      const isHeld = [...zones].some((zone) => holds(all, zone, [type]));
      return holds(own, home, [type]) || (isWide && isHeld && !isRefused);
    });
    const listed = [...zones].filter(
      (zone) => holds(own, zone, capacityTypes) || holds(all, zone, capacityTypes),
    );
    return { zones: new Set(listed), capacityTypes: new Set(capacityTypes) };
  }

  /** Fewer zones and capacity types where that lists more types. */
  #diverse(widest: Sets, column: number, count: (sets: Sets) => number): Sets {
    const { zone = '', capacityType = '' } = this.#packing.problem.launchables.offerings[column] ?? {};
    const capacityTypes = capacityType === 'spot' ? new Set(['spot']) : widest.capacityTypes;
    let sets: Sets = { zones: new Set([zone]), capacityTypes };
    const enough = count(sets);
    if (enough <= count(widest)) return widest;
    const tryOn = (wider: Sets): void => {
      if (count(wider) >= enough) sets = wider;
    };
    for (const each of [...widest.zones].sort()) tryOn({ ...sets, zones: new Set([...sets.zones, each]) });
    tryOn({ ...sets, capacityTypes: widest.capacityTypes });
    return sets;
  }

  /** Types all of whose offerings in the sets are possible; the cheapest first, then the claim's own, then by name. */
  #choices(possible: ReadonlySet<number>, sets: Sets, own: number): readonly Choice[] {
    const { typeColumns, columnRow, rowSiblings, offerings } = this.#packing.problem.launchables;
    const typeOf = (column: number): number => rowSiblings[columnRow[column] ?? 0]?.[0] ?? -1;
    const rows = [...new Set([...possible].map(typeOf))];
    const choices = rows.flatMap((row): readonly Choice[] => {
      const columns = (typeColumns[row] ?? []).filter((column) => {
        const { zone = '', capacityType = '' } = offerings[column] ?? {};
        return sets.zones.has(zone) && sets.capacityTypes.has(capacityType);
      });
      if (columns.length === 0 || !columns.every((column) => possible.has(column))) return [];
      return [{ row, columns, price: Math.min(...columns.map((column) => this.#price(column))) }];
    });
    const isOwn = ({ row }: Choice): number => (row === typeOf(own) ? 0 : 1);
    return choices.sort(
      (a, b) => a.price - b.price || isOwn(a) - isOwn(b) || (this.#name(a) < this.#name(b) ? -1 : 1),
    );
  }

  /** Room for a spot claim's first types, where those no larger than the one opened are too few. */
  #reserve(draft: Draft): void {
    const { choices, sets, charge, target } = draft;
    if (!sets.capacityTypes.has('spot')) return;
    const most = Math.min(WANTED, this.#packing.problem.options.maxInstanceTypes);
    const larger = choices.filter((choice) => !covers(charge, this.#chargeOf(choice.columns[0] ?? -1)));
    const missing = most - (choices.length - larger.length);
    if (missing <= 0) return;
    this.#take(target, charge, -1);
    const had = larger.filter((choice) => this.#isLeft(target, choice)).slice(0, missing);
    draft.charge = largest([charge, ...had.map(({ columns }) => this.#chargeOf(columns[0] ?? -1))]);
    this.#take(target, draft.charge, 1);
  }

  #list({ target, choices, charge }: Draft): NaiveClaim {
    const { offerings } = this.#packing.problem.launchables;
    this.#take(target, charge, -1);
    const within = choices.filter(
      (choice) => covers(charge, this.#chargeOf(choice.columns[0] ?? -1)) || this.#isLeft(target, choice),
    );
    const listed = this.#shorten(target, within);
    this.#take(target, largest(listed.map(({ columns }) => this.#chargeOf(columns[0] ?? -1))), 1);
    const offered = <T>(read: (offering: Offering) => T): T[] => [
      ...new Set(
        listed.flatMap(({ columns }) => columns.flatMap((column) => offerings[column] ?? [])).map(read),
      ),
    ];
    const prices = listed.flatMap(({ columns }) => columns.map((column) => this.#price(column)));
    return {
      types: listed.map((choice) => this.#name(choice)),
      zones: offered(({ zone }) => zone).sort(),
      capacityTypes: CAPACITY_TYPES.filter((type) =>
        offered(({ capacityType }) => capacityType).includes(type),
      ),
      hourlyPrice: Math.min(...prices),
      hourlyPriceMax: Math.max(...prices),
    };
  }

  /** First what minValues need, then the cheapest. */
  #shorten(target: Target, choices: readonly Choice[]): readonly Choice[] {
    const { launchables, options } = this.#packing.problem;
    const template = launchables.rowTemplate[launchables.columnRow[target.column] ?? -1];
    const kept = new Set(choices.slice(0, 1));
    for (const { key, minValues } of template?.requirements.values() ?? []) {
      const valuesOf = ({ columns }: Choice): readonly string[] =>
        columns.flatMap((column) => launchables.views[column]?.labels.get(key) ?? []);
      const values = new Set([...kept].flatMap(valuesOf));
      for (const choice of choices) {
        if (values.size >= minValues) break;
        if (valuesOf(choice).every((value) => values.has(value))) continue;
        kept.add(choice);
        for (const value of valuesOf(choice)) values.add(value);
      }
    }
    for (const choice of choices) if (kept.size < options.maxInstanceTypes) kept.add(choice);
    return choices.filter((choice) => kept.has(choice));
  }

  #price(column: number): number {
    return this.#packing.problem.launchables.price[column] ?? Infinity;
  }

  #name({ row }: Choice): string {
    return this.#packing.problem.launchables.rowType[row]?.name ?? '';
  }

  #poolOf({ column }: Target): number {
    const { rowPool, columnRow } = this.#packing.problem.launchables;
    return rowPool[columnRow[column] ?? -1] ?? -1;
  }

  /** What a node of the column takes of its pool's limits; that it is one node is known. */
  #chargeOf(column: number): ReadonlyMap<string, number> {
    const { rowPool, rowType, columnRow } = this.#packing.problem.launchables;
    const row = columnRow[column] ?? -1;
    const limited = this.#packing.usage.limited(rowPool[row] ?? -1).filter((name) => name !== 'nodes');
    return new Map(limited.map((name) => [name, rowType[row]?.capacity.get(name) ?? 0]));
  }

  #isLeft(target: Target, { columns }: Choice): boolean {
    return [...this.#chargeOf(columns[0] ?? -1)].every(
      ([name, amount]) => amount <= (this.#left.get(`${String(this.#poolOf(target))} ${name}`) ?? 0),
    );
  }

  #take(target: Target, charge: ReadonlyMap<string, number>, sign: number): void {
    for (const [name, amount] of charge) {
      const key = `${String(this.#poolOf(target))} ${name}`;
      this.#left.set(key, (this.#left.get(key) ?? 0) - sign * amount);
    }
  }
}

function covers(charge: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  return [...other].every(([name, amount]) => amount <= (charge.get(name) ?? 0));
}

function largest(charges: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const result = new Map<string, number>();
  for (const [name, amount] of charges.flatMap((charge) => [...charge]))
    result.set(name, Math.max(amount, result.get(name) ?? 0));
  return result;
}

function largestFirst(all: readonly string[]): readonly (readonly string[])[] {
  return subsetsOf(all).sort((left, right) => right.length - left.length);
}

function subsetsOf(all: readonly string[]): (readonly string[])[] {
  const [first, ...rest] = all;
  if (first === undefined) return [];
  const without = subsetsOf(rest);
  return [[first], ...without.map((each) => [first, ...each]), ...without];
}

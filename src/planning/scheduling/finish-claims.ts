/** Turns opened claims into what is asked of EC2: the cheapest type that holds the contents, and its alternatives. */
import type { CapacityType, InstanceType } from '../../domain/instance-type.js';
import type { ResourceList } from '../../domain/resources.js';
import { capacityOf, holdingOf, minValuesOf, possibleColumns } from './flexibility.js';
import type { Launchables } from './launchables.js';
import { offeringSets, type OfferingSets } from './offering-sets.js';
import type { Packing } from './packing.js';
import type { Target } from './targets.js';
import type { Template } from './template.js';

/** A claim with its choices, before names are given. */
export interface FinishedClaim {
  readonly target: Target;
  readonly template: Template;
  /** Cheapest first. */
  readonly types: readonly InstanceType[];
  /** Row of the offering it would be launched as first. */
  readonly row: number;
  readonly zones: readonly string[];
  readonly capacityTypes: readonly CapacityType[];
  readonly hourlyPrice: number;
  readonly hourlyPriceMax: number;
  readonly estimated: boolean;
}

/** A type that a claim may list, with its listed columns. */
interface Choice {
  readonly row: number;
  readonly type: InstanceType;
  readonly columns: readonly number[];
  readonly cheapest: number;
}

/** Re-types every claim to the cheapest that fits, then lists alternatives within limits, in the order of the claims. */
export function finishClaims(packing: Packing): readonly FinishedClaim[] {
  const claims = packing.targets.filter(({ column }) => column >= 0);
  const possible = claims.map((target) =>
    possibleColumns(packing.problem, holdingOf(packing.problem, target)),
  );
  const columns = claims.map((target, index) => retype(packing, target.column, possible[index] ?? []));
  return claims.map((target, index) =>
    listChoices(packing, target, { column: columns[index] ?? -1, possible: possible[index] ?? [] }),
  );
}

/** The cheapest possible column that takes no more of the pool's limits than the one that was opened. */
function retype(
  { problem: { launchables }, usage }: Packing,
  opened: number,
  possible: readonly number[],
): number {
  const pool = launchables.rowPool[launchables.columnRow[opened] ?? 0] ?? 0;
  const allowance = capacityOf(launchables, opened);
  let best = opened;
  for (const column of possible) {
    const isCheaper = (launchables.price[column] ?? Infinity) < (launchables.price[best] ?? Infinity);
    if (isCheaper && usage.within(pool, capacityOf(launchables, column), allowance)) best = column;
  }
  return best;
}

function listChoices(
  packing: Packing,
  target: Target,
  { column, possible }: { readonly column: number; readonly possible: readonly number[] },
): FinishedClaim {
  const { problem, usage } = packing;
  const { launchables, options } = problem;
  const row = firstSibling(launchables, column);
  const template = launchables.rowTemplate[row];
  if (template === undefined) throw new RangeError(`claim ${String(target.target)} has no offering`);
  const admitted = new Set(possible);
  const rows = rowsOf(packing, possible);
  const isWide = packing.flexibility.setsMinValues(template.index);
  const sets = offeringSets({ launchables, column, possible: admitted, rows, isWide });
  const allowance = capacityOf(launchables, target.column);
  usage.release(template.pool, allowance);
  const choices = rows
    .flatMap((other) => choiceOf(packing, other, sets, admitted))
    .filter(
      ({ type: { capacity } }) =>
        usage.within(template.pool, capacity, allowance) ||
        usage.exceeded(template.pool, capacity) === undefined,
    )
    .sort(
      (a, b) =>
        a.cheapest - b.cheapest ||
        Number(b.row === row) - Number(a.row === row) ||
        (a.type.name < b.type.name ? -1 : 1),
    );
  const listed = shorten(packing, template, choices, options.maxInstanceTypes);
  usage.take(template.pool, largest(listed.map((choice) => choice.type.capacity)));
  const prices = listed.flatMap(({ columns }) => columns.map((each) => launchables.price[each] ?? 0));
  return {
    target,
    template,
    types: listed.map((choice) => choice.type),
    row: launchables.columnRow[column] ?? row,
    zones: sets.zones,
    capacityTypes: sets.capacityTypes,
    hourlyPrice: Math.min(...prices),
    hourlyPriceMax: Math.max(...prices),
    estimated: listed.some(({ columns }) =>
      columns.some((each) => launchables.offerings[each]?.estimated ?? false),
    ),
  };
}

/** One row stands for its type: all its siblings' offerings are looked at together. */
function firstSibling({ rowSiblings, columnRow }: Launchables, column: number): number {
  const row = columnRow[column] ?? 0;
  return rowSiblings[row]?.[0] ?? row;
}

function rowsOf({ problem: { launchables } }: Packing, columns: readonly number[]): readonly number[] {
  return [...new Set(columns.map((column) => firstSibling(launchables, column)))];
}

/** The row as a choice, if everything it is offered as within the sets holds the claim. */
function choiceOf(
  { problem: { launchables } }: Packing,
  row: number,
  { zones, capacityTypes }: OfferingSets,
  admitted: ReadonlySet<number>,
): readonly Choice[] {
  const type = launchables.rowType[row];
  const columns = (launchables.typeColumns[row] ?? []).filter((column) => {
    const offering = launchables.offerings[column];
    return (
      offering !== undefined && zones.includes(offering.zone) && capacityTypes.includes(offering.capacityType)
    );
  });
  if (type === undefined || columns.length === 0 || !columns.every((column) => admitted.has(column)))
    return [];
  return [
    {
      row,
      type,
      columns,
      cheapest: Math.min(...columns.map((column) => launchables.price[column] ?? Infinity)),
    },
  ];
}

/** The cheapest choices, but first those that the pool's minValues need; cheapest first again. */
function shorten(
  { problem: { launchables } }: Packing,
  template: Template,
  choices: readonly Choice[],
  most: number,
): readonly Choice[] {
  const kept = new Set<Choice>(choices.slice(0, 1));
  for (const { key, minValues } of minValuesOf(template)) {
    const valuesOf = (choice: Choice): readonly (string | undefined)[] =>
      choice.columns.map((column) => launchables.views[column]?.labels.get(key));
    const values = new Set([...kept].flatMap(valuesOf));
    for (const choice of choices) {
      if (values.size >= minValues) break;
      if (!valuesOf(choice).some((value) => value !== undefined && !values.has(value))) continue;
      kept.add(choice);
      for (const value of valuesOf(choice)) values.add(value);
    }
  }
  for (const choice of choices) if (kept.size < most) kept.add(choice);
  return choices.filter((choice) => kept.has(choice));
}

/** Per resource the most that any of these capacities has: what the claim may cost of the pool's limits. */
function largest(capacities: readonly ResourceList[]): ResourceList {
  const result = new Map<string, number>();
  for (const capacity of capacities) {
    for (const [name, amount] of capacity) result.set(name, Math.max(amount, result.get(name) ?? 0));
  }
  return result;
}

/** The columns of a template that a demand lets a claim be launched as, cheapest first, with the room they have. */
import type { Ask } from '../ask.js';
import { NEW_HOST } from '../domains.js';
import type { Problem } from '../problem.js';
import { Demands, type Demand, type Trait } from './demands.js';
import { launchTables, type LaunchTables } from './launch-tables.js';

/** What a demand leaves of a template, in the domains of the column chosen. Equal answers are one object. */
export interface UsableColumns {
  readonly template: number;
  /** Column → 1 where the demand allows it; to be read for columns of the template only. */
  readonly allowed: Uint8Array;
  /** Rows with an allowed column, by the price of the cheapest; not those that DaemonSets alone overfill. */
  readonly rows: Int32Array;
  /** The cheapest allowed column of each of these rows. */
  readonly columns: Int32Array;
  /** Room of each of these rows: rows × R. */
  readonly room: Float64Array;
}

const OF_PROBLEM = new WeakMap<Problem, UsableOfferings>();

/** One per problem: what is known of one claim helps with the next. */
export function usableOfferings(problem: Problem): UsableOfferings {
  const known = OF_PROBLEM.get(problem);
  if (known !== undefined) return known;
  const made = new UsableOfferings(problem);
  OF_PROBLEM.set(problem, made);
  return made;
}

class UsableOfferings {
  readonly tables: LaunchTables;
  readonly #problem: Problem;
  readonly #demands: Demands;
  readonly #known = new Map<Demand, Map<number | string, UsableColumns>>();
  /** Template → all that was made for it: different demands may allow the same. */
  readonly #compiled = new Map<number, UsableColumns[]>();
  readonly #marks = new Map<Trait, Map<number, Uint8Array>>();

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#demands = new Demands(problem);
    this.tables = launchTables(problem.launchables);
  }

  /** What pods of these classes, placed under these asks, could be launched as instead of the column chosen. */
  of(column: number, classes: Iterable<number>, asks: Iterable<Ask>): UsableColumns {
    const demand = this.#demands.of(classes, asks);
    const { columnRow, rowTemplate } = this.#problem.launchables;
    const template = rowTemplate[columnRow[column] ?? -1]?.index ?? -1;
    const key = this.#keyOf(demand, template, column);
    const ofDemand = this.#known.get(demand) ?? new Map<number | string, UsableColumns>();
    this.#known.set(demand, ofDemand);
    const usable = ofDemand.get(key) ?? this.#compile(demand, template, column);
    ofDemand.set(key, usable);
    return usable;
  }

  #keyOf({ relative }: Demand, template: number, column: number): number | string {
    if (relative.length === 0) return template;
    let key = String(template);
    for (const trait of relative) key += ` ${String(this.#answer(trait, column))}`;
    return key;
  }

  /** What a column must have in common with the one chosen; 1 where all that counts is that it is allowed. */
  #answer(trait: Trait, column: number): number {
    switch (trait.kind) {
      case 'alike':
        return trait.columns[column] ?? 0;
      case 'pinned':
        return this.#problem.domains.at(trait.key, { target: NEW_HOST, column });
      case 'admitted':
        return trait.columns[column] ?? 0;
      case 'port':
        return this.#problem.daemonPorts.leaveFree([trait.port], column) ? 1 : 0;
    }
  }

  /** One byte per column: 1 where it answers the trait as wanted. */
  #marked(trait: Trait, wanted: number): Uint8Array {
    const ofTrait = this.#marks.get(trait) ?? new Map<number, Uint8Array>();
    this.#marks.set(trait, ofTrait);
    const known = ofTrait.get(wanted);
    if (known !== undefined) return known;
    const made = new Uint8Array(this.#problem.launchables.columnRow.length);
    for (let column = 0; column < made.length; column++)
      made[column] = this.#answer(trait, column) === wanted ? 1 : 0;
    ofTrait.set(wanted, made);
    return made;
  }

  #compile(demand: Demand, template: number, column: number): UsableColumns {
    const marks = [...demand.traits].map((trait) => {
      if (trait.kind === 'admitted') return trait.columns;
      return this.#marked(trait, trait.kind === 'port' ? 1 : this.#answer(trait, column));
    });
    const byPrice = this.tables.byPrice[template] ?? NO_COLUMNS;
    const allowed = allOf(marks, byPrice, this.#problem.launchables.columnRow.length);
    const alike = this.#compiled.get(template) ?? [];
    this.#compiled.set(template, alike);
    const known = alike.find((other) => byPrice.every((each) => other.allowed[each] === allowed[each]));
    if (known !== undefined) return known;
    const made = { template, allowed, ...this.#rowsByPrice(byPrice, allowed) };
    alike.push(made);
    return made;
  }

  #rowsByPrice(byPrice: Int32Array, allowed: Uint8Array): Pick<UsableColumns, 'rows' | 'columns' | 'room'> {
    const { launchables, snapshot } = this.#problem;
    const width = snapshot.resources.length;
    const seen = new Uint8Array(launchables.rowType.length);
    const rows: number[] = [];
    const columns: number[] = [];
    for (const column of byPrice) {
      const row = launchables.columnRow[column] ?? 0;
      if (allowed[column] !== 1 || seen[row] === 1 || this.tables.isUsable[row] !== 1) continue;
      seen[row] = 1;
      rows.push(row);
      columns.push(column);
    }
    const room = new Float64Array(rows.length * width);
    rows.forEach((row, index) => {
      room.set(launchables.net.subarray(row * width, (row + 1) * width), index * width);
    });
    return { rows: Int32Array.from(rows), columns: Int32Array.from(columns), room };
  }
}

const NO_COLUMNS = new Int32Array(0);

function allOf(marks: readonly Uint8Array[], columns: Int32Array, count: number): Uint8Array {
  const [first] = marks;
  if (first !== undefined && marks.length === 1) return first;
  const result = new Uint8Array(count);
  for (const column of columns) {
    let all = 1;
    for (const mark of marks) all &= mark[column] ?? 0;
    result[column] = all;
  }
  return result;
}

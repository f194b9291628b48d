/** The columns of a template that the pods of a claim let it be launched as, found demand by demand. */
import type { Ask } from '../model/classes/ask.js';
import { NEW_HOST } from '../model/constraints/domains.js';
import type { Problem } from '../model/problem.js';
import type { TopologyGroup } from '../model/classes/topology-groups.js';
import { Demands, type Demand, type Trait } from './demands.js';
import { launchTables, type LaunchTables } from './launch-tables.js';
import { usableTable, type UsableColumns, type UsableTable } from './usable-table.js';

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
  readonly #table: UsableTable;
  readonly #marks = new Map<Trait, Map<number, Uint8Array>>();

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#demands = new Demands(problem);
    this.tables = launchTables(problem.launchables);
    this.#table = usableTable(problem.launchables);
  }

  /**
   * What pods of these classes, placed under these asks, could be launched as instead of the column chosen. Its domains for
   * groups that other pods rely on stay as they are.
   */
  of(
    column: number,
    classes: Iterable<number>,
    asks: Iterable<Ask>,
    relied?: Iterable<TopologyGroup>,
  ): UsableColumns {
    const demand = this.#demands.of(classes, asks, relied);
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
    const byPrice = this.tables.byPrice(template);
    return this.#table.of(template, allOf(marks, byPrice, this.#problem.launchables.columnRow.length));
  }
}

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

/** The columns of a template that the pods of a claim let it be launched as, found demand by demand. */
import { HOSTNAME } from '../../domain/values/labels.js';
import type { HostPort } from '../../domain/pods/pod.js';
import type { Ask } from '../model/classes/ask.js';
import type { TopologyGroup } from '../model/classes/topology-groups.js';
import { NEW_HOST } from '../model/constraints/domains.js';
import type { Problem } from '../model/problem.js';
import {
  launchTables,
  type LaunchTables,
  type UsableColumns,
  usableTable,
  type UsableTable,
} from './launch-tables.js';

/** Spread that pods elsewhere were placed under, which a node in a domain that there is not would break. */
export interface ReliedSpread {
  readonly group: TopologyGroup;
  /** One byte per column: 1 for those that are in no such domain. */
  readonly columns: Uint8Array;
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
  readonly #table: UsableTable;
  readonly #marks = new Map<Trait, Map<number, Uint8Array>>();

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#demands = new Demands(problem);
    this.tables = launchTables(problem.launchables);
    this.#table = usableTable(problem.launchables);
  }

  /**
   * What pods of these classes, placed under these asks, could be launched as instead of the column chosen, within the
   * domains that pods elsewhere rely on.
   */
  of(
    column: number,
    classes: Iterable<number>,
    asks: Iterable<Ask>,
    relied?: readonly ReliedSpread[],
  ): UsableColumns {
    const demand = this.#demands.of(column, { classes, asks, relied });
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

/** A set of traits; every set is one object. */
interface Demand {
  readonly traits: ReadonlySet<Trait>;
  /** Those whose answer depends on the column chosen. */
  readonly relative: readonly Trait[];
  /** Demand → the union of this one with it. */
  readonly joined: Map<Demand, Demand>;
}

/** One thing asked. Two that ask the same are one object. */
type Trait = Asked & { readonly index: number };

type Asked =
  /** A column must be marked 1. */
  | { readonly kind: 'admitted'; readonly columns: Uint8Array }
  /** A column must be marked as the one chosen is: where a spread looks at some nodes only, pods stay counted or not. */
  | { readonly kind: 'alike'; readonly columns: Uint8Array }
  /** A column must be in the same domain of the key as the one chosen. */
  | { readonly kind: 'pinned'; readonly key: string }
  /** The DaemonSets of a column must leave the port free. */
  | { readonly kind: 'port'; readonly port: HostPort };

/** What the pods of a claim ask, together, of anything that it could be launched as; equal demands are one object. */
class Demands {
  readonly #problem: Problem;
  readonly #sets = new Map<string, Demand>();
  readonly #traits = new Map<string, Trait>();
  /** Column marks → their number. */
  readonly #marks = new Map<Uint8Array, number>();
  readonly #ofColumns = new Map<Uint8Array, Demand>();
  readonly #ofAsk = new Map<Ask, Demand>();
  readonly #ofClass: (Demand | undefined)[];
  readonly #ofGroup: (Demand | undefined)[] = [];
  readonly #nothing: Demand;

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#ofClass = problem.classes.map(() => undefined);
    this.#nothing = this.#setOf([]);
  }

  /** What pods of these classes, placed under these asks, demand together; and pods elsewhere that rely on spread. */
  of(
    column: number,
    {
      classes,
      asks,
      relied = [],
    }: {
      readonly classes: Iterable<number>;
      readonly asks: Iterable<Ask>;
      readonly relied?: readonly ReliedSpread[] | undefined;
    },
  ): Demand {
    let demand = this.#nothing;
    for (const { group, columns } of relied) {
      const isWithin = columns[column] === 1;
      demand = this.#join(demand, isWithin ? this.#admittedDemand(columns) : this.#groupDemand(group));
    }
    for (const ask of asks) demand = this.#join(demand, this.#askDemand(ask));
    for (const index of classes) demand = this.#join(demand, this.#classDemand(index));
    return demand;
  }

  #join(left: Demand, right: Demand): Demand {
    if (left === right || right === this.#nothing) return left;
    if (left === this.#nothing) return right;
    const known = left.joined.get(right);
    if (known !== undefined) return known;
    const made = this.#setOf([...left.traits, ...right.traits]);
    left.joined.set(right, made);
    return made;
  }

  #setOf(list: readonly Trait[]): Demand {
    const traits = new Set(list);
    const key = [...traits]
      .map(({ index }) => index)
      .sort((left, right) => left - right)
      .join();
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const relative = [...traits].filter(({ kind }) => kind === 'alike' || kind === 'pinned');
    const made = { traits, relative, joined: new Map() };
    this.#sets.set(key, made);
    return made;
  }

  /** Most pods have no rule: their asks are not worth remembering one by one. */
  #askDemand(ask: Ask): Demand {
    const admitted = this.#admittedDemand(this.#problem.admission.columns(ask.constraint));
    if (ask.spread.length + ask.affinity.length + ask.antiAffinity.length === 0) return admitted;
    const known = this.#ofAsk.get(ask);
    if (known !== undefined) return known;
    let demand = admitted;
    for (const rules of [ask.spread, ask.affinity, ask.antiAffinity]) {
      for (const { group } of rules) demand = this.#join(demand, this.#groupDemand(group));
    }
    this.#ofAsk.set(ask, demand);
    return demand;
  }

  #admittedDemand(columns: Uint8Array): Demand {
    const known = this.#ofColumns.get(columns);
    if (known !== undefined) return known;
    const demand = this.#setOf([
      this.#intern(`admitted ${this.#numberOf(columns)}`, { kind: 'admitted', columns }),
    ]);
    this.#ofColumns.set(columns, demand);
    return demand;
  }

  /** Ports, and groups that count the pods and that some pod insists on: their domain must not change any more. */
  #classDemand(index: number): Demand {
    const known = this.#ofClass[index];
    if (known !== undefined) return known;
    const { classes, topology } = this.#problem;
    const pods = classes[index];
    let demand = this.#nothing;
    if (pods === undefined) return demand;
    if (pods.hostPorts.length > 0) demand = this.#setOf(pods.hostPorts.map((port) => this.#portTrait(port)));
    for (const member of pods.memberOf) {
      const group = topology.groups[member];
      if (group?.isHard === true) demand = this.#join(demand, this.#groupDemand(group));
    }
    this.#ofClass[index] = demand;
    return demand;
  }

  #groupDemand({ index, topologyKey, neededKeys, filter }: TopologyGroup): Demand {
    const known = this.#ofGroup[index];
    if (known !== undefined) return known;
    const traits = [topologyKey, ...neededKeys]
      .filter((key) => key !== HOSTNAME) // a new node is a host of its own, whatever it is launched as
      .map((key) => this.#intern(`pinned ${key}`, { kind: 'pinned', key }));
    if (filter !== undefined) {
      const columns = this.#problem.admission.columns(filter);
      traits.push(this.#intern(`alike ${this.#numberOf(columns)}`, { kind: 'alike', columns }));
    }
    const demand = this.#setOf(traits);
    this.#ofGroup[index] = demand;
    return demand;
  }

  #portTrait(port: HostPort): Trait {
    return this.#intern(`port ${port.hostIP} ${port.protocol} ${String(port.port)}`, { kind: 'port', port });
  }

  #numberOf(columns: Uint8Array): string {
    const number = this.#marks.get(columns) ?? this.#marks.size;
    this.#marks.set(columns, number);
    return String(number);
  }

  #intern(name: string, asked: Asked): Trait {
    const known = this.#traits.get(name);
    if (known !== undefined) return known;
    const made: Trait = { ...asked, index: this.#traits.size };
    this.#traits.set(name, made);
    return made;
  }
}

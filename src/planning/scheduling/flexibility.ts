/** Which offerings a claim could still be launched as, given what is in it; and minValues, which wants enough of them. */
import { rowCapacity, type Launchables } from './launchables.js';
import { minValuesShortfall } from '../../domain/min-values.js';
import type { Requirement } from '../../domain/requirement.js';
import type { ResourceList } from '../../domain/resources.js';
import type { Reason } from '../reason.js';
import type { Ask } from './ask.js';
import type { Template } from './template.js';
import { NEW_HOST } from './domains.js';
import type { PodClass } from './pod-class.js';
import type { PoolUsage } from './pool-usage.js';
import type { Problem } from './problem.js';
import { howManyFitNew, rowOf } from './room.js';
import type { Target } from './targets.js';
import type { TopologyGroup } from './topology-groups.js';

/** A claim as it is, or would be with one more pod. */
export interface Holding {
  readonly column: number;
  /** R amounts that a type must have free of DaemonSets. */
  readonly requests: Float64Array;
  readonly asks: ReadonlySet<Ask>;
  /** Classes inside: they pin the domains of the topology keys that concern them. */
  readonly classes: readonly PodClass[];
}

export class Flexibility {
  readonly #problem: Problem;
  readonly #usage: PoolUsage;
  /** Template → whether its pool sets minValues. */
  readonly #sets: readonly boolean[];

  constructor(problem: Problem, usage: PoolUsage) {
    this.#problem = problem;
    this.#usage = usage;
    this.#sets = problem.launchables.templates.map((template) => minValuesOf(template).length > 0);
  }

  /** Whether the template's pool sets minValues. */
  setsMinValues(template: number): boolean {
    return this.#sets[template] ?? false;
  }

  /** Whether the target's pool sets no minValues. */
  isIrrelevant({ column }: Target): boolean {
    const template = templateOf(this.#problem.launchables, column);
    return template === undefined || !this.setsMinValues(template.index);
  }

  /** The minValues that one more pod of the class would break. */
  lost(pods: PodClass, ask: Ask, target: Target): Reason | undefined {
    if (this.isIrrelevant(target)) return undefined;
    const holding = holdingOf(this.#problem, target);
    const requests = holding.requests.map((amount, resource) => amount + (pods.requests[resource] ?? 0));
    return this.tooFew({
      column: target.column,
      requests,
      asks: new Set([...holding.asks, ask]),
      classes: [...holding.classes, pods],
    });
  }

  /**
   * The first minValues of the pool that the claim's possible types, zones and capacity types do not reach. Types that
   * would take more of the pool's limits than the one chosen do not count: their listing cannot be promised.
   */
  tooFew(holding: Holding): Reason | undefined {
    const { launchables } = this.#problem;
    const template = templateOf(launchables, holding.column);
    if (template === undefined || !this.setsMinValues(template.index)) return undefined;
    const allowance = capacityOf(launchables, holding.column);
    const labels = possibleColumns(this.#problem, holding)
      .filter((column) => this.#usage.within(template.pool, capacityOf(launchables, column), allowance))
      .flatMap((column) => launchables.views[column]?.labels ?? []);
    const short = minValuesShortfall(template.requirements, labels);
    if (short === undefined) return undefined;
    return { code: 'MinValues', key: short.key, wanted: short.minValues, available: short.found };
  }
}

/** What a node of this column counts against its pool's limits. */
export function capacityOf(launchables: Launchables, column: number): ResourceList {
  return rowCapacity(launchables, launchables.columnRow[column] ?? -1);
}

function templateOf({ rowTemplate, columnRow }: Launchables, column: number): Template | undefined {
  return rowTemplate[columnRow[column] ?? -1];
}

/** The requirements of a template that ask for several values. */
export function minValuesOf({ requirements }: Template): readonly Requirement[] {
  return [...requirements.values()].filter(({ minValues }) => minValues > 0);
}

/** What a target holds now. */
export function holdingOf({ launchables, snapshot, classes }: Problem, target: Target): Holding {
  const width = snapshot.resources.length;
  const row = launchables.columnRow[target.column] ?? 0;
  const requests = target.free.map((free, resource) => (launchables.net[row * width + resource] ?? 0) - free);
  const inside = [...target.content.keys()].flatMap((index) => classes[index] ?? []);
  return { column: target.column, requests, asks: target.asks, classes: inside };
}

/** Columns of the claim's template that hold its pods, in the domains they rely on; ascending. */
export function possibleColumns(problem: Problem, holding: Holding): readonly number[] {
  const { launchables, admission, domains } = problem;
  const template = templateOf(launchables, holding.column)?.index ?? -1;
  const answers = [...holding.asks].map(({ constraint }) => admission.columns(constraint));
  const groups = groupsOf(problem, holding);
  const keys = new Set(groups.flatMap(({ topologyKey, neededKeys }) => [topologyKey, ...neededKeys]));
  const pinned = [...keys].map((key) => ({
    key,
    domain: domains.at(key, { target: NEW_HOST, column: holding.column }),
  }));
  // Where a spread looks at some nodes only, pods it counts must stay counted, and the others uncounted.
  const filters = groups.flatMap(({ filter }) => (filter ? [admission.columns(filter)] : []));
  const ports = holding.classes.flatMap(({ hostPorts }) => hostPorts);
  const result: number[] = [];
  for (const row of launchables.templateRows[template] ?? []) {
    if (!holds(problem, row, holding.requests)) continue;
    for (const column of launchables.rowColumns[row] ?? []) {
      const same = pinned.every(
        ({ key, domain }) => domains.at(key, { target: NEW_HOST, column }) === domain,
      );
      const counted = filters.every((admitted) => admitted[column] === admitted[holding.column]);
      if (
        same &&
        counted &&
        problem.daemonPorts.leaveFree(ports, column) &&
        answers.every((admitted) => admitted[column] === 1)
      )
        result.push(column);
    }
  }
  return result;
}

function holds({ launchables, snapshot }: Problem, row: number, requests: Float64Array): boolean {
  return howManyFitNew(requests, rowOf(launchables.net, snapshot.resources.length, row), 1) === 1;
}

/** Groups of every rule that the pods have or that counts them. */
function groupsOf({ topology }: Problem, { classes, asks }: Holding): readonly TopologyGroup[] {
  const counting = classes.flatMap(({ memberOf }) =>
    memberOf.flatMap((index) => topology.groups[index] ?? []),
  );
  const own = [...asks].flatMap(({ spread, affinity, antiAffinity }) =>
    [...spread, ...affinity, ...antiAffinity].map(({ group }) => group),
  );
  return [...new Set([...counting.filter(({ isHard }) => isHard), ...own])];
}

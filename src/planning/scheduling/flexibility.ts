/** Which offerings a claim could still be launched as, given what is in it; and minValues, which wants enough of them. */
import type { Launchables } from './launchables.js';
import { minValuesShortfall } from '../../domain/min-values.js';
import type { Requirement } from '../../domain/requirement.js';
import { NO_RESOURCES, type ResourceList } from '../../domain/resources.js';
import type { Reason } from '../reason.js';
import type { Ask } from './ask.js';
import type { Template } from './template.js';
import { NEW_HOST } from './domains.js';
import type { PodClass } from './pod-class.js';
import type { PoolUsage } from './pool-usage.js';
import type { Problem } from './problem.js';
import { takenPort, type Target } from './targets.js';

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
export function capacityOf({ rowType, columnRow }: Launchables, column: number): ResourceList {
  return rowType[columnRow[column] ?? -1]?.capacity ?? NO_RESOURCES;
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
  const pinned = [...pinnedKeys(problem, holding)].map((key) => ({
    key,
    domain: domains.at(key, { target: NEW_HOST, column: holding.column }),
  }));
  const ports = holding.classes.flatMap(({ hostPorts }) => hostPorts);
  const portsAllow = (column: number): boolean =>
    ports.length === 0 || takenPort(ports, problem.daemonPorts.at(column)) === undefined;
  const result: number[] = [];
  for (const row of launchables.templateRows[template] ?? []) {
    if (!holds(problem, row, holding.requests)) continue;
    for (const column of launchables.rowColumns[row] ?? []) {
      const same = pinned.every(
        ({ key, domain }) => domains.at(key, { target: NEW_HOST, column }) === domain,
      );
      if (same && portsAllow(column) && answers.every((admitted) => admitted[column] === 1))
        result.push(column);
    }
  }
  return result;
}

function holds({ launchables, snapshot }: Problem, row: number, requests: Float64Array): boolean {
  const width = snapshot.resources.length;
  return requests.every(
    (amount, resource) => amount <= 0 || amount <= (launchables.net[row * width + resource] ?? 0),
  );
}

/** Topology keys, but hostname, of every rule that the pods have or that counts them. */
function pinnedKeys({ topology }: Problem, { classes, asks }: Holding): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { memberOf } of classes) {
    for (const index of memberOf) {
      const group = topology.groups[index];
      if (group?.isHard && !group.isHostname) keys.add(group.topologyKey);
    }
  }
  for (const { spread, affinity, antiAffinity } of asks) {
    for (const { group } of [...spread, ...affinity, ...antiAffinity])
      if (!group.isHostname) keys.add(group.topologyKey);
  }
  return keys;
}

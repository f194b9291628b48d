/** What no plan can undercut: a bound for every part of the problem that shares no pool with another, added up. */
import type { Snapshot } from '../snapshot/snapshot.js';
import type { Admission } from './admission.js';
import type { Launchables } from './launchables.js';
import type { PodClass } from './pod-class.js';
import { LEAST_PRICE, resourcePrices, type PricedCapacity } from './resource-prices.js';
import { howManyFitNew, rowOf, takeRoom } from './room.js';

export interface BoundInput {
  readonly snapshot: Snapshot;
  readonly launchables: Launchables;
  readonly classes: readonly PodClass[];
  readonly admission: Admission;
  /** nodes × R. */
  readonly nodeFree: Float64Array;
}

/** Rows of some templates, each at the price of its cheapest offering. */
export function pricedRows(
  { net, rowColumns, price }: Launchables,
  width: number,
  rows: readonly number[],
): PricedCapacity {
  const capacity = new Float64Array(rows.length * width);
  rows.forEach((row, index) => {
    capacity.set(rowOf(net, width, row), index * width);
  });
  const cheapest = rows.map((row) =>
    Math.min(...(rowColumns[row] ?? []).map((column) => price[column] ?? Infinity)),
  );
  return { capacity, price: Float64Array.from(cheapest, (each) => Math.max(LEAST_PRICE, each)) };
}

/** What the classes ask for, less all room of the existing nodes that admit one of them: R amounts. */
export function netDemand(
  { snapshot, admission, nodeFree }: Pick<BoundInput, 'snapshot' | 'admission' | 'nodeFree'>,
  classes: readonly PodClass[],
): Float64Array {
  const constraints = new Map(
    classes.flatMap(({ asks }) => asks.slice(-1)).map(({ constraint }) => [constraint.key, constraint]),
  );
  const isOpen = (node: number): boolean =>
    [...constraints.values()].some((constraint) => admission.node(constraint, node));
  const width = snapshot.resources.length;
  const missing = new Float64Array(width);
  for (const { requests, pods } of classes) takeRoom(requests, missing, pods.length);
  for (let node = 0; node < snapshot.nodes.length; node++) {
    if (!isOpen(node)) continue;
    for (let resource = 0; resource < width; resource++) {
      missing[resource] = (missing[resource] ?? 0) + Math.max(0, nodeFree[node * width + resource] ?? 0);
    }
  }
  return missing.map((amount) => Math.max(0, -amount));
}

/**
 * USD/h below which no plan places all classes. Pools that can hold a common class are one part; every part is given all
 * room of the existing nodes open to it, which keeps the sum a bound. 0 where something is free.
 */
export function lowerBound(input: BoundInput): number {
  const { snapshot, launchables } = input;
  if (launchables.price.some((price) => price < LEAST_PRICE)) return 0;
  const width = snapshot.resources.length;
  let bound = 0;
  for (const { classes, templates } of parts(input)) {
    const rows = templates.flatMap((template) => launchables.templateRows[template] ?? []);
    const demand = netDemand(input, classes);
    bound += resourcePrices(demand, pricedRows(launchables, width, rows)).lowerBound;
  }
  return bound;
}

interface Part {
  readonly templates: number[];
  readonly classes: PodClass[];
}

/** Templates joined by the classes that may use several of them, with those classes. */
function parts({ launchables, classes, admission }: BoundInput): readonly Part[] {
  const parent = launchables.templates.map((_, template) => template);
  const root = (template: number): number => {
    const above = parent[template] ?? template;
    return above === template ? template : root(above);
  };
  const firstTemplate = new Map<PodClass, number>();
  for (const pods of classes) {
    for (const template of templatesOf(pods, launchables, admission)) {
      const first = firstTemplate.get(pods);
      if (first === undefined) firstTemplate.set(pods, template);
      else parent[root(template)] = root(first);
    }
  }
  const result = new Map<number, Part>();
  const partOf = (template: number): Part => {
    const key = root(template);
    const part = result.get(key) ?? { templates: [], classes: [] };
    result.set(key, part);
    return part;
  };
  for (const template of parent.keys()) partOf(template).templates.push(template);
  for (const [pods, template] of firstTemplate) partOf(template).classes.push(pods);
  return [...result.values()];
}

/** Templates of which some row has room for the class and some column admits it at its least demanding. */
function templatesOf(
  { asks, requests }: PodClass,
  launchables: Launchables,
  admission: Admission,
): readonly number[] {
  const ask = asks.at(-1);
  if (ask === undefined) return [];
  const admitted = admission.columns(ask.constraint);
  const width = requests.length;
  const isOpen = (row: number): boolean =>
    howManyFitNew(requests, rowOf(launchables.net, width, row), 1) === 1 &&
    (launchables.rowColumns[row] ?? []).some((column) => admitted[column] === 1);
  return launchables.templates
    .map(({ index }) => index)
    .filter((index) => (launchables.templateRows[index] ?? []).some(isOpen));
}

/** What no plan can undercut: a bound for every part of the problem that shares no pool with another, added up. */
import { DisjointSets } from '../../domain/values/disjoint-sets.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import type { Admission } from './constraints/admission.js';
import type { Launchables } from './launch/launchables.js';
import type { NodeConstraint } from './constraints/node-constraint.js';
import type { PodClass } from './classes/pod-class.js';
import { resourcePrices, type ResourcePrices } from './launch/resource-prices.js';
import { takeRoom } from './launch/room.js';
import type { RowPrices } from './launch/launchables-table.js';

export interface BoundInput {
  readonly snapshot: Snapshot;
  readonly launchables: Launchables;
  readonly classes: readonly PodClass[];
  readonly admission: Admission;
  /** nodes × R. */
  readonly nodeFree: Float64Array;
  readonly rowPrices: RowPrices;
}

/** What the classes ask for, less all room of the existing nodes that admit one of them: R amounts. */
export function netDemand(
  { snapshot, admission, nodeFree }: Pick<BoundInput, 'snapshot' | 'admission' | 'nodeFree'>,
  classes: readonly PodClass[],
): Float64Array {
  const constraints = snapshot.nodes.length === 0 ? [] : leastAsked(classes);
  const isOpen = (node: number): boolean =>
    constraints.some((constraint) => admission.node(constraint, node));
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

/** The distinct constraints of the classes at their least demanding. */
export function leastAsked(classes: readonly PodClass[]): readonly NodeConstraint[] {
  const found = new Set<NodeConstraint>();
  for (const { asks } of classes) {
    const constraint = asks.at(-1)?.constraint;
    if (constraint !== undefined) found.add(constraint);
  }
  return [...new Map([...found].map((constraint) => [constraint.key, constraint])).values()];
}

/**
 * USD/h below which no plan places all classes. Pools that can hold a common class are one part; every part is given all
 * room of the existing nodes open to it, which keeps the sum a bound. 0 where something is free.
 */
export function lowerBound(input: BoundInput): number {
  return pricedParts(input).reduce((sum, { prices }) => sum + prices.lowerBound, 0);
}

/** Classes of a part, with what a unit of each resource is worth there. */
export interface PricedPart {
  readonly classes: readonly PodClass[];
  readonly prices: ResourcePrices;
}

/** The parts that the bound is added up from; none where something is free. */
export function pricedParts(input: BoundInput): readonly PricedPart[] {
  const { rowPrices } = input;
  if (rowPrices.hasFree) return [];
  return parts(input).map(({ classes, templates }) => ({
    classes,
    prices: resourcePrices(netDemand(input, classes), rowPrices.of(templates)),
  }));
}

interface Part {
  readonly templates: number[];
  readonly classes: PodClass[];
}

/** Templates joined by the classes that may use several of them, with those classes. */
function parts({ launchables, classes, admission, rowPrices }: BoundInput): readonly Part[] {
  const joined = new DisjointSets();
  const firstTemplate = new Map<PodClass, number>();
  for (const pods of classes) {
    const constraint = pods.asks.at(-1)?.constraint;
    if (constraint === undefined) continue;
    const admitted = admission.columns(constraint);
    for (const template of launchables.templates.keys()) {
      if (!rowPrices.holds(template, admitted, pods.requests)) continue;
      const first = firstTemplate.get(pods);
      if (first === undefined) firstTemplate.set(pods, template);
      else joined.join(first, template);
    }
  }
  const result = new Map<number, Part>();
  const partOf = (template: number): Part => {
    const key = joined.find(template);
    const part = result.get(key) ?? { templates: [], classes: [] };
    result.set(key, part);
    return part;
  };
  for (const template of launchables.templates.keys()) partOf(template).templates.push(template);
  for (const [pods, template] of firstTemplate) partOf(template).classes.push(pods);
  return [...result.values()];
}

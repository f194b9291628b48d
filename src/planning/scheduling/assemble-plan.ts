/** Says a packing as a plan: claims named, pods by key, reasons for what is left. */
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/labels.js';
import type { ResourceList } from '../../domain/resources.js';
import type { Plan, PlannedClaim, Placement, UnschedulablePod } from '../plan.js';
import { compareText } from '../snapshot/content-order.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { explain } from './explain.js';
import type { FinishedClaim } from './finish-claims.js';
import type { Packing } from './packing.js';

/** `lowerBound`: USD/h below which nothing places all pods. */
export function assemblePlan(packing: Packing, finished: readonly FinishedClaim[], lowerBound: number): Plan {
  const rows = rowsOfTargets(packing);
  const pods = rows.map((each) => keysOf(packing.problem.snapshot, each));
  const named = nameClaims(packing, finished, pods);
  const claims = named.map(([claim]) => claim);
  const hourly = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  const isComplete = packing.remaining.every((left) => left === 0);
  return {
    placements: placements(packing, named, rows),
    claims,
    unschedulable: unschedulable(packing),
    cost: {
      hourly,
      lowerBound: isComplete ? Math.min(hourly, lowerBound) : null,
      existingHourly: existingHourly(packing.problem.snapshot),
    },
  };
}

/** Target index → rows of its pods in the snapshot, ascending. Pods of a class are dealt out in the order of their rows. */
function rowsOfTargets({ problem: { classes }, targets }: Packing): readonly Int32Array[] {
  const next = new Int32Array(classes.length);
  return targets.map(({ content }) => {
    const rows: number[] = [];
    for (const [index, n] of content) {
      const pods = classes[index]?.pods ?? [];
      const first = next[index] ?? 0;
      next[index] = first + n;
      for (let each = first; each < first + n; each++) rows.push(pods[each] ?? -1);
    }
    return Int32Array.from(rows).sort();
  });
}

/** Keys of the rows, sorted; rows of a snapshot mostly are in the order of their keys, and then nothing is to be done. */
function keysOf({ pods }: Snapshot, rows: Int32Array): readonly string[] {
  const keys = Array.from(rows, (row) => pods.keys[row] ?? '');
  return isSorted(keys) ? keys : keys.sort();
}

function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) {
    if (compareText(keys[index - 1] ?? '', keys[index] ?? '') > 0) return false;
  }
  return true;
}

/** Names claims per pool, in the order of pools, prices, types and contents; each with the index of its target. */
function nameClaims(
  { problem: { launchables, snapshot } }: Packing,
  finished: readonly FinishedClaim[],
  pods: readonly (readonly string[])[],
): readonly (readonly [PlannedClaim, number])[] {
  const width = snapshot.resources.length;
  const requestsOf = ({ target, row }: FinishedClaim): ResourceList => {
    const opened = launchables.columnRow[target.column] ?? 0;
    return list(snapshot, (resource) => {
      const taken = (launchables.net[opened * width + resource] ?? 0) - (target.free[resource] ?? 0);
      return taken + (launchables.daemons[row * width + resource] ?? 0);
    });
  };
  const numbers = new Map<string, number>();
  return [...finished].sort(byPoolAndContent(pods)).map((claim): readonly [PlannedClaim, number] => {
    const nodePool = claim.template.offer.pool.name;
    const number = (numbers.get(nodePool) ?? 0) + 1;
    numbers.set(nodePool, number);
    const named: PlannedClaim = {
      name: `${nodePool}-${String(number)}`,
      nodePool,
      instanceTypes: claim.types.map(({ name }) => name),
      zones: claim.zones,
      capacityTypes: claim.capacityTypes,
      chosenLabels: claim.template.chosen,
      pods: pods[claim.target.target] ?? [],
      requests: requestsOf(claim),
      allocatable: claim.types[0]?.allocatable ?? new Map(),
      hourlyPrice: claim.hourlyPrice,
      hourlyPriceMax: claim.hourlyPriceMax,
      estimated: claim.estimated,
    };
    return [named, claim.target.target];
  });
}

function byPoolAndContent(pods: readonly (readonly string[])[]) {
  return (left: FinishedClaim, right: FinishedClaim): number => {
    const byPool = left.template.pool - right.template.pool || left.template.index - right.template.index;
    const byPrice = right.hourlyPrice - left.hourlyPrice;
    return (
      byPool ||
      byPrice ||
      compareText(cheapestType(left), cheapestType(right)) ||
      compareText(pods[left.target.target]?.[0] ?? '', pods[right.target.target]?.[0] ?? '')
    );
  };
}

const cheapestType = ({ types }: FinishedClaim): string => types[0]?.name ?? '';

function list({ resources }: Snapshot, amount: (resource: number) => number): ResourceList {
  return new Map(
    resources.map((name, resource) => [name, amount(resource)] as const).filter(([, value]) => value !== 0),
  );
}

function placements(
  { targets, problem: { snapshot } }: Packing,
  claims: readonly (readonly [PlannedClaim, number])[],
  rows: readonly Int32Array[],
): readonly Placement[] {
  const where: (Placement['target'] | undefined)[] = [];
  const enter = (target: number, place: Placement['target']): void => {
    for (const row of rows[target] ?? []) where[row] = place;
  };
  for (const { target, column } of targets)
    if (column < 0) enter(target, { kind: 'Node', name: snapshot.nodes[target]?.name ?? '' });
  for (const [{ name }, target] of claims) enter(target, { kind: 'NodeClaim', name });
  const result: Placement[] = [];
  where.forEach((target, row) => {
    if (target !== undefined) result.push({ pod: snapshot.pods.keys[row] ?? '', target });
  });
  return isSorted(result.map(({ pod }) => pod))
    ? result
    : result.sort((left, right) => compareText(left.pod, right.pod));
}

function unschedulable(packing: Packing): readonly UnschedulablePod[] {
  const { classes, snapshot } = packing.problem;
  const result = classes.flatMap((pods): readonly UnschedulablePod[] => {
    const left = pods.blocked === undefined ? (packing.remaining[pods.index] ?? 0) : pods.pods.length;
    if (left === 0) return [];
    const reasons = explain(packing, pods);
    return pods.pods
      .slice(pods.pods.length - left)
      .map((pod) => ({ pod: snapshot.pods.keys[pod] ?? '', reasons }));
  });
  return result.sort((left, right) => compareText(left.pod, right.pod));
}

/** USD/h of the listed nodes, at the catalogue's price for their type, zone and capacity type; unknown ones are free. */
function existingHourly({ nodes, pools }: Snapshot): number {
  const wanted = new Set(nodes.map(({ labels }) => labels.get(INSTANCE_TYPE) ?? ''));
  const price = new Map<string, number>();
  for (const { instanceTypes } of wanted.size > 0 ? pools : []) {
    for (const { name, offerings } of instanceTypes ?? []) {
      if (!wanted.has(name)) continue;
      for (const { zone, capacityType, price: hourly } of offerings)
        price.set(`${name} ${zone} ${capacityType}`, hourly);
    }
  }
  return nodes.reduce((sum, { labels }) => {
    const key = [INSTANCE_TYPE, ZONE, CAPACITY_TYPE].map((label) => labels.get(label) ?? '').join(' ');
    return sum + (price.get(key) ?? 0);
  }, 0);
}

/** Planning: a snapshot in, a plan out. */
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/labels.js';
import type { ResourceList } from '../../domain/resources.js';
import type { Plan, PlannedClaim, Placement, UnschedulablePod } from '../plan.js';
import type { PlanOptions } from '../plan-options.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { explain } from './explain.js';
import { finishClaims, type FinishedClaim } from './finish-claims.js';
import { pack } from './pack.js';
import type { Packing } from './packing.js';
import { compileProblem } from './problem.js';

/** Places every pending pod of the snapshot, or says why not. Same snapshot and options, same plan; never throws. */
export function plan(snapshot: Snapshot, options: PlanOptions): Plan {
  const packing = pack(compileProblem(snapshot, options));
  const finished = finishClaims(packing);
  const pods = podsOfTargets(packing);
  const claims = nameClaims(packing, finished, pods);
  const hourly = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  const complete = packing.remaining.every((left) => left === 0);
  return {
    placements: placements(packing, claims, pods),
    claims,
    unschedulable: unschedulable(packing),
    cost: {
      hourly,
      lowerBound: complete ? Math.min(hourly, packing.problem.lowerBound) : null,
      existingHourly: existingHourly(snapshot),
    },
  };
}

/** Target index → keys of its pods, sorted. Pods of a class are dealt out in the order of their keys. */
function podsOfTargets({ problem: { classes, snapshot }, targets }: Packing): readonly (readonly string[])[] {
  const next = new Int32Array(classes.length);
  return targets.map(({ content }) => {
    const keys: string[] = [];
    for (const [index, n] of content) {
      const first = next[index] ?? 0;
      next[index] = first + n;
      for (const pod of classes[index]?.pods.slice(first, first + n) ?? [])
        keys.push(snapshot.pods.keys[pod] ?? '');
    }
    return keys.sort();
  });
}

/** Names claims per pool, in the order of pools, prices, types and contents. */
function nameClaims(
  { problem: { launchables, snapshot } }: Packing,
  finished: readonly FinishedClaim[],
  pods: readonly (readonly string[])[],
): readonly PlannedClaim[] {
  const width = snapshot.resources.length;
  const requestsOf = ({ target, row }: FinishedClaim): ResourceList => {
    const opened = launchables.columnRow[target.column] ?? 0;
    return list(snapshot, (resource) => {
      const taken = (launchables.net[opened * width + resource] ?? 0) - (target.free[resource] ?? 0);
      return taken + (launchables.daemons[row * width + resource] ?? 0);
    });
  };
  const numbers = new Map<string, number>();
  return [...finished].sort(byPoolAndContent(pods)).map((claim): PlannedClaim => {
    const nodePool = claim.template.offer.pool.name;
    const number = (numbers.get(nodePool) ?? 0) + 1;
    numbers.set(nodePool, number);
    return {
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
  });
}

function byPoolAndContent(pods: readonly (readonly string[])[]) {
  return (left: FinishedClaim, right: FinishedClaim): number => {
    const byPool = left.template.pool - right.template.pool || left.template.index - right.template.index;
    const byPrice = right.hourlyPrice - left.hourlyPrice;
    return (
      byPool ||
      byPrice ||
      compare(left.types[0]?.name, right.types[0]?.name) ||
      compare(pods[left.target.target]?.[0], pods[right.target.target]?.[0])
    );
  };
}

function compare(left = '', right = ''): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function list({ resources }: Snapshot, amount: (resource: number) => number): ResourceList {
  return new Map(
    resources.map((name, resource) => [name, amount(resource)] as const).filter(([, value]) => value !== 0),
  );
}

function placements(
  { targets, problem: { snapshot } }: Packing,
  claims: readonly PlannedClaim[],
  pods: readonly (readonly string[])[],
): readonly Placement[] {
  const result: Placement[] = [];
  targets.forEach(({ target, column }) => {
    if (column >= 0) return;
    const name = snapshot.nodes[target]?.name ?? '';
    for (const pod of pods[target] ?? []) result.push({ pod, target: { kind: 'Node', name } });
  });
  for (const { name, pods: inside } of claims) {
    for (const pod of inside) result.push({ pod, target: { kind: 'NodeClaim', name } });
  }
  return result.sort((left, right) => compare(left.pod, right.pod));
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
  return result.sort((left, right) => compare(left.pod, right.pod));
}

/** USD/h of the listed nodes, at the catalogue's price for their type, zone and capacity type; unknown ones are free. */
function existingHourly({ nodes, pools }: Snapshot): number {
  const price = new Map<string, number>();
  for (const { instanceTypes } of pools) {
    for (const { name, offerings } of instanceTypes ?? []) {
      for (const { zone, capacityType, price: hourly } of offerings)
        price.set(`${name} ${zone} ${capacityType}`, hourly);
    }
  }
  return nodes.reduce((sum, { labels }) => {
    const key = [INSTANCE_TYPE, ZONE, CAPACITY_TYPE].map((label) => labels.get(label) ?? '').join(' ');
    return sum + (price.get(key) ?? 0);
  }, 0);
}

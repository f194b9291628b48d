/** Says a packing as a plan: claims named, pods by key, reasons for what is left. */
import type { ResourceList } from '../../domain/values/resources.js';
import type { Placement, Plan, PlannedClaim, PodNote, UnschedulablePod } from '../plan.js';
import { compareText } from '../snapshot/sorted-objects.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { isPlanningsOwn } from '../snapshot/volume-slots.js';
import { MOST_LEVELS } from '../model/classes/ask.js';
import { Explainer } from '../explain/explain.js';
import type { FinishedClaim } from '../finish/finish-claims.js';
import { nodePrices } from '../model/node-prices.js';
import type { Packing } from '../rules/packing.js';
import type { Problem } from '../model/problem.js';
import { countPreferences } from '../model/classes/spec-size.js';

/** A packing as it would be carried out. */
interface Assembled {
  readonly packing: Packing;
  readonly finished: readonly FinishedClaim[];
  /** USD/h below which nothing places all pods. */
  readonly lowerBound: number;
}

/** `isExplained`: whether pods without a place get their reasons, which are long to find. */
export function assemblePlan({ packing, finished, lowerBound }: Assembled, isExplained = true): Plan {
  const rows = rowsOfTargets(packing);
  const pods = rows.map((each) => keysOf(packing.problem.snapshot, each));
  const named = nameClaims(packing, finished, pods);
  const claims = named.map(([claim]) => claim);
  const hourly = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  const isComplete = packing.remaining.every((left) => left === 0);
  return {
    placements: placements(packing, named, rows),
    claims,
    unschedulable: unschedulable(packing, isExplained),
    ...notesOn(packing.problem),
    cost: {
      hourly,
      lowerBound: isComplete ? Math.min(hourly, lowerBound) : null,
      // Nodes that the catalogue does not know are free.
      existingHourly: nodePrices(packing.problem.snapshot).reduce<number>(
        (sum, price) => sum + (price ?? 0),
        0,
      ),
    },
  };
}

/** Target index → rows of its pods in the snapshot, ascending. Pods of a class are dealt out in the order of their rows. */
function rowsOfTargets({ problem: { classes }, targets }: Packing): readonly Int32Array[] {
  const next = new Int32Array(classes.length);
  return targets.map(({ content }) => {
    if (content.size === 0) return NO_ROWS;
    let count = 0;
    for (const n of content.values()) count += n;
    const rows = new Int32Array(count);
    let at = 0;
    for (const [index, n] of content) {
      const pods = classes[index]?.pods ?? [];
      const first = next[index] ?? 0;
      next[index] = first + n;
      for (let each = first; each < first + n; each++) rows[at++] = pods[each] ?? -1;
    }
    return content.size === 1 ? rows : rows.sort();
  });
}

const NO_ROWS = new Int32Array(0);

/** Keys of the rows, sorted. */
function keysOf({ pods }: Snapshot, rows: Int32Array): readonly string[] {
  const keys: string[] = [];
  for (const row of rows) keys.push(pods.keys[row] ?? '');
  return pods.isSorted ? keys : keys.sort();
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
  // Equal lists of types are one object, and so are their names.
  const namesOf = new Map<FinishedClaim['types'], readonly string[]>();
  return [...finished].sort(byPoolAndContent(pods)).map((claim): readonly [PlannedClaim, number] => {
    const nodePool = claim.template.offer.pool.name;
    const number = (numbers.get(nodePool) ?? 0) + 1;
    numbers.set(nodePool, number);
    const instanceTypes = namesOf.get(claim.types) ?? claim.types.map(({ name }) => name);
    namesOf.set(claim.types, instanceTypes);
    const named: PlannedClaim = {
      name: `${nodePool}-${String(number)}`,
      nodePool,
      instanceTypes,
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
    resources
      .map((name, resource) => [name, amount(resource)] as const)
      .filter(([name, value]) => value !== 0 && !isPlanningsOwn(name)),
  );
}

function placements(
  { targets, problem: { snapshot } }: Packing,
  claims: readonly (readonly [PlannedClaim, number])[],
  rows: readonly Int32Array[],
): readonly Placement[] {
  const places: Placement['target'][] = [];
  const where = new Int32Array(snapshot.pods.keys.length).fill(-1);
  const enter = (target: number, place: Placement['target']): void => {
    for (const row of rows[target] ?? NO_ROWS) where[row] = places.length;
    places.push(place);
  };
  for (const { target, column, content } of targets) {
    if (column < 0 && content.size > 0)
      enter(target, { kind: 'Node', name: snapshot.nodes[target]?.name ?? '' });
  }
  for (const [{ name }, target] of claims) enter(target, { kind: 'NodeClaim', name });
  const { keys, isSorted } = snapshot.pods;
  const result: Placement[] = [];
  for (let row = 0; row < where.length; row++) {
    const target = places[where[row] ?? -1];
    if (target !== undefined) result.push({ pod: keys[row] ?? '', target });
  }
  return isSorted ? result : result.sort((left, right) => compareText(left.pod, right.pod));
}

/** Classes with more preferences than levels; the first pod of each stands for all. */
function notesOn({ classes, snapshot, options }: Problem): Pick<Plan, 'notes'> {
  if (options.preferencePolicy === 'Ignore') return {};
  const notes: PodNote[] = [];
  for (const { spec, pods, asks } of classes) {
    // Blocked pods have no asks.
    if (asks.length > 0 && asks.length <= MOST_LEVELS) continue;
    const preferences = countPreferences(snapshot.specs[spec]);
    if (preferences <= MOST_LEVELS) continue;
    const pod = snapshot.pods.keys[pods[0] ?? -1] ?? '';
    notes.push({ code: 'TooManyPreferences', pod, preferences, levels: MOST_LEVELS });
  }
  return notes.length === 0 ? {} : { notes: notes.sort((left, right) => compareText(left.pod, right.pod)) };
}

function unschedulable(packing: Packing, isExplained: boolean): readonly UnschedulablePod[] {
  const { classes, snapshot } = packing.problem;
  const result: UnschedulablePod[] = [];
  const explainer = new Explainer(packing);
  for (const pods of classes) {
    const left = pods.blocked === undefined ? (packing.remaining[pods.index] ?? 0) : pods.pods.length;
    if (left === 0) continue;
    const reasons = isExplained ? explainer.reasons(pods) : [];
    for (const pod of pods.pods.slice(pods.pods.length - left))
      result.push({ pod: snapshot.pods.keys[pod] ?? '', reasons });
  }
  return result.sort((left, right) => compareText(left.pod, right.pod));
}

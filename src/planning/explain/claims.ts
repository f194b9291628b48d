/** Why a claim has the types it has: what was cheaper and does not hold its pods, and what another pool would cost. */
import { CAPACITY_TYPE, HOSTNAME, ZONE } from '../../domain/values/labels.js';
import type { ClaimWhy, Plan, PlannedClaim, TooSmall } from '../plan.js';
import { rowCapacity, type Launchables } from '../model/launch/launchables.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { PoolUsage } from '../model/pool-usage.js';
import type { Problem } from '../model/problem.js';
import { typesOffered } from '../snapshot/cluster-input.js';
import { howManyFitNew, rowOf } from '../model/launch/room.js';

/** The plan with a `why` for every claim. Equal claims are looked at once; nothing else of the plan changes. */
export function explainClaims(problem: Problem, plan: Plan): Plan {
  if (plan.claims.length === 0) return plan;
  const explainer = new Explainer(problem, plan);
  return { ...plan, claims: plan.claims.map((claim) => ({ ...claim, why: explainer.why(claim) })) };
}

/** What a claim holds. */
interface Contents {
  /** Equal for claims with the same contents. */
  readonly key: string;
  readonly classes: readonly PodClass[];
  /** R amounts, without DaemonSets. */
  readonly requests: Float64Array;
}

class Explainer {
  readonly #problem: Problem;
  readonly #usage: PoolUsage;
  readonly #classOf: ReadonlyMap<string, PodClass>;
  /** Columns, cheapest first. */
  readonly #byPrice: Int32Array;
  readonly #known = new Map<string, ClaimWhy>();

  constructor(problem: Problem, { claims }: Plan) {
    const { launchables, snapshot, classes } = problem;
    this.#problem = problem;
    this.#classOf = new Map(
      classes.flatMap((each) => each.pods.map((pod) => [snapshot.pods.keys[pod] ?? '', each] as const)),
    );
    this.#byPrice = byPrice(launchables);
    this.#usage = usageOf(problem, claims);
  }

  why(claim: PlannedClaim): ClaimWhy {
    const contents = this.#contentsOf(claim);
    const { nodePool, hourlyPrice, zones, capacityTypes, chosenLabels } = claim;
    const key = JSON.stringify([
      ...[nodePool, hourlyPrice, zones, capacityTypes, [...chosenLabels]],
      contents.key,
    ]);
    const why = this.#known.get(key) ?? this.#find(claim, contents);
    this.#known.set(key, why);
    return why;
  }

  #contentsOf({ pods }: PlannedClaim): Contents {
    const { snapshot } = this.#problem;
    const counts = new Map<PodClass, number>();
    const requests = new Float64Array(snapshot.resources.length);
    for (const pod of pods) {
      const each = this.#classOf.get(pod);
      if (each === undefined) continue;
      counts.set(each, (counts.get(each) ?? 0) + 1);
      each.requests.forEach((amount, index) => (requests[index] = (requests[index] ?? 0) + amount));
    }
    const key = [...counts].map(([{ index }, n]) => `${String(index)}x${String(n)}`).sort();
    return { key: key.join(), classes: [...counts.keys()], requests };
  }

  #find(claim: PlannedClaim, contents: Contents): ClaimWhy {
    const { launchables, snapshot } = this.#problem;
    const { columnRow, rowPool, rowType, rowColumns, price } = launchables;
    const nodePool = snapshot.pools.findIndex(({ pool }) => pool.name === claim.nodePool);
    const isOwn = (column: number): boolean => rowPool[columnRow[column] ?? 0] === nodePool;
    const isOpen = this.#openColumns(claim, contents.classes);
    const holdsRow = this.#holdingRows(contents.requests);
    const holds = (column: number): boolean => holdsRow(columnRow[column] ?? 0);
    const holding = new Set<string>();
    rowType.forEach(({ name }, row) => {
      if (rowPool[row] === nodePool && holdsRow(row) && (rowColumns[row] ?? []).some(isOpen))
        holding.add(name);
    });
    const cheaper = this.#byPrice.findLast(
      (column) =>
        (price[column] ?? 0) < claim.hourlyPrice && isOwn(column) && !holds(column) && isOpen(column),
    );
    const other = this.#byPrice.find(
      (column) => !isOwn(column) && holds(column) && isOpen(column) && this.#isWithinLimits(column),
    );
    return {
      holding: holding.size,
      ...(cheaper === undefined ? {} : { cheaper: this.#tooSmall(cheaper, contents.requests) }),
      ...this.#alternative(other),
    };
  }

  /** Which rows have the room; each is looked at once. */
  #holdingRows(requests: Float64Array): (row: number) => boolean {
    const { launchables, snapshot } = this.#problem;
    const known = new Int8Array(launchables.rowType.length).fill(-1);
    return (row) => {
      if (known[row] === -1)
        known[row] = howManyFitNew(requests, rowOf(launchables.net, snapshot.resources.length, row), 1);
      return known[row] === 1;
    };
  }

  /** Columns that admit the pods, and are in the domains on which their rules of topology rely. */
  #openColumns(claim: PlannedClaim, classes: readonly PodClass[]): (column: number) => boolean {
    const { admission, launchables, daemonPorts } = this.#problem;
    const constraints = new Set(classes.flatMap(({ asks }) => asks.slice(-1).map((ask) => ask.constraint)));
    const answers = [...new Set([...constraints].map((constraint) => admission.columns(constraint)))];
    const keys = [...new Set(classes.flatMap((each) => this.#topologyKeys(each)))];
    const pinned = keys.flatMap((key) => {
      const values = domainsOf(claim, key);
      return values === undefined ? [] : [{ key, values }];
    });
    const ports = classes.flatMap(({ hostPorts }) => hostPorts);
    return (column) => {
      for (const admitted of answers) if (admitted[column] !== 1) return false;
      for (const { key, values } of pinned)
        if (!values.includes(launchables.views[column]?.labels.get(key) ?? '')) return false;
      return daemonPorts.leaveFree(ports, column);
    };
  }

  #topologyKeys({ asks, memberOf }: PodClass): readonly string[] {
    const { groups } = this.#problem.topology;
    const counting = memberOf.flatMap((index) => groups[index] ?? []).filter(({ isHard }) => isHard);
    const own = asks
      .slice(-1)
      .flatMap(({ spread, affinity, antiAffinity }) =>
        [...spread, ...affinity, ...antiAffinity].map(({ group }) => group),
      );
    return [...counting, ...own].map(({ topologyKey }) => topologyKey).filter((key) => key !== HOSTNAME);
  }

  #tooSmall(column: number, requests: Float64Array): TooSmall {
    const { launchables, snapshot } = this.#problem;
    const row = launchables.columnRow[column] ?? 0;
    const width = snapshot.resources.length;
    const short = snapshot.resources.flatMap((name, resource) => {
      const lacking = (requests[resource] ?? 0) - (launchables.net[row * width + resource] ?? 0);
      return lacking > 0 ? [[name, lacking] as const] : [];
    });
    return {
      instanceType: launchables.rowType[row]?.name ?? '',
      hourlyPrice: launchables.price[column] ?? 0,
      short: new Map(short),
    };
  }

  /** Whether the limits of its pool let the column be launched beside all claims of the plan. */
  #isWithinLimits(column: number): boolean {
    const { launchables } = this.#problem;
    const row = launchables.columnRow[column] ?? 0;
    return this.#usage.hasRoom(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
  }

  #alternative(column: number | undefined): Pick<ClaimWhy, 'alternative'> {
    const { launchables, snapshot } = this.#problem;
    const offering = launchables.offerings[column ?? -1];
    if (column === undefined || offering === undefined) return {};
    const row = launchables.columnRow[column] ?? 0;
    const { zone, capacityType, price: hourlyPrice } = offering;
    const nodePool = snapshot.pools[launchables.rowPool[row] ?? 0]?.pool.name ?? '';
    const instanceType = launchables.rowType[row]?.name ?? '';
    return { alternative: { nodePool, instanceType, zone, capacityType, hourlyPrice } };
  }
}

const BY_PRICE = new WeakMap<Launchables, Int32Array>();

/** Columns, cheapest first; launchables outlive a plan. */
function byPrice(launchables: Launchables): Int32Array {
  const known = BY_PRICE.get(launchables);
  if (known !== undefined) return known;
  const price = (column: number): number => launchables.price[column] ?? 0;
  const sorted = Int32Array.from(launchables.price.keys()).sort((a, b) => price(a) - price(b) || a - b);
  BY_PRICE.set(launchables, sorted);
  return sorted;
}

/** The domains of a key that the claim leaves open; undefined where that is not for the claim to say. */
function domainsOf(
  { zones, capacityTypes, chosenLabels }: PlannedClaim,
  key: string,
): readonly string[] | undefined {
  if (key === ZONE) return zones;
  if (key === CAPACITY_TYPE) return capacityTypes;
  const chosen = chosenLabels.get(key);
  return chosen === undefined ? undefined : [chosen];
}

/** What is in use once every claim is launched as its first type. */
function usageOf({ snapshot }: Problem, claims: readonly PlannedClaim[]): PoolUsage {
  const usage = new PoolUsage(snapshot);
  const indexes = new Map(snapshot.pools.map(({ pool }, index) => [pool.name, index]));
  for (const {
    nodePool,
    instanceTypes: [first],
    chosenLabels,
  } of claims) {
    const index = indexes.get(nodePool) ?? -1;
    const offer = snapshot.pools[index];
    const types = offer === undefined ? [] : typesOffered(offer, chosenLabels);
    const type = types.find(({ name }) => name === first);
    if (type !== undefined) usage.take(index, type.capacity);
  }
  return usage;
}

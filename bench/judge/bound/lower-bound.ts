/** The price below which no plan for a question goes: an exact linear program, whose answer is proved by weak duality. */
import { coveringProgram } from './covering-program.js';
import { solve } from './interior-point.js';
import { at, type Prices, type Relaxation } from './relaxation.js';
import { fillValues, provenBound, surplus } from './weak-duality.js';

const MOST_ROUNDS = 30;
/** Instances taken into the program at a time. */
const NEW_INSTANCES = 12;
/** Content worth more than its instance's price by less is not worth another round. */
const TOLERANCE = 1e-6;
/** A pod left out costs so many times what the most expensive pod alone does. */
const LEFT_OUT = 20;

export interface LowerBound {
  /** USD/h; 0 when nothing was proved. */
  readonly hourly: number;
  readonly prices: Prices;
}

/**
 * The bound and the prices that prove it. Instances come into the program as long as some hold more than they cost.
 * @param candidates instances that may come in: of those that another beats in everything none needs to.
 */
export function lowerBound(relaxation: Relaxation, candidates: readonly number[]): LowerBound {
  const { instances, penalty } = firstInstances(relaxation, candidates);
  let best: LowerBound = { hourly: 0, prices: { pod: new Float64Array(0), limit: new Float64Array(0) } };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const prices = pricesOf(relaxation, [...instances], penalty);
    const found = overpriced(relaxation, prices, candidates, instances);
    if (found.bound > best.hourly) best = { hourly: found.bound, prices };
    if (found.instances.length === 0) break;
    for (const instance of found.instances) instances.add(instance);
  }
  return { hourly: provenBound(relaxation, best.prices), prices: best.prices };
}

function pricesOf(relaxation: Relaxation, instances: readonly number[], penalty: number): Prices {
  const { duals } = solve(coveringProgram(relaxation, instances, penalty));
  const { classes, limits } = relaxation;
  const positive = (value: number): number => Math.max(0, value);
  return {
    pod: duals.slice(0, classes.count).map(positive),
    // A limit's row is held from above, so its dual is below 0.
    limit: duals.slice(duals.length - limits.length).map((value) => positive(-value)),
  };
}

interface Overpriced {
  /** The instances outside of the program that hold most beyond their price; none when none does. */
  readonly instances: readonly number[];
  /** What the prices prove over the candidates. */
  readonly bound: number;
}

function overpriced(
  relaxation: Relaxation,
  prices: Prices,
  candidates: readonly number[],
  inside: ReadonlySet<number>,
): Overpriced {
  const { classes, instances, limits } = relaxation;
  const values = fillValues(relaxation, prices, candidates);
  let total = 0;
  for (let index = 0; index < classes.count; index++)
    total += at(classes.pods, index) * at(prices.pod, index);
  for (let index = 0; index < limits.length; index++) total -= at(limits, index) * at(prices.limit, index);
  const over = candidates.flatMap((instance) => {
    const price = at(instances.price, instance);
    const extra = surplus(relaxation, prices, values, instance);
    if (price === 0) total -= extra;
    return price > 0 ? [{ instance, times: extra / price }] : [];
  });
  const most = Math.max(...over.map(({ times }) => times));
  const worst = over
    .filter(({ instance, times }) => times > 1 + TOLERANCE && !inside.has(instance))
    .sort((left, right) => right.times - left.times);
  return {
    instances: worst.slice(0, NEW_INSTANCES).map(({ instance }) => instance),
    bound: most > 0 ? total / most : 0,
  };
}

/** For every class the instance that takes it alone at least cost, and everything that is there already. */
function firstInstances(relaxation: Relaxation, candidates: readonly number[]) {
  const { classes, instances } = relaxation;
  const first = new Set(candidates.filter((instance) => at(instances.price, instance) === 0));
  let penalty = 0;
  for (let index = 0; index < classes.count; index++) {
    let [best, least] = [-1, Infinity];
    for (const instance of candidates) {
      if (relaxation.admits[instance * classes.count + index] !== 1 || at(instances.price, instance) === 0)
        continue;
      const cost = at(instances.price, instance) * largestShare(relaxation, index, instance);
      if (cost < least) [best, least] = [instance, cost];
    }
    if (best < 0) continue;
    first.add(best);
    penalty = Math.max(penalty, LEFT_OUT * least);
  }
  return { instances: first, penalty };
}

/** Of any resource of the instance, the largest share that one pod takes. */
function largestShare(
  { resources, classes, instances }: Relaxation,
  index: number,
  instance: number,
): number {
  let share = 0;
  for (let resource = 0; resource < resources; resource++) {
    const request = at(classes.requests, index * resources + resource);
    if (request > 0)
      share = Math.max(share, request / at(instances.capacity, instance * resources + resource));
  }
  return share;
}

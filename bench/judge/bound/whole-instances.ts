/** What pods cost at least because an instance is bought whole: where few pods share one, division would hide most of its price. */
import { at, type Relaxation } from './relaxation.js';

/** Of more equal pods what division hides is next to nothing. */
const MOST_PODS = 5_000;
/** So that what fits exactly still fits after division. */
const ROUNDING = 1e-9;

/** USD/h: of one class, the cheapest instances that hold all of it; of several, what the most expensive class costs at least. */
export function wholeInstances(relaxation: Relaxation): number {
  const { classes, instances } = relaxation;
  // What is there already holds some for nothing.
  if (instances.price.includes(0)) return 0;
  if (classes.count === 1 && at(classes.pods, 0) <= MOST_PODS) return cheapestFor(relaxation);
  let most = 0;
  for (let index = 0; index < classes.count; index++) {
    let least = Infinity;
    for (let instance = 0; instance < instances.count; instance++)
      if (relaxation.admits[instance * classes.count + index] === 1)
        least = Math.min(least, at(instances.price, instance));
    if (least < Infinity) most = Math.max(most, least);
  }
  return most;
}

/** Of the cheapest instances for so many pods, the last may be any that holds the rest. */
function cheapestFor(relaxation: Relaxation): number {
  const pods = at(relaxation.classes.pods, 0);
  const priceFor = pricesByCount(relaxation, pods);
  const counts = [...priceFor.keys()];
  const cost = new Float64Array(pods + 1).fill(Infinity);
  cost[0] = 0;
  for (let n = 1; n <= pods; n++)
    for (const count of counts)
      cost[n] = Math.min(at(cost, n), (priceFor.get(count) ?? Infinity) + at(cost, Math.max(0, n - count)));
  return Number.isFinite(at(cost, pods)) ? at(cost, pods) : 0;
}

/** Pods that an instance holds, `most` at most → the least price of such an instance. */
function pricesByCount(
  { resources, classes, instances, admits }: Relaxation,
  most: number,
): ReadonlyMap<number, number> {
  const result = new Map<number, number>();
  for (let instance = 0; instance < instances.count; instance++) {
    if (admits[instance] !== 1) continue;
    let count = most;
    for (let resource = 0; resource < resources; resource++) {
      const request = at(classes.requests, resource);
      const room = at(instances.capacity, instance * resources + resource);
      if (request > 0) count = Math.min(count, Math.floor((room / request) * (1 + ROUNDING)));
    }
    const price = at(instances.price, instance);
    if (count > 0 && price < (result.get(count) ?? Infinity)) result.set(count, price);
  }
  return result;
}

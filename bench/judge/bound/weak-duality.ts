/** From prices, whoever claims them, to a bound that holds: no instance may hold more worth than it costs. */
import { fillValue } from './fill-value.js';
import { at, type Prices, type Relaxation } from './relaxation.js';

/** Instance → USD/h that its content may be worth at most. */
export type FillValues = Float64Array;

export function fillValues(relaxation: Relaxation, { pod }: Prices, instances: Iterable<number>): FillValues {
  const result = new Float64Array(relaxation.instances.count);
  for (const instance of instances) result[instance] = fillValue(relaxation, pod, instance);
  return result;
}

/** USD/h by which the content of an instance may be worth more than what it takes of the limits. */
export function surplus(
  { instances, limits }: Relaxation,
  { limit }: Prices,
  values: FillValues,
  instance: number,
): number {
  let value = at(values, instance);
  for (let index = 0; index < limits.length; index++)
    value -= at(limit, index) * at(instances.charge, instance * limits.length + index);
  return Math.max(0, value);
}

/**
 * USD/h that the relaxation costs at least, by prices that need not be right: they are lowered together until no instance
 * holds more worth than its price and its limits' prices; what is there already is counted off. Every instance is looked
 * at. 0 where the prices prove nothing.
 */
export function provenBound(relaxation: Relaxation, prices: Prices): number {
  const { classes, instances, limits } = relaxation;
  const all = Array.from({ length: instances.count }, (_, instance) => instance);
  const values = fillValues(relaxation, prices, all);
  let total = 0;
  for (let index = 0; index < classes.count; index++)
    total += at(classes.pods, index) * at(prices.pod, index);
  for (let index = 0; index < limits.length; index++) total -= at(limits, index) * at(prices.limit, index);
  let most = 0;
  for (const instance of all) {
    const price = at(instances.price, instance);
    const extra = surplus(relaxation, prices, values, instance);
    if (price === 0) total -= extra;
    else most = Math.max(most, extra / price);
  }
  return most > 0 && Number.isFinite(most) ? Math.max(0, total / most) : 0;
}

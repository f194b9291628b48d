/** Which instances a linear program needs to look at: those that no other beats in everything. */
import { at, type Relaxation } from './relaxation.js';

/** Instances that no other is at least as good as: as cheap, as large, taking as little of limits and admitting as much. */
export function candidates(relaxation: Relaxation): readonly number[] {
  const { instances, classes, admits } = relaxation;
  const kept: number[] = [];
  const byPrice = Array.from({ length: instances.count }, (_, instance) => instance).sort(
    (left, right) => at(instances.price, left) - at(instances.price, right) || left - right,
  );
  const useful = byPrice.filter((instance) =>
    admits.subarray(instance * classes.count, (instance + 1) * classes.count).includes(1),
  );
  for (const instance of useful)
    if (!kept.some((other) => beats(relaxation, other, instance))) kept.push(instance);
  return kept;
}

/** Whether what is cheaper, or costs the same and comes first, is no worse in anything else. */
function beats(
  { resources, instances, limits, classes, admits }: Relaxation,
  better: number,
  worse: number,
): boolean {
  if ((at(instances.price, better) === 0) !== (at(instances.price, worse) === 0)) return false;
  for (let resource = 0; resource < resources; resource++)
    if (
      at(instances.capacity, better * resources + resource) <
      at(instances.capacity, worse * resources + resource)
    )
      return false;
  for (let limit = 0; limit < limits.length; limit++)
    if (
      at(instances.charge, better * limits.length + limit) >
      at(instances.charge, worse * limits.length + limit)
    )
      return false;
  for (let index = 0; index < classes.count; index++)
    if (admits[better * classes.count + index] !== 1 && admits[worse * classes.count + index] === 1)
      return false;
  return true;
}

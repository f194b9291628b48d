/** Which machines a linear program needs to look at: those that no other beats in everything. */
import { at, type Relaxation } from './relaxation.js';

/** Machines that no other is at least as good as: as cheap, as large, taking as little of limits and admitting as much. */
export function candidates(relaxation: Relaxation): readonly number[] {
  const { machines, classes, admits } = relaxation;
  const kept: number[] = [];
  const byPrice = Array.from({ length: machines.count }, (_, machine) => machine).sort(
    (left, right) => at(machines.price, left) - at(machines.price, right) || left - right,
  );
  const useful = byPrice.filter((machine) =>
    admits.subarray(machine * classes.count, (machine + 1) * classes.count).includes(1),
  );
  for (const machine of useful)
    if (!kept.some((other) => beats(relaxation, other, machine))) kept.push(machine);
  return kept;
}

/** Whether what is cheaper, or costs the same and comes first, is no worse in anything else. */
function beats(
  { resources, machines, limits, classes, admits }: Relaxation,
  better: number,
  worse: number,
): boolean {
  if ((at(machines.price, better) === 0) !== (at(machines.price, worse) === 0)) return false;
  for (let resource = 0; resource < resources; resource++)
    if (
      at(machines.capacity, better * resources + resource) <
      at(machines.capacity, worse * resources + resource)
    )
      return false;
  for (let limit = 0; limit < limits.length; limit++)
    if (
      at(machines.charge, better * limits.length + limit) > at(machines.charge, worse * limits.length + limit)
    )
      return false;
  for (let index = 0; index < classes.count; index++)
    if (admits[better * classes.count + index] !== 1 && admits[worse * classes.count + index] === 1)
      return false;
  return true;
}

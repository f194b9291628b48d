import type { ResourceList } from '../../../src/domain/values/resources.js';

/** Builds a list from plain amounts, leaving zeros out: `resourceList({ cpu: 1500, memory: 2 ** 30 })`. */
export function resourceList(amounts: Readonly<Record<string, number>>): ResourceList {
  return new Map(Object.entries(amounts).filter(([, amount]) => amount !== 0));
}

/** Whether every requested amount is at most what is free. A request of zero fits anywhere. */
export function fitsWithin(requests: ResourceList, free: ResourceList): boolean {
  for (const [name, amount] of requests) if (amount > 0 && amount > (free.get(name) ?? 0)) return false;
  return true;
}

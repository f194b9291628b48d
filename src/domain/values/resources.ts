/** Amounts of node resources as integers: cpu in millicores, everything else in whole units (bytes, counts). */
import { formatBytes, formatMillis, parseQuantity, QuantityError, toMillis, toUnits } from './quantity.js';

/** Resource name → amount; cpu in millicores, memory and storage in bytes, extended resources and pods as counts. */
export type ResourceList = ReadonlyMap<string, number>;

export const CPU = 'cpu';
export const MEMORY = 'memory';
export const PODS = 'pods';
export const EPHEMERAL_STORAGE = 'ephemeral-storage';
export const NO_RESOURCES: ResourceList = new Map();

/**
 * Reads one amount in the unit of its resource, rounded up as kube-scheduler rounds requests.
 * @throws QuantityError when the text is not a quantity or is negative.
 */
export function parseAmount(resource: string, text: string): number {
  const quantity = parseQuantity(text);
  if (quantity < 0n) throw new QuantityError(text, `${resource} must not be negative`);
  return resource === CPU ? toMillis(quantity) : toUnits(quantity);
}

/** An amount as a Kubernetes quantity: cpu `1500m`, memory and storage with binary suffixes, counts plain. */
export function formatAmount(resource: string, amount: number): string {
  if (resource === CPU) return formatMillis(amount);
  return isBytes(resource) ? formatBytes(amount) : String(amount);
}

function isBytes(resource: string): boolean {
  return resource === MEMORY || resource === EPHEMERAL_STORAGE || resource.startsWith('hugepages-');
}

/** Sum per resource. */
export function addResources(left: ResourceList, right: ResourceList): ResourceList {
  return combine(left, right, (a, b) => a + b);
}

/** Larger amount per resource; one that is not listed counts as 0. */
export function maxResources(left: ResourceList, right: ResourceList): ResourceList {
  return combine(left, right, Math.max);
}

/** `left − right` per resource; may go below zero. */
export function subtractResources(left: ResourceList, right: ResourceList): ResourceList {
  return combine(left, right, (a, b) => a - b);
}

/** Whether of each resource no more is asked for than there is; one that is not listed counts as 0. */
export function isWithin(asked: ResourceList, room: ResourceList): boolean {
  for (const [resource, amount] of asked) if (amount > (room.get(resource) ?? 0)) return false;
  return true;
}

function combine(
  left: ResourceList,
  right: ResourceList,
  by: (a: number, b: number) => number,
): ResourceList {
  const result = new Map<string, number>();
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const amount = by(left.get(name) ?? 0, right.get(name) ?? 0);
    if (amount !== 0) result.set(name, amount);
  }
  return result;
}

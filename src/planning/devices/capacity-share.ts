/** How much of a device a request takes (capacity.requests, allowMultipleAllocations). */
import {
  qualifiedName,
  type CapacityPolicy,
  type Device,
  type DeviceCapacity,
} from '../../domain/devices/device.js';
import type { Quantity } from '../../domain/values/quantity.js';

/** Capacity → what is taken of it. */
export type Share = ReadonlyMap<string, Quantity>;

/** What a request takes of each capacity; undefined where the device has too little of one, empty, or none at all. */
export function shareOf(
  { capacity, shareable }: Pick<Device, 'capacity' | 'shareable'>,
  driver: string,
  asked: ReadonlyMap<string, Quantity>,
): Share | undefined {
  if (asked.size === 0 && !shareable) return NOTHING;
  const wanted = new Map([...asked].map(([name, amount]) => [qualifiedName(name, driver), amount]));
  for (const name of wanted.keys()) if (!capacity.has(name)) return undefined;
  const share = new Map<string, Quantity>();
  for (const [name, each] of capacity) {
    if (!shareable && !wanted.has(name)) continue;
    const amount = amountOf(each, wanted.get(name));
    if (amount === undefined || amount > each.value) return undefined;
    share.set(name, amount);
  }
  return share;
}

const NOTHING: Share = new Map();

/** What is not asked for is the policy's default, or all there is. */
function amountOf({ value, policy }: DeviceCapacity, asked: Quantity | undefined): Quantity | undefined {
  if (asked === undefined) return policy?.default ?? value;
  return policy === undefined ? asked : roundedUp(policy, asked);
}

/** The least amount that the policy allows and that is enough. */
function roundedUp({ validValues, range }: CapacityPolicy, asked: Quantity): Quantity | undefined {
  if (validValues !== undefined) return validValues.find((value) => value >= asked);
  if (range === undefined) return asked;
  const { min, max, step } = range;
  let amount = asked < min ? min : asked;
  if (step !== undefined && step > 0n && amount > min)
    amount = min + ((amount - min + step - 1n) / step) * step;
  return max !== undefined && amount > max ? undefined : amount;
}

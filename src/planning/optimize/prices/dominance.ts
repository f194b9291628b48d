/** Which machines are worth looking at: those that no other of the same signature and account beats in everything. */
import type { Machines } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

/** Widths of the rows of `Machines`. */
export interface MachineWidths {
  readonly resources: number;
  readonly zones: number;
  /** `Accounts.width`. */
  readonly limits: number;
}

/**
 * Machines, ascending, that remain when every machine is dropped that another of its signature and account equals or
 * beats in all of capacity, price in every zone, and charge. Exact: whatever a dropped machine may hold, the one that
 * beats it holds for no more. Of equal machines the first remains.
 */
export function undominated(machines: Machines, widths: MachineWidths): Int32Array {
  const cheapest = cheapestPrices(machines, widths.zones);
  const order = Int32Array.from({ length: machines.count }, (_, machine) => machine);
  order.sort(
    (one, other) =>
      whole(machines.signature, one) - whole(machines.signature, other) ||
      whole(machines.account, one) - whole(machines.account, other) ||
      compareNumbers(real(cheapest, one), real(cheapest, other)) ||
      compareRest(machines, widths, one, other),
  );
  const kept = new Int32Array(machines.count);
  let count = 0;
  let first = 0;
  for (const machine of order) {
    if (count > 0 && !isSameKind(machines, whole(kept, count - 1), machine)) first = count;
    let isBeaten = false;
    // Those next to it in price beat it most often.
    for (let at = count - 1; at >= first && !isBeaten; at--)
      isBeaten = beats(machines, widths, whole(kept, at), machine);
    if (!isBeaten) kept[count++] = machine;
  }
  return kept.slice(0, count).sort();
}

function cheapestPrices({ count, price }: Machines, zones: number): Float64Array {
  const cheapest = new Float64Array(count).fill(Infinity);
  for (let at = 0; at < count * zones; at++) {
    const machine = Math.floor(at / zones);
    if (real(price, at) < real(cheapest, machine)) cheapest[machine] = real(price, at);
  }
  return cheapest;
}

function compareNumbers(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isSameKind({ signature, account }: Machines, one: number, other: number): boolean {
  return signature[one] === signature[other] && account[one] === account[other];
}

/** Of equal kind and cheapest price: an order in which every machine comes after those that beat it. */
function compareRest(machines: Machines, widths: MachineWidths, one: number, other: number): number {
  return (
    compareRows(machines.price, widths.zones, one, other) ||
    compareRows(machines.capacity, widths.resources, other, one) ||
    compareRows(machines.charge, widths.limits, one, other) ||
    one - other
  );
}

function compareRows(values: Float64Array, width: number, one: number, other: number): number {
  for (let index = 0; index < width; index++) {
    const a = real(values, one * width + index);
    const b = real(values, other * width + index);
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

function beats(machines: Machines, widths: MachineWidths, one: number, other: number): boolean {
  return (
    isNowhereAbove(machines.capacity, widths.resources, other, one) &&
    isNowhereAbove(machines.price, widths.zones, one, other) &&
    isNowhereAbove(machines.charge, widths.limits, one, other)
  );
}

function isNowhereAbove(values: Float64Array, width: number, one: number, other: number): boolean {
  for (let index = 0; index < width; index++) {
    if (real(values, one * width + index) > real(values, other * width + index)) return false;
  }
  return true;
}

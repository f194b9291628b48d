/** Which bin types are worth looking at: those that no other of the same signature and account beats in everything. */
import type { BinTypes } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

/** Widths of the rows of `BinTypes`. */
export interface BinTypeWidths {
  readonly resources: number;
  readonly zones: number;
  /** `Accounts.width`. */
  readonly limits: number;
}

/**
 * Bin types, ascending, that remain when every bin type is dropped that another of its signature and account equals or
 * beats in all of capacity, price in every zone, and charge. Exact: whatever a dropped bin type may hold, the one that
 * beats it holds for no more. Of equal bin types the first remains.
 */
export function undominated(binTypes: BinTypes, widths: BinTypeWidths): Int32Array {
  const cheapest = cheapestPrices(binTypes, widths.zones);
  const order = Int32Array.from({ length: binTypes.count }, (_, binType) => binType);
  order.sort(
    (one, other) =>
      whole(binTypes.signature, one) - whole(binTypes.signature, other) ||
      whole(binTypes.account, one) - whole(binTypes.account, other) ||
      compareNumbers(real(cheapest, one), real(cheapest, other)) ||
      compareRest(binTypes, widths, one, other),
  );
  const kept = new Int32Array(binTypes.count);
  let count = 0;
  let first = 0;
  for (const binType of order) {
    if (count > 0 && !isSameKind(binTypes, whole(kept, count - 1), binType)) first = count;
    let isBeaten = false;
    // Those next to it in price beat it most often.
    for (let at = count - 1; at >= first && !isBeaten; at--)
      isBeaten = beats(binTypes, widths, whole(kept, at), binType);
    if (!isBeaten) kept[count++] = binType;
  }
  return kept.slice(0, count).sort();
}

function cheapestPrices({ count, price }: BinTypes, zones: number): Float64Array {
  const cheapest = new Float64Array(count).fill(Infinity);
  for (let at = 0; at < count * zones; at++) {
    const binType = Math.floor(at / zones);
    if (real(price, at) < real(cheapest, binType)) cheapest[binType] = real(price, at);
  }
  return cheapest;
}

function compareNumbers(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isSameKind({ signature, account }: BinTypes, one: number, other: number): boolean {
  return signature[one] === signature[other] && account[one] === account[other];
}

/** Of equal kind and cheapest price: an order in which every bin type comes after those that beat it. */
function compareRest(binTypes: BinTypes, widths: BinTypeWidths, one: number, other: number): number {
  return (
    compareRows(binTypes.price, widths.zones, one, other) ||
    compareRows(binTypes.capacity, widths.resources, other, one) ||
    compareRows(binTypes.charge, widths.limits, one, other) ||
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

function beats(binTypes: BinTypes, widths: BinTypeWidths, one: number, other: number): boolean {
  return (
    isNowhereAbove(binTypes.capacity, widths.resources, other, one) &&
    isNowhereAbove(binTypes.price, widths.zones, one, other) &&
    isNowhereAbove(binTypes.charge, widths.limits, one, other)
  );
}

function isNowhereAbove(values: Float64Array, width: number, one: number, other: number): boolean {
  for (let index = 0; index < width; index++) {
    if (real(values, one * width + index) > real(values, other * width + index)) return false;
  }
  return true;
}

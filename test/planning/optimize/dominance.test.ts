import fc from 'fast-check';
import type { BinTypes } from '../../../src/planning/optimize/problem/bin-problem.js';
import { undominated } from '../../../src/planning/optimize/prices/dominance.js';
import { randomBinProblem } from './random-bin-problem.js';

interface BinTypeRow {
  readonly capacity: readonly number[];
  readonly price: readonly number[];
  readonly signature?: number;
  readonly account?: number;
  readonly charge?: number;
}

/** Two resources, one limit. */
function binTypesOf(rows: readonly BinTypeRow[]): BinTypes {
  return {
    count: rows.length,
    capacity: Float64Array.from(rows.flatMap(({ capacity }) => capacity)),
    price: Float64Array.from(rows.flatMap(({ price }) => price)),
    signature: Int32Array.from(rows, ({ signature }) => signature ?? 0),
    account: Int32Array.from(rows, ({ account }) => account ?? -1),
    charge: Float64Array.from(rows, ({ charge }) => charge ?? 0),
  };
}

function keptOf(rows: readonly BinTypeRow[]): number[] {
  const zones = rows[0]?.price.length ?? 0;
  return Array.from(undominated(binTypesOf(rows), { resources: 2, zones, limits: 1 }));
}

describe('of the bin types that can be bought', () => {
  it('one that is smaller and no cheaper than another is dropped', () => {
    expect(
      keptOf([
        { capacity: [4, 8], price: [1] },
        { capacity: [4, 9], price: [1] },
      ]),
    ).toEqual([1]);
  });

  it('one that is cheaper in some zone stays', () => {
    const small = { capacity: [4, 8], price: [1, 0.5] };
    expect(keptOf([small, { capacity: [8, 16], price: [0.9, 0.6] }])).toEqual([0, 1]);
  });

  it('one that is offered where the other is not stays', () => {
    const small = { capacity: [4, 8], price: [1, 1] };
    expect(keptOf([small, { capacity: [8, 16], price: [0.5, Infinity] }])).toEqual([0, 1]);
  });

  it('one that other items may use stays', () => {
    const worse = { capacity: [4, 8], price: [1], signature: 1 };
    expect(keptOf([{ capacity: [8, 16], price: [0.5] }, worse])).toEqual([0, 1]);
  });

  it('one that is charged to another account, or less to the same, stays', () => {
    const better = { capacity: [8, 16], price: [0.5], account: 0, charge: 8 };
    const otherAccount = { capacity: [4, 8], price: [1], account: 1, charge: 8 };
    const lighter = { capacity: [4, 8], price: [1], account: 0, charge: 4 };
    const heavier = { capacity: [4, 8], price: [1], account: 0, charge: 9 };
    expect(keptOf([better, otherAccount, lighter, heavier])).toEqual([0, 1, 2]);
  });

  it('the first of equal ones stays', () => {
    const row = { capacity: [4, 8], price: [1] };
    expect(keptOf([row, row, row])).toEqual([0]);
  });

  it('exactly those are dropped that another of their kind equals or beats in everything', () => {
    fc.assert(
      fc.property(randomBinProblem({ classes: 1, items: 1, caps: false, small: true }), (problem) => {
        const { binTypes, resources, zones, accounts } = problem;
        const widths = { resources, zones, limits: accounts.limits };
        const all = Array.from({ length: binTypes.count }, (_, binType) => binType);
        const expected = all.filter(
          (binType) => !all.some((other) => other !== binType && beats(binTypes, widths, other, binType)),
        );
        expect(Array.from(undominated(binTypes, widths))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether `one` is of the other's kind and nowhere worse; of two equal ones, the first. */
function beats(
  binTypes: BinTypes,
  widths: { readonly resources: number; readonly zones: number; readonly limits: number },
  one: number,
  other: number,
): boolean {
  const row = (values: Float64Array, width: number, binType: number): number[] =>
    Array.from(values.subarray(binType * width, (binType + 1) * width));
  const wishes = (binType: number): number[] => [
    ...row(binTypes.capacity, widths.resources, binType),
    ...row(binTypes.price, widths.zones, binType).map((price) => -price),
    ...row(binTypes.charge, widths.limits, binType).map((charge) => -charge),
  ];
  const [mine, theirs] = [wishes(one), wishes(other)];
  const isSameKind =
    binTypes.signature[one] === binTypes.signature[other] &&
    binTypes.account[one] === binTypes.account[other];
  const isNowhereWorse = mine.every((wish, index) => wish >= (theirs[index] ?? 0));
  const isEqual = mine.every((wish, index) => wish === theirs[index]);
  return isSameKind && isNowhereWorse && (!isEqual || one < other);
}

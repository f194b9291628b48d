import fc from 'fast-check';
import { coverPrices, type CoverProgram } from '../../../src/planning/optimize/prices/linear-program.js';

interface Offer {
  readonly capacity: readonly number[];
  readonly price: number;
}

/** Two axes, each with a row of its own; all offers are in one place. */
function program(demand: readonly [number, number], offers: readonly Offer[]): CoverProgram {
  return {
    rows: 2,
    demand: Float64Array.from(demand),
    axes: 2,
    offers: offers.length,
    capacity: Float64Array.from(offers.flatMap(({ capacity }) => capacity)),
    price: Float64Array.from(offers, ({ price }) => price),
    place: new Int32Array(offers.length),
    places: 1,
    firstChoice: Int32Array.of(0, 1, 2),
    choices: Int32Array.of(0, 1),
  };
}

/** The least price of covering both rows, by trying every pair of offers: two rows need two at most. */
function leastByPairs([first, second]: readonly [number, number], offers: readonly Offer[]): number {
  let least = Infinity;
  const [a, b] = [0, 1];
  for (const one of offers) {
    const alone = Math.max(first / (one.capacity[a] ?? 0), second / (one.capacity[b] ?? 0));
    least = Math.min(least, alone * one.price);
    for (const other of offers) {
      const [p, q, r, s] = [
        one.capacity[a] ?? 0,
        other.capacity[a] ?? 0,
        one.capacity[b] ?? 0,
        other.capacity[b] ?? 0,
      ];
      const determinant = p * s - q * r;
      const x = (first * s - q * second) / determinant;
      const y = (p * second - first * r) / determinant;
      if (x >= 0 && y >= 0) least = Math.min(least, x * one.price + y * other.price);
    }
  }
  return least;
}

const amount = fc.integer({ min: 1, max: 40 });
const offers = fc.array(
  fc.record({ capacity: fc.tuple(amount, amount), price: amount.map((cents) => cents / 10) }),
  { minLength: 1, maxLength: 12 },
);

describe('the prices of a covering program', () => {
  it('reach the least price of a cover', () => {
    fc.assert(
      fc.property(fc.tuple(amount, amount), offers, (demand, choice) => {
        const { bound } = coverPrices(program(demand, choice), 100);
        const least = leastByPairs(demand, choice);
        expect(bound).toBeLessThanOrEqual(least * (1 + 1e-9));
        expect(bound).toBeGreaterThan(least * 0.999);
      }),
      { numRuns: 500 },
    );
  });

  it('make no offer worth more than its price, whenever they are asked for', () => {
    fc.assert(
      fc.property(
        fc.tuple(amount, amount),
        offers,
        fc.integer({ min: 0, max: 5 }),
        (demand, choice, pivots) => {
          const { duals } = coverPrices(program(demand, choice), pivots);
          for (const { capacity, price } of choice) {
            const worth = capacity.reduce((sum, room, axis) => sum + room * (duals[axis] ?? 0), 0);
            expect(worth).toBeLessThanOrEqual(price * (1 + 1e-9));
          }
        },
      ),
    );
  });

  it('come with a cover that costs what they say', () => {
    fc.assert(
      fc.property(fc.tuple(amount, amount), offers, (demand, choice) => {
        const { bought, bound } = coverPrices(program(demand, choice), 100);
        const total = choice.reduce((sum, { price }, offer) => sum + price * (bought[offer] ?? 0), 0);
        expect(total).toBeLessThanOrEqual(bound * 1.001);
        for (const axis of [0, 1]) {
          const covered = choice.reduce(
            (sum, { capacity }, offer) => sum + (capacity[axis] ?? 0) * (bought[offer] ?? 0),
            0,
          );
          expect(covered).toBeGreaterThan((demand[axis] ?? 0) * (1 - 1e-9));
        }
      }),
    );
  });

  it('do not depend on what was solved before', () => {
    fc.assert(
      fc.property(fc.tuple(amount, amount), offers, offers, (demand, one, other) => {
        const before = coverPrices(program(demand, one), 100);
        coverPrices(program(demand, other), 100);
        expect(coverPrices(program(demand, one), 100)).toEqual(before);
      }),
    );
  });
});

/** Dual prices: never more than nodes cost, always a lower bound, and the best one there is. */
import fc from 'fast-check';
import { resourcePrices, type PricedCapacity } from '../../../src/planning/model/launch/resource-prices.js';

interface Instance {
  readonly demand: readonly number[];
  /** Capacity per resource, then the price. */
  readonly nodes: readonly { readonly capacity: readonly number[]; readonly price: number }[];
}

function instances(width: number): fc.Arbitrary<Instance> {
  const amounts = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: width, maxLength: width });
  return fc.record({
    demand: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: width, maxLength: width }),
    nodes: fc.array(fc.record({ capacity: amounts, price: fc.integer({ min: 1, max: 20 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
  });
}

function solve({ demand, nodes }: Instance): ReturnType<typeof resourcePrices> {
  return resourcePrices(Float64Array.from(demand), columns(nodes));
}

function columns(nodes: Instance['nodes']): PricedCapacity {
  return {
    capacity: Float64Array.from(nodes.flatMap(({ capacity }) => capacity)),
    price: Float64Array.from(nodes, ({ price }) => price),
  };
}

function dot(left: ArrayLike<number>, right: ArrayLike<number>): number {
  return Array.from(left).reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

/** Least price of whole nodes that cover the demand; Infinity when none do. */
function cheapestCover({ demand, nodes }: Instance): number {
  const [first, ...rest] = nodes;
  if (demand.every((amount) => amount <= 0)) return 0;
  if (first === undefined) return Infinity;
  let best = Infinity;
  for (let count = 0; count <= 9; count++) {
    const left = demand.map((amount, resource) => amount - count * (first.capacity[resource] ?? 0));
    best = Math.min(best, count * first.price + cheapestCover({ demand: left, nodes: rest }));
  }
  return best;
}

/** The largest value of the demand at prices under which no node is worth more than it costs, for two resources. */
function bestBound({ demand, nodes }: Instance): number {
  const lines = [
    ...nodes.map(({ capacity: [a = 0, b = 0], price }) => ({ a, b, c: price })),
    { a: 1, b: 0, c: 0 },
    { a: 0, b: 1, c: 0 },
  ];
  let best = 0;
  for (const left of lines) {
    for (const right of lines) {
      const determinant = left.a * right.b - left.b * right.a;
      if (determinant === 0) continue;
      const prices = [
        (left.c * right.b - left.b * right.c) / determinant,
        (left.a * right.c - left.c * right.a) / determinant,
      ];
      const feasible =
        prices.every((price) => price >= -1e-9) &&
        nodes.every(({ capacity, price }) => dot(capacity, prices) <= price + 1e-9);
      if (feasible) best = Math.max(best, dot(demand, prices));
    }
  }
  return best;
}

const tiny = fc.integer({ min: 1, max: 3 }).chain(instances);

describe('resourcePrices', () => {
  test('prices no resource below zero, and no node above what it costs', () => {
    fc.assert(
      fc.property(tiny, (instance) => {
        const { perUnit } = solve(instance);
        for (const price of perUnit) expect(price).toBeGreaterThanOrEqual(0);
        for (const { capacity, price } of instance.nodes)
          expect(dot(capacity, perUnit)).toBeLessThanOrEqual(price * (1 + 1e-9));
      }),
    );
  });

  test('states the value of the demand as the bound', () => {
    fc.assert(
      fc.property(tiny, (instance) => {
        const { perUnit, lowerBound } = solve(instance);
        expect(lowerBound).toBeCloseTo(dot(instance.demand, perUnit), 9);
      }),
    );
  });

  test('bounds the price of every choice of whole nodes that covers the demand', () => {
    fc.assert(
      fc.property(tiny, (instance) => {
        expect(solve(instance).lowerBound).toBeLessThanOrEqual(cheapestCover(instance) + 1e-9);
      }),
    );
  });

  test('finds the highest bound for two resources that are both offered', () => {
    const offered = instances(2).filter(({ nodes }) =>
      [0, 1].every((resource) => nodes.some(({ capacity }) => (capacity[resource] ?? 0) > 0)),
    );
    fc.assert(
      fc.property(offered, (instance) => {
        expect(solve(instance).lowerBound).toBeCloseTo(bestBound(instance), 6);
      }),
    );
  });

  test('does not depend on the units that a resource is counted in', () => {
    fc.assert(
      fc.property(instances(2), ({ demand, nodes }) => {
        const scale = (amounts: readonly number[]): number[] =>
          amounts.map((amount, index) => amount * (index === 1 ? 2 ** 30 : 1));
        const scaled = {
          demand: scale(demand),
          nodes: nodes.map(({ capacity, price }) => ({ capacity: scale(capacity), price })),
        };
        expect(solve(scaled).lowerBound).toBeCloseTo(solve({ demand, nodes }).lowerBound, 6);
      }),
    );
  });

  test('takes fractions of the node that is cheapest for one resource', () => {
    const nodes = [
      { capacity: [4], price: 10 },
      { capacity: [6], price: 12 },
    ];
    expect(solve({ demand: [9], nodes })).toEqual({ perUnit: Float64Array.of(2), lowerBound: 18 });
  });

  test('asks nothing for what is not in demand', () => {
    const { perUnit } = solve({ demand: [4, 0], nodes: [{ capacity: [2, 8], price: 3 }] });
    expect([...perUnit]).toEqual([1.5, 0]);
  });

  test('is zero where there is nothing to buy or nothing in demand', () => {
    expect(solve({ demand: [3, 3], nodes: [] }).lowerBound).toBe(0);
    expect(solve({ demand: [0, 0], nodes: [{ capacity: [1, 1], price: 1 }] }).lowerBound).toBe(0);
  });

  test('stays finite where a node costs nothing', () => {
    const nodes = [
      { capacity: [2, 2], price: 0 },
      { capacity: [2, 2], price: 5 },
    ];
    const { perUnit, lowerBound } = solve({ demand: [3, 4], nodes });
    expect([...perUnit, lowerBound]).toEqual([0, 0, 0]);
  });
});

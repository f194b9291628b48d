/** Price changes and the order of overlays. */
import * as fc from 'fast-check';
import { adjustedPrice, inPrecedence, type PriceChange } from '../../../src/domain/policies/node-overlay.js';
import { nodeOverlay } from '../../support/builders/node-overlay.js';

const changes: fc.Arbitrary<PriceChange> = fc.oneof(
  fc.record({ kind: fc.constant('absolute' as const), value: fc.double({ min: 0, max: 50, noNaN: true }) }),
  fc.record({
    kind: fc.constant('difference' as const),
    value: fc.double({ min: -50, max: 50, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('percentage' as const),
    value: fc.double({ min: -100, max: 300, noNaN: true }),
  }),
);
const prices = fc.double({ min: 0, max: 100, noNaN: true });

describe('adjustedPrice', () => {
  test.each<[PriceChange, number]>([
    [{ kind: 'absolute', value: 0.05 }, 0.05],
    [{ kind: 'absolute', value: 0 }, 0],
    [{ kind: 'difference', value: 0.02 }, 0.116],
    [{ kind: 'difference', value: -0.2 }, 0],
    [{ kind: 'percentage', value: -10 }, 0.0864],
    [{ kind: 'percentage', value: 25 }, 0.12],
    [{ kind: 'percentage', value: -100 }, 0],
  ])('by %j makes 0.096 into %d', (change, expected) => {
    expect(adjustedPrice(0.096, change)).toBe(expected);
  });

  test('is never negative, and never puts a more expensive offering before a cheaper one', () => {
    fc.assert(
      fc.property(prices, prices, changes, (left, right, change) => {
        const [low, high] = [Math.min(left, right), Math.max(left, right)];
        expect(adjustedPrice(low, change)).toBeGreaterThanOrEqual(0);
        expect(adjustedPrice(low, change)).toBeLessThanOrEqual(adjustedPrice(high, change));
      }),
    );
  });
});

describe('inPrecedence', () => {
  test('puts higher weights first, and of equal weights the name later in the alphabet', () => {
    const overlays = [
      nodeOverlay({ name: 'a', weight: 1 }),
      nodeOverlay({ name: 'c', weight: 1 }),
      nodeOverlay({ name: 'b', weight: 5 }),
    ];
    expect(inPrecedence(overlays).map(({ name }) => name)).toEqual(['b', 'c', 'a']);
  });
});

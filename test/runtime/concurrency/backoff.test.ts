import fc from 'fast-check';
import { backoffMillis } from '../../../src/runtime/concurrency/backoff.js';
import { constantRandom } from '../../support/constant-random.js';

describe('backoffMillis', () => {
  test('doubles with every failure, up to the maximum', () => {
    const random = constantRandom(0.999_999_999);
    const delays = [1, 2, 3, 4, 5, 2000].map((attempt) =>
      Math.round(backoffMillis({ attempt, baseMillis: 100, maxMillis: 1000, random })),
    );
    expect(delays).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  test('lies between one half of the whole delay and all of it, whatever comes up', () => {
    const input = fc.record({
      attempt: fc.integer({ min: 1, max: 5000 }),
      baseMillis: fc.integer({ min: 1, max: 60_000 }),
      maxMillis: fc.integer({ min: 1, max: 600_000 }),
      chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(input, ({ chance, ...rest }) => {
        const delay = backoffMillis({ ...rest, random: constantRandom(chance) });
        const whole = Math.min(rest.baseMillis * 2 ** (rest.attempt - 1), rest.maxMillis);
        expect(delay).toBeGreaterThanOrEqual(whole / 2);
        expect(delay).toBeLessThanOrEqual(whole);
      }),
    );
  });
});

import fc from 'fast-check';
import { isOlder } from '../../../src/domain/values/resource-version.js';

describe('isOlder', () => {
  test('compares as numbers of any length, exactly as BigInt does', () => {
    const version = fc.bigInt({ min: 1n, max: 10n ** 30n });
    fc.assert(
      fc.property(version, version, (left, right) => {
        expect(isOlder(String(left), String(right))).toBe(left < right);
      }),
    );
  });

  test.each([
    ['', '5'],
    ['5', ''],
    ['abc', '5'],
    ['04', '5'],
    ['-1', '5'],
  ])('finds nothing older where %j or %j is no number', (left, right) => {
    expect(isOlder(left, right)).toBe(false);
  });
});

import fc from 'fast-check';
import { isOlder } from '../../../../src/adapters/kube/transport/resource-version.js';

describe('isOlder', () => {
  test('compares as numbers, however large', () => {
    const version = fc.bigInt({ min: 1n, max: 2n ** 64n });
    fc.assert(
      fc.property(version, version, (one, other) => {
        expect(isOlder(String(one), String(other))).toBe(one < other);
      }),
    );
  });

  test('says nothing of versions that are not numbers', () => {
    expect([isOlder('a', 'b'), isOlder('b', 'a'), isOlder('', '1'), isOlder('1', 'a')]).not.toContain(true);
  });
});

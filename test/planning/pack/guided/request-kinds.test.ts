/** Requests have the same number exactly when they are the same. */
import fc from 'fast-check';
import { RequestKinds } from '../../../../src/planning/pack/guided/resource-axis.js';

/** Few different amounts, some of them beyond 32 bits, so that equal vectors are frequent. */
const amount = fc.constantFrom(0, 1, 250, 2 ** 31, 2 ** 32, 3 * 2 ** 32, 2 ** 40 + 1);
const vectors = fc.array(fc.tuple(amount, amount, amount), { maxLength: 200 });

describe('RequestKinds', () => {
  test('tells requests apart by their amounts, however many there are', () => {
    fc.assert(
      fc.property(vectors, (rows) => {
        const kinds = new RequestKinds([]);
        const seen = new Map<string, number>();
        for (const row of rows) {
          const kind = kinds.of(Float64Array.from(row));
          expect(seen.get(row.join()) ?? kind).toBe(kind);
          seen.set(row.join(), kind);
        }
        expect(new Set(seen.values()).size).toBe(seen.size);
        expect(kinds.count).toBe(seen.size);
      }),
    );
  });
});

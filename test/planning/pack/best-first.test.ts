/** The heap that ranks columns: it gives what sorting gives. */
import fc from 'fast-check';
import { BestFirst } from '../../../src/planning/pack/choose-column.js';

test('items come in order, each once, and then none', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), (items) => {
      const ranking = new BestFirst([...items], (left, right) => left < right);
      expect(items.map(() => ranking.next())).toEqual(items.toSorted((left, right) => left - right));
      expect(ranking.next()).toBeUndefined();
    }),
  );
});

/** Names and scores as they go over the wire. */
import fc from 'fast-check';
import {
  boundsOf,
  firstNames,
  hostPriorityList,
  textOfNames,
} from '../../../src/servers/extender/wire-names.js';

const scored = fc.array(
  fc.record({ Host: fc.string({ unit: 'binary', maxLength: 12 }), Score: fc.integer({ min: 0, max: 12 }) }),
);

describe('hostPriorityList', () => {
  test('has each name with a score above zero, whatever the names are', () => {
    fc.assert(
      fc.property(scored, (hosts) => {
        const names = textOfNames(hosts.map(({ Host }) => Host));
        const scores = Uint8Array.from(hosts, ({ Score }) => Score);
        const list = hostPriorityList(names, boundsOf(names), scores);
        expect(JSON.parse(Buffer.from(list, 'latin1').toString())).toEqual(
          hosts.filter(({ Score }) => Score > 0),
        );
      }),
    );
  });
});

test('firstNames has the first of the names, whatever they are, and all where they are no more', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 12 })),
      fc.integer({ min: 1, max: 12 }),
      (names, most) => {
        const { bytes, count } = firstNames(textOfNames(names), most);
        expect(JSON.parse(`[${bytes.toString()}]`)).toEqual(names.slice(0, most));
        expect(count).toBe(Math.min(names.length, most));
      },
    ),
  );
});

import fc from 'fast-check';
import { SortedObjects } from '../../../src/planning/snapshot/sorted-objects.js';

interface Item {
  readonly name: string;
}

const nameOf = ({ name }: Item): string => name;
const items = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, index) => ({ name: `item-${String((index * 7919) % count)}` }));

test('whatever lists come after each other, each is sorted by its keys, and equal keys stay as they are given', () => {
  const pool = [...items(90), ...items(12)];
  const list = fc.oneof(
    fc.shuffledSubarray(pool),
    fc.subarray(pool),
    // With most objects where they were.
    fc.subarray(pool, { minLength: 96 }),
    fc.array(fc.constantFrom(...pool), { maxLength: 20 }),
  );
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 8 }), (lists) => {
      const sorted = new SortedObjects(nameOf);
      for (const given of lists) {
        const expected = [...given].sort((left, right) =>
          left.name === right.name ? 0 : left.name < right.name ? -1 : 1,
        );
        const { objects, keys } = sorted.sort(given);
        expect(objects).toHaveLength(expected.length);
        // Identity, not content: two objects may have one name.
        expect(objects.every((object, index) => object === expected[index])).toBe(true);
        expect(keys).toEqual(expected.map(nameOf));
      }
    }),
  );
});

describe('of what was known before', () => {
  const count = 500;

  function counting(): { readonly sorted: SortedObjects<Item>; readonly asked: () => number } {
    let asked = 0;
    const sorted = new SortedObjects<Item>((item) => {
      asked++;
      return item.name;
    });
    return { sorted, asked: () => asked };
  }

  test('the same objects give the same lists, in whatever order they come', () => {
    const all = items(count);
    const sorted = new SortedObjects(nameOf);
    const before = sorted.sort(all);
    expect(sorted.sort([...all].reverse())).toBe(before);
  });

  test.each([
    ['stand where they stood', (all: readonly Item[]) => all],
    ['come in another order', (all: readonly Item[]) => [...all].reverse()],
    ['follow many that are gone', (all: readonly Item[]) => all.slice(100)],
    [
      'stand among many that are new',
      (all: readonly Item[]) => all.map((item, at) => (at % 5 ? item : { name: `new-${String(at)}` })),
    ],
    [
      'follow many that are replaced',
      (all: readonly Item[]) => all.map((item, at) => (at < 100 ? { ...item } : item)),
    ],
  ])('no key is asked for of objects that %s', (_, change) => {
    const all = items(count);
    const { sorted, asked } = counting();
    sorted.sort(all);
    const next = change(all);
    const fresh = next.filter((item) => !all.includes(item)).length;
    sorted.sort(next);
    expect(asked()).toBe(count + fresh);
  });
});

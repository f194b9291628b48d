import fc from 'fast-check';
import { ListSplitter } from '../../../../src/adapters/kube/transport/watch/list-splitter.js';

/** All items that the pieces of a text complete, and the list without them. */
function split(
  text: string,
  cuts: readonly number[] = [],
): { readonly items: readonly unknown[]; readonly list: unknown } {
  const bytes = Buffer.from(text);
  const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  const splitter = new ListSplitter(10_000);
  const items = edges.slice(1).flatMap((end, index) => splitter.push(bytes.subarray(edges[index], end)));
  return { items, list: splitter.end() };
}

describe('ListSplitter', () => {
  test('finds what JSON.parse finds, wherever the bytes are cut, whatever the order and the spaces', () => {
    const item = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 4 });
    const cuts = fc.array(fc.nat({ max: 400 }));
    const shape = fc.record({ isFirst: fc.boolean(), indent: fc.nat(3) });
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1 }),
        cuts,
        shape,
        ([other, ...items], at, { isFirst, indent }) => {
          // `items` inside another field are no items of the list.
          const rest = { metadata: { resourceVersion: '7', items: [other] }, kind: 'ThingList' };
          const list = isFirst ? { items, ...rest } : { ...rest, items };
          const found = split(JSON.stringify(list, undefined, indent), at);
          expect(found.items).toEqual(JSON.parse(JSON.stringify(items)));
          expect(found.list).toEqual(JSON.parse(JSON.stringify({ ...rest, items: [] })));
        },
      ),
    );
  });

  test('takes null for no items', () => {
    const text = '{"metadata":{"resourceVersion":"7"},"items":null}';
    expect(split(text)).toEqual({ items: [], list: { metadata: { resourceVersion: '7' }, items: null } });
  });

  test.each([
    ['an answer that breaks off', '{"metadata":{},"items":[{"a":1},{"a"'],
    ['an answer that breaks off between items', '{"metadata":{},"items":[{"a":1},'],
    ['items that are no objects', '{"metadata":{},"items":[{"a":1},5]}'],
    ['a page of a proxy', '<html>no</html>'],
    ['nothing', ''],
    ['an array', '[{"a":1}]'],
    ['an item that is too long', `{"items":[{"a":"${'x'.repeat(10_000)}"}]}`],
  ])('refuses %s', (_, text) => {
    expect(() => split(text)).toThrow(Error);
  });
});

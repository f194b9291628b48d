import fc from 'fast-check';
import { editedList, ListEditor } from '../../../src/adapters/planner/list-edit.js';

const OBJECTS = ['x0', 'x1', 'x2', 'x3', 'x4'];
const BEFORE = ['a', 'b', 'c', 'd'];

interface Element {
  readonly from: 'before' | 'objects';
  readonly index: number;
}

const list = fc.array(
  fc.oneof(
    fc.record({ from: fc.constant('before' as const), index: fc.nat(BEFORE.length - 1) }),
    fc.record({ from: fc.constant('objects' as const), index: fc.nat(OBJECTS.length - 1) }),
  ),
);

function edited(elements: readonly Element[]): ListEditor {
  const editor = new ListEditor();
  for (const { from, index } of elements) {
    if (from === 'before') editor.repeat(index);
    else editor.insert(index);
  }
  return editor;
}

describe('an edited list', () => {
  test('is the list that was told', () => {
    fc.assert(
      fc.property(list, (elements) => {
        const told = elements.map(({ from, index }) => (from === 'before' ? BEFORE : OBJECTS)[index]);
        const edit = edited(elements).done(BEFORE.length);
        expect(edit === undefined ? BEFORE : editedList(edit, BEFORE, OBJECTS)).toEqual(told);
      }),
    );
  });

  test('is told in one pair for each stretch, and not at all when it is the list before', () => {
    const all = BEFORE.map((_, index): Element => ({ from: 'before', index }));
    const three = [0, 1, 2].map((index): Element => ({ from: 'objects', index }));
    expect(edited(all).done(4)).toBeUndefined();
    expect(edited([]).done(0)).toBeUndefined();
    expect([...(edited(all).done(5) ?? [])]).toEqual([0, 4]);
    expect([...(edited([...three, ...all.slice(2)]).done(4) ?? [])]).toEqual([-3, 0, 2, 2]);
    expect(edited([]).done(4)).toHaveLength(0);
  });
});

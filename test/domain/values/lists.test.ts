import { append, groupBy } from '../../../src/domain/values/lists.js';

test('items are listed by their key, in their order', () => {
  expect([...groupBy(['ab', 'c', 'de', 'f'], ({ length }) => length)]).toEqual([
    [2, ['ab', 'de']],
    [1, ['c', 'f']],
  ]);
});

test('an item is appended to the list of its key, which is made for the first', () => {
  const lists = new Map([['a', [1]]]);
  append(lists, 'a', 2);
  append(lists, 'b', 3);
  expect([...lists]).toEqual([
    ['a', [1, 2]],
    ['b', [3]],
  ]);
});

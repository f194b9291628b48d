import fc from 'fast-check';
import { sameContent } from '../../../src/adapters/planner/same-content.js';
import { text } from './text.js';

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, 'a', 'b', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    fc.array(fc.tuple(fc.constantFrom('a', 'b'), tie('value'))).map((entries) => new Map(entries)),
    fc.array(fc.constantFrom('a', 'b', 'c')).map((elements) => new Set(elements)),
  ),
}));

function copied(original: unknown): unknown {
  if (typeof original !== 'object' || original === null) return original;
  if (Array.isArray(original)) return original.map(copied);
  if (original instanceof Map) return new Map([...original].map(([key, member]) => [key, copied(member)]));
  if (original instanceof Set) return new Set(original);
  return Object.fromEntries(Object.entries(original).map(([name, member]) => [name, copied(member)]));
}

describe('sameContent', () => {
  test('holds of a value and its copy', () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(sameContent(one, copied(one))).toBe(true);
      }),
    );
  });

  test('holds of two values exactly when they say the same', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(sameContent(one, other)).toBe(text(one) === text(other));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['an absent member', { a: undefined }, { b: undefined }],
    ['a list and a record', [1], { 0: 1 }],
    ['a record and a Map', {}, new Map()],
    ['a Set and a Map', new Set(), new Map()],
    [
      'Maps in another order',
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 2],
        ['a', 1],
      ]),
    ],
    ['zeros of two signs', 0, -0],
  ])('tells %s', (_what, one, other) => {
    expect([sameContent(one, other), sameContent(other, one)]).toEqual([false, false]);
  });
});

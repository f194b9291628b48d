/** Laws of patches, and the examples of their RFCs. */
import * as fc from 'fast-check';
import { applyJsonPatch } from '../../../../world/kubernetes/patching/json-patch.js';
import { applyMergePatch } from '../../../../world/kubernetes/patching/merge-patch.js';
import { applyStrategicMergePatch } from '../../../../world/kubernetes/patching/strategic-merge-patch.js';

const key = fc.constantFrom('a', 'b', 'c/d', 'e~f');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(1, 'text', true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });

function pointer(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

describe('applyJsonPatch', () => {
  test('what is added is there, and what is removed again was never there', () => {
    fc.assert(
      fc.property(object, key, value, (document, field, added) => {
        const path = pointer(field);
        const after = applyJsonPatch(document, [
          { op: 'add', path, value: added },
          { op: 'test', path, value: added },
        ]);
        expect(after).toEqual({ ...document, [field]: added });
        const rest = Object.fromEntries(Object.entries(document).filter(([each]) => each !== field));
        expect(applyJsonPatch(after, [{ op: 'remove', path }])).toEqual(rest);
      }),
    );
  });

  test('leaves what it is applied to as it was', () => {
    fc.assert(
      fc.property(object, key, value, (document, field, added) => {
        const before = JSON.stringify(document);
        applyJsonPatch(document, [{ op: 'add', path: pointer(field), value: added }]);
        expect(JSON.stringify(document)).toBe(before);
      }),
    );
  });

  test.each([
    ['inserts into a list', { l: [1, 2] }, [{ op: 'add', path: '/l/1', value: 9 }], { l: [1, 9, 2] }],
    ['appends to a list', { l: [1] }, [{ op: 'add', path: '/l/-', value: 2 }], { l: [1, 2] }],
    ['replaces an item', { l: [1, 2] }, [{ op: 'replace', path: '/l/0', value: 9 }], { l: [9, 2] }],
    ['moves', { a: 1, b: {} }, [{ op: 'move', from: '/a', path: '/b/c' }], { b: { c: 1 } }],
    ['copies', { a: 1 }, [{ op: 'copy', from: '/a', path: '/b' }], { a: 1, b: 1 }],
    ['finds nothing equal to null', { a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
  ])('%s', (_, document, patch, expected) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
  });

  test.each([
    ['a test that does not hold', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }]],
    ['the removal of nothing', {}, [{ op: 'remove', path: '/a' }]],
    ['an index past the end', { l: [] }, [{ op: 'add', path: '/l/1', value: 1 }]],
    ['a parent that is not there', {}, [{ op: 'add', path: '/a/b', value: 1 }]],
  ])('refuses %s', (_, document, patch) => {
    expect(() => applyJsonPatch(document, patch)).toThrow(
      'the server rejected our request due to an error in our request',
    );
  });
});

describe('applyMergePatch', () => {
  test('applied twice is applied once', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const once = applyMergePatch(target, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  test('an empty patch changes nothing, null takes away, other values replace', () => {
    expect(applyMergePatch({ a: 1 }, {})).toEqual({ a: 1 });
    expect(applyMergePatch({ a: { b: 1, c: 2 }, l: [1] }, { a: { b: null }, l: [2] })).toEqual({
      a: { c: 2 },
      l: [2],
    });
  });
});

describe('applyStrategicMergePatch', () => {
  test('agrees with a merge patch where there is no list', () => {
    const noLists = fc.dictionary(key, fc.dictionary(key, fc.integer(), { noNullPrototype: true }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(noLists, noLists, (target, patch) => {
        expect(applyStrategicMergePatch('Pod', target, patch)).toEqual(applyMergePatch(target, patch));
      }),
    );
  });

  const two = { containers: [{ name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] }, { name: 'b' }] };

  test.each([
    [
      'merges containers by name',
      two,
      { containers: [{ name: 'b', image: 'b:2' }] },
      { containers: [two.containers[0], { name: 'b', image: 'b:2' }] },
    ],
    [
      'adds what is new',
      { containers: [] },
      { containers: [{ name: 'c' }] },
      { containers: [{ name: 'c' }] },
    ],
    [
      'takes away by directive',
      two,
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: [{ name: 'b' }] },
    ],
    [
      'orders as $setElementOrder lists',
      two,
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      { containers: [{ name: 'b' }, two.containers[0]] },
    ],
    [
      'keeps only the keys of $retainKeys',
      { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'replaces lists without a key',
      { taints: [{ key: 'a' }] },
      { taints: [{ key: 'b' }] },
      { taints: [{ key: 'b' }] },
    ],
    ['unites sets', { finalizers: ['a'] }, { finalizers: ['b'] }, { finalizers: ['a', 'b'] }],
    [
      'removes from sets',
      { finalizers: ['a', 'b'] },
      { '$deleteFromPrimitiveList/finalizers': ['a'] },
      { finalizers: ['b'] },
    ],
  ])('%s', (_, target, patch, expected) => {
    expect(applyStrategicMergePatch('Pod', target, patch)).toEqual(expected);
  });
});

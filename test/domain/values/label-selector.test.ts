/** Label selectors match as apimachinery's do, and are narrowed by a pod's own labels. */
import fc from 'fast-check';
import {
  EVERYTHING,
  narrowByPodLabels,
  selectorKey,
  selects,
  type LabelSelector,
} from '../../../src/domain/values/label-selector.js';
import { NO_LABELS, type Labels } from '../../../src/domain/values/labels.js';
import { requirement, type Requirement } from '../../../src/domain/values/requirement.js';
import { requirementsOf } from '../../../src/domain/values/requirements.js';
import { KEYS, labels, requirements, UNIVERSE } from '../arbitraries.js';

function selector(...items: Requirement[]): LabelSelector {
  return { requirements: requirementsOf(items) };
}

const APP: Labels = new Map([
  ['app', 'web'],
  ['pod-template-hash', '5d4f'],
]);

const anySelector: fc.Arbitrary<LabelSelector> = requirements.map((all) => ({ requirements: all }));
const someKeyLists = fc.record({ match: fc.subarray(KEYS), mismatch: fc.subarray(KEYS) });

describe('selects', () => {
  test('matches nothing when undefined and everything when empty', () => {
    fc.assert(
      fc.property(labels, (pod) => {
        expect(selects(undefined, pod)).toBe(false);
        expect(selects(EVERYTHING, pod)).toBe(true);
      }),
    );
  });

  test.each<[string, Requirement, boolean, boolean]>([
    ['In', requirement('app', 'In', ['web', 'api']), true, false],
    ['NotIn', requirement('app', 'NotIn', ['web']), false, true],
    ['NotIn with another value', requirement('app', 'NotIn', ['api']), true, true],
    ['Exists', requirement('app', 'Exists'), true, false],
    ['DoesNotExist', requirement('app', 'DoesNotExist'), false, true],
  ])('%s matches a pod with the label: %p', (_, item, withLabel, without) => {
    expect(selects(selector(item), APP)).toBe(withLabel);
    expect(selects(selector(item), NO_LABELS)).toBe(without);
  });

  test('needs every requirement', () => {
    const both = selector(requirement('app', 'In', ['web']), requirement('tier', 'Exists'));
    expect(selects(both, APP)).toBe(false);
    expect(selects(both, new Map([...APP, ['tier', 'front']]))).toBe(true);
  });
});

describe('narrowByPodLabels', () => {
  const none = { match: [], mismatch: [] };

  test('leaves an undefined selector undefined', () => {
    expect(narrowByPodLabels(undefined, APP, { match: ['app'], mismatch: [] })).toBeUndefined();
  });

  test('keeps the pods of the same revision by matchLabelKeys', () => {
    const narrowed = narrowByPodLabels(selector(requirement('app', 'In', ['web'])), APP, {
      match: ['pod-template-hash'],
      mismatch: [],
    });
    expect(selects(narrowed, APP)).toBe(true);
    expect(selects(narrowed, new Map([...APP, ['pod-template-hash', '77aa']]))).toBe(false);
    expect(selects(narrowed, new Map([['app', 'web']]))).toBe(false);
  });

  test('keeps pods of others, and pods without the label, by mismatchLabelKeys', () => {
    const narrowed = narrowByPodLabels(EVERYTHING, APP, { match: [], mismatch: ['app'] });
    expect(selects(narrowed, APP)).toBe(false);
    expect(selects(narrowed, new Map([['app', 'api']]))).toBe(true);
    expect(selects(narrowed, NO_LABELS)).toBe(true);
  });

  test('ignores keys that the pod does not carry', () => {
    const keys = { match: ['absent'], mismatch: ['missing'] };
    expect(narrowByPodLabels(EVERYTHING, APP, keys)).toEqual(EVERYTHING);
  });

  test('matches exactly what the selector matches and the keys leave', () => {
    fc.assert(
      fc.property(anySelector, labels, labels, someKeyLists, (base, own, other, { match, mismatch }) => {
        const same = match.every((key) => !own.has(key) || other.get(key) === own.get(key));
        const different = mismatch.every((key) => !own.has(key) || other.get(key) !== own.get(key));
        const narrowed = narrowByPodLabels(base, own, { match, mismatch });
        expect(selects(narrowed, other)).toBe(selects(base, other) && same && different);
        expect(narrowByPodLabels(base, own, none)).toEqual(base);
      }),
    );
  });
});

describe('selectorKey', () => {
  test('tells no selector from an empty one', () => {
    expect(selectorKey(undefined)).not.toBe(selectorKey(EVERYTHING));
  });

  test('does not depend on the order of requirements or values', () => {
    const one = selector(requirement('app', 'In', ['a', 'b']), requirement('tier', 'Exists'));
    const other = selector(requirement('tier', 'Exists'), requirement('app', 'In', ['b', 'a']));
    expect(selectorKey(one)).toBe(selectorKey(other));
  });

  test('tells In nothing, DoesNotExist, NotIn and Exists apart', () => {
    const items = [
      requirement('app', 'In'),
      requirement('app', 'DoesNotExist'),
      requirement('app', 'NotIn'),
      requirement('app', 'Exists'),
      requirement('app', 'In', ['a', 'b']),
      requirement('app', 'In', ['a, b']),
      requirement('app', 'NotIn', ['a']),
    ];
    expect(new Set(items.map((item) => selectorKey(selector(item)))).size).toBe(items.length);
  });

  test('is the same only for selectors that match the same pods', () => {
    const pods = UNIVERSE.map((value): Labels => new Map([['app', value]])).concat([NO_LABELS]);
    fc.assert(
      fc.property(anySelector, anySelector, (one, other) => {
        fc.pre(selectorKey(one) === selectorKey(other));
        expect(pods.map((pod) => selects(one, pod))).toEqual(pods.map((pod) => selects(other, pod)));
      }),
    );
  });
});

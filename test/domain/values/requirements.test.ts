/** Requirements on several keys hold together, key by key. */
import fc from 'fast-check';
import { NO_LABELS, type Labels } from '../../../src/domain/values/labels.js';
import { allows, requirement } from '../../../src/domain/values/requirement.js';
import {
  firstUnsatisfied,
  intersectRequirements,
  labelsSatisfy,
  NO_REQUIREMENTS,
  requirementsFromLabels,
  requirementsOf,
} from '../../../src/domain/values/requirements.js';
import { KEYS, labels, primitiveRequirement, requirements } from '../arbitraries.js';

function labelled(record: Record<string, string>): Labels {
  return new Map(Object.entries(record));
}

describe('requirementsOf', () => {
  test('narrows a key that is named more than once', () => {
    const both = requirementsOf([requirement('cpu', 'Gt', ['4']), requirement('cpu', 'Lt', ['33'])]);
    expect([...both.keys()]).toEqual(['cpu']);
    expect(labelsSatisfy(both, labelled({ cpu: '8' }))).toBe(true);
    expect(labelsSatisfy(both, labelled({ cpu: '4' }))).toBe(false);
    expect(labelsSatisfy(both, labelled({ cpu: '33' }))).toBe(false);
  });

  test('holds exactly when every single requirement does, in any order', () => {
    const list = fc.array(fc.constantFrom(...KEYS).chain(primitiveRequirement), { maxLength: 6 });
    fc.assert(
      fc.property(list, labels, (items, node) => {
        const every = items.every((item) => allows(item, node.get(item.key)));
        expect(labelsSatisfy(requirementsOf(items), node)).toBe(every);
        expect(labelsSatisfy(requirementsOf([...items].reverse()), node)).toBe(every);
      }),
    );
  });
});

describe('requirementsFromLabels', () => {
  test('holds for every superset of the labels', () => {
    fc.assert(
      fc.property(labels, labels, (selector, node) => {
        const superset = [...selector].every(([key, value]) => node.get(key) === value);
        expect(labelsSatisfy(requirementsFromLabels(selector), node)).toBe(superset);
      }),
    );
  });
});

describe('intersectRequirements', () => {
  test('holds exactly where both do', () => {
    fc.assert(
      fc.property(requirements, requirements, labels, (a, b, node) => {
        expect(labelsSatisfy(intersectRequirements(a, b), node)).toBe(
          labelsSatisfy(a, node) && labelsSatisfy(b, node),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('is commutative, associative and idempotent, and no requirements are its identity', () => {
    fc.assert(
      fc.property(requirements, requirements, requirements, (a, b, c) => {
        expect(intersectRequirements(a, b)).toEqual(intersectRequirements(b, a));
        expect(intersectRequirements(intersectRequirements(a, b), c)).toEqual(
          intersectRequirements(a, intersectRequirements(b, c)),
        );
        expect(intersectRequirements(a, a)).toEqual(a);
        expect(intersectRequirements(a, NO_REQUIREMENTS)).toEqual(a);
      }),
    );
  });
});

describe('firstUnsatisfied', () => {
  const wanted = requirementsOf([
    requirement('arch', 'In', ['arm64']),
    requirement('zone', 'In', ['a']),
    requirement('gpu', 'DoesNotExist'),
  ]);

  test('names the first requirement, in the order given, that the labels fail', () => {
    expect(firstUnsatisfied(wanted, NO_LABELS)?.key).toBe('arch');
    expect(firstUnsatisfied(wanted, labelled({ arch: 'arm64', zone: 'b', gpu: 't4' }))?.key).toBe('zone');
    expect(firstUnsatisfied(wanted, labelled({ arch: 'arm64', zone: 'a', gpu: 't4' }))?.key).toBe('gpu');
  });

  test('is undefined when nothing is wrong', () => {
    expect(firstUnsatisfied(wanted, labelled({ arch: 'arm64', zone: 'a', other: 'x' }))).toBeUndefined();
    expect(firstUnsatisfied(NO_REQUIREMENTS, NO_LABELS)).toBeUndefined();
  });
});

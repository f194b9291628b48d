/** One requirement is an exact set of label values: membership, intersection and wording follow from that. */
import fc from 'fast-check';
import {
  allows,
  formatRequirement,
  hasNoValue,
  intersect,
  isUnsatisfiable,
  requirement,
  type Requirement,
  type RequirementOperator,
} from '../../../src/domain/values/requirement.js';
import { maybeValue, primitiveRequirement, UNIVERSE } from '../arbitraries.js';

const primitive = primitiveRequirement();
/** Primitives and conjunctions of several. */
const combined: fc.Arbitrary<Requirement> = fc
  .array(primitive, { minLength: 1, maxLength: 4 })
  .map((list) => list.reduce(intersect));

const everyValue = [undefined, ...UNIVERSE];

function allowed(required: Requirement): (string | undefined)[] {
  return everyValue.filter((value) => allows(required, value));
}

describe('allows', () => {
  test.each<[RequirementOperator, string[], (string | undefined)[], (string | undefined)[]]>([
    ['In', ['a', 'b'], ['a', 'b'], ['c', '', undefined]],
    ['In', [], [], ['a', '', undefined]],
    ['NotIn', ['a'], ['b', '', undefined], ['a']],
    ['NotIn', [], ['a', undefined], []],
    ['Exists', [], ['a', ''], [undefined]],
    ['DoesNotExist', [], [undefined], ['a', '']],
    ['Gt', ['4'], ['5', '05', '+5', '100'], ['4', '3', '-5', 'a', '', '5.0', '5e3', ' 5', undefined]],
    ['Gte', ['4'], ['4', '5'], ['3', 'a', undefined]],
    [
      'Lt',
      ['4'],
      ['3', '0', '-1', '-9223372036854775808'],
      ['4', 'a', '', '-9223372036854775809', undefined],
    ],
    ['Lte', ['4'], ['4', '-1'], ['5', '0x1', undefined]],
    ['Gt', ['-2'], ['-1', '0'], ['-2', '-3']],
    [
      'Gt',
      ['9007199254740991'],
      ['9007199254740992', '9223372036854775807'],
      ['9007199254740991', '9223372036854775808'],
    ],
  ])('%s %j holds for exactly the labels that Kubernetes matches', (operator, values, yes, no) => {
    const required = requirement('key', operator, values);
    expect(yes.filter((value) => !allows(required, value))).toEqual([]);
    expect(no.filter((value) => allows(required, value))).toEqual([]);
  });

  test('says the opposite for In and NotIn, and for Exists and DoesNotExist', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...UNIVERSE)), maybeValue, (values, value) => {
        expect(allows(requirement('key', 'NotIn', values), value)).toBe(
          !allows(requirement('key', 'In', values), value),
        );
        expect(allows(requirement('key', 'Exists'), value)).toBe(
          !allows(requirement('key', 'DoesNotExist'), value),
        );
      }),
    );
  });

  test('says of an integer that exactly one of Gt and Lte holds, and one of Lt and Gte', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (bound, number) => {
        const holds = (operator: RequirementOperator): boolean =>
          allows(requirement('key', operator, [String(bound)]), String(number));
        expect(holds('Gt')).toBe(!holds('Lte'));
        expect(holds('Lt')).toBe(!holds('Gte'));
        expect(holds('Gt')).toBe(number > bound);
      }),
    );
  });
});

describe('requirement', () => {
  test.each<[RequirementOperator, string[]]>([
    ['Gt', []],
    ['Gt', ['1', '2']],
    ['Lt', ['a']],
    ['Gte', ['']],
    ['Lte', ['1.5']],
    ['Gt', ['9223372036854775807']],
  ])('refuses %s %j, naming key, operator and values', (operator, values) => {
    expect(() => requirement('karpenter.k8s.aws/instance-cpu', operator, values)).toThrow(
      new RangeError(
        `karpenter.k8s.aws/instance-cpu ${operator}: needs exactly one integer within ±(2^53 − 1), not [${values.join(', ')}]`,
      ),
    );
  });
});

describe('intersect', () => {
  test('allows what both allow, for every operator and for a missing label', () => {
    fc.assert(
      fc.property(combined, combined, (a, b) => {
        const both = intersect(a, b);
        for (const value of everyValue)
          expect(allows(both, value)).toBe(allows(a, value) && allows(b, value));
      }),
      { numRuns: 500 },
    );
  });

  test('is commutative', () => {
    fc.assert(
      fc.property(combined, combined, (a, b) => {
        expect(intersect(a, b)).toEqual(intersect(b, a));
      }),
    );
  });

  test('is associative', () => {
    fc.assert(
      fc.property(combined, combined, combined, (a, b, c) => {
        expect(intersect(intersect(a, b), c)).toEqual(intersect(a, intersect(b, c)));
      }),
    );
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(combined, (a) => {
        expect(intersect(a, a)).toEqual(a);
      }),
    );
  });

  test('with Exists changes nothing but that the label must be there', () => {
    fc.assert(
      fc.property(combined, (a) => {
        const present = intersect(a, requirement('key', 'Exists'));
        expect(allowed(present)).toEqual(allowed(a).filter((value) => value !== undefined));
      }),
    );
  });

  test('with an empty NotIn changes nothing', () => {
    fc.assert(
      fc.property(combined, (a) => {
        expect(intersect(requirement('key', 'NotIn'), a)).toEqual(a);
      }),
    );
  });

  test('keeps the key and the larger minValues', () => {
    const both = intersect(requirement('key', 'Exists', [], 2), requirement('key', 'In', ['a'], 5));
    expect(both).toMatchObject({ key: 'key', minValues: 5 });
  });
});

describe('hasNoValue and isUnsatisfiable', () => {
  test.each<[string, Requirement, boolean, boolean]>([
    ['In nothing', requirement('key', 'In'), true, true],
    ['DoesNotExist', requirement('key', 'DoesNotExist'), true, false],
    ['Exists', requirement('key', 'Exists'), false, false],
    ['NotIn', requirement('key', 'NotIn', ['a']), false, false],
    [
      'Gt 4 and Lt 5',
      intersect(requirement('key', 'Gt', ['4']), requirement('key', 'Lt', ['5'])),
      true,
      true,
    ],
    [
      'Gt 4 and Lt 6',
      intersect(requirement('key', 'Gt', ['4']), requirement('key', 'Lt', ['6'])),
      false,
      false,
    ],
    [
      'Exists and DoesNotExist',
      intersect(requirement('key', 'Exists'), requirement('key', 'DoesNotExist')),
      true,
      true,
    ],
    [
      'In a and NotIn a',
      intersect(requirement('key', 'In', ['a']), requirement('key', 'NotIn', ['a'])),
      true,
      true,
    ],
    [
      'In a word and Gt',
      intersect(requirement('key', 'In', ['a']), requirement('key', 'Gt', ['1'])),
      true,
      true,
    ],
  ])('%s', (_, required, noValue, nothing) => {
    expect(hasNoValue(required)).toBe(noValue);
    expect(isUnsatisfiable(required)).toBe(nothing);
  });

  test('never deny a requirement that some label satisfies', () => {
    fc.assert(
      fc.property(combined, (a) => {
        const values = allowed(a);
        expect(hasNoValue(a) && values.some((value) => value !== undefined)).toBe(false);
        expect(isUnsatisfiable(a) && values.length > 0).toBe(false);
      }),
    );
  });

  test('notice every finite requirement that no label satisfies', () => {
    fc.assert(
      fc.property(combined, (a) => {
        fc.pre(!a.complement);
        expect(isUnsatisfiable(a)).toBe(allowed(a).length === 0);
      }),
    );
  });

  test('stay true when the requirement is narrowed', () => {
    fc.assert(
      fc.property(combined, combined, (a, b) => {
        fc.pre(isUnsatisfiable(a));
        expect(isUnsatisfiable(intersect(a, b))).toBe(true);
      }),
    );
  });
});

describe('formatRequirement', () => {
  test.each<[Requirement, string]>([
    [requirement('key', 'In', ['b', 'a']), 'In [a, b]'],
    [requirement('key', 'In'), 'In []'],
    [requirement('key', 'In', ['', 'a']), 'In ["", a]'],
    [requirement('key', 'NotIn'), 'NotIn []'],
    [requirement('key', 'NotIn', ['c']), 'NotIn [c]'],
    [requirement('key', 'Exists'), 'Exists'],
    [requirement('key', 'DoesNotExist'), 'DoesNotExist'],
    [requirement('key', 'Gt', ['4']), 'Gte 5'],
    [requirement('key', 'Lt', ['4']), 'Lte 3'],
    [intersect(requirement('key', 'Exists'), requirement('key', 'NotIn', ['a'])), 'Exists and NotIn [a]'],
    [intersect(requirement('key', 'In', ['a']), requirement('key', 'In', ['b'])), 'In []'],
    [intersect(requirement('key', 'Gte', ['1']), requirement('key', 'Lte', ['9'])), 'Gte 1 and Lte 9'],
    [
      intersect(requirement('key', 'Gt', ['4']), requirement('key', 'NotIn', ['7', '3', 'a'])),
      'NotIn [7] and Gte 5',
    ],
  ])('%#: says %s', (required, text) => {
    expect(formatRequirement(required)).toBe(text);
  });

  test('is the same whatever the order of the parts', () => {
    fc.assert(
      fc.property(fc.array(primitive, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(formatRequirement([...parts].reverse().reduce(intersect))).toBe(
          formatRequirement(parts.reduce(intersect)),
        );
      }),
    );
  });

  test('differs where requirements differ', () => {
    fc.assert(
      fc.property(combined, combined, (a, b) => {
        fc.pre(formatRequirement(a) === formatRequirement(b));
        expect(allowed(a)).toEqual(allowed(b));
      }),
    );
  });
});

/** Generators of domain values for the laws: small universes, so that values meet often. */
import fc from 'fast-check';
import { requirement, REQUIREMENT_OPERATORS, type Requirement } from '../../src/domain/values/requirement.js';
import { requirementsOf, type Requirements } from '../../src/domain/values/requirements.js';
import { type ResourceList } from '../../src/domain/values/resources.js';
import { resourceList } from '../support/builders/resources.js';
import type { Labels } from '../../src/domain/values/labels.js';

/** Words, integers on both sides of every bound generated, and spellings of integers that differ as text. */
export const UNIVERSE = [
  '',
  'a',
  'b',
  'spot',
  '-1',
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '02',
  '1.5',
  '9223372036854775807',
];
export const KEYS = ['kubernetes.io/arch', 'app', 'karpenter.k8s.aws/instance-cpu'];

const value = fc.constantFrom(...UNIVERSE);

/** The value of a label, undefined for a label that is missing. */
export const maybeValue = fc.option(value, { nil: undefined });

/** A requirement made with one operator. */
export function primitiveRequirement(key = 'key'): fc.Arbitrary<Requirement> {
  return fc
    .record({
      operator: fc.constantFrom(...REQUIREMENT_OPERATORS),
      values: fc.array(value, { maxLength: 4 }),
      bound: fc.integer({ min: -1, max: 5 }),
      minValues: fc.nat({ max: 3 }),
    })
    .map(({ operator, values, bound, minValues }) =>
      requirement(key, operator, /^[GL]t/.test(operator) ? [String(bound)] : values, minValues),
    );
}

/** Requirements on several keys, some of them on one key twice. */
export const requirements: fc.Arbitrary<Requirements> = fc
  .array(fc.constantFrom(...KEYS).chain(primitiveRequirement), { maxLength: 5 })
  .map(requirementsOf);

export const labels: fc.Arbitrary<Labels> = fc
  .dictionary(fc.constantFrom(...KEYS), value)
  .map((record) => new Map(Object.entries(record)));

/** Amounts whose sums stay exact; may be negative or zero. */
export function resources(min = -(2 ** 40)): fc.Arbitrary<ResourceList> {
  return fc
    .dictionary(
      fc.constantFrom('cpu', 'memory', 'pods', 'nvidia.com/gpu'),
      fc.maxSafeInteger().map((amount) => Math.max(min, amount % 2 ** 40)),
    )
    .map(resourceList);
}

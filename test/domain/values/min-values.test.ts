/** minValues counts the distinct allowed values that instance types leave open. */
import fc from 'fast-check';
import type { Labels } from '../../../src/domain/values/labels.js';
import { minValuesShortfall } from '../../../src/domain/values/min-values.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { NO_REQUIREMENTS, requirementsOf } from '../../../src/domain/values/requirements.js';
import { labels, requirements } from '../arbitraries.js';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const TYPE = 'node.kubernetes.io/instance-type';

function typeNamed(name: string): Labels {
  const [family = ''] = name.split('.');
  return new Map([
    [TYPE, name],
    [FAMILY, family],
  ]);
}

describe('minValuesShortfall', () => {
  const threeOfEach = requirementsOf([
    requirement(TYPE, 'Exists', [], 3),
    requirement(FAMILY, 'In', ['c4', 'c5', 'm4'], 3),
  ]);

  test('is undefined when every key has its distinct values', () => {
    const types = ['c4.large', 'c5.xlarge', 'm4.2xlarge'].map(typeNamed);
    expect(minValuesShortfall(threeOfEach, types)).toBeUndefined();
  });

  test('names the first key that falls short, with both counts', () => {
    const types = ['c4.large', 'c4.xlarge', 'c5.2xlarge'].map(typeNamed);
    expect(minValuesShortfall(threeOfEach, types)).toEqual({ key: FAMILY, minValues: 3, found: 2 });
    expect(minValuesShortfall(threeOfEach, [])).toEqual({ key: TYPE, minValues: 3, found: 0 });
  });

  test('does not count values that the requirement excludes', () => {
    const types = ['c4.large', 'c5.xlarge', 'p5.48xlarge'].map(typeNamed);
    expect(minValuesShortfall(threeOfEach, types)).toEqual({ key: FAMILY, minValues: 3, found: 2 });
  });

  test('does not count a label that is missing, though NotIn allows that', () => {
    const required = requirementsOf([requirement('gpu', 'NotIn', ['t4'], 1)]);
    expect(minValuesShortfall(required, [new Map([['cpu', '4']])])).toEqual({
      key: 'gpu',
      minValues: 1,
      found: 0,
    });
  });

  test('asks nothing where no minValues is set', () => {
    expect(minValuesShortfall(NO_REQUIREMENTS, [])).toBeUndefined();
    expect(minValuesShortfall(requirementsOf([requirement(TYPE, 'Exists')]), [])).toBeUndefined();
  });

  test('is never brought about by more types, nor by their order or repetition', () => {
    fc.assert(
      fc.property(requirements, fc.array(labels), fc.array(labels), (required, types, more) => {
        const shortfall = minValuesShortfall(required, types);
        expect(minValuesShortfall(required, [...types, ...types].reverse())).toEqual(shortfall);
        const reached = shortfall === undefined;
        expect(reached && minValuesShortfall(required, [...more, ...types]) !== undefined).toBe(false);
      }),
    );
  });

  test('counts at most one value per type', () => {
    fc.assert(
      fc.property(requirements, fc.array(labels, { maxLength: 2 }), (required, types) => {
        const greedy = [...required.values()].some((item) => item.minValues > types.length);
        fc.pre(greedy);
        expect(minValuesShortfall(required, types)).toBeDefined();
      }),
    );
  });
});

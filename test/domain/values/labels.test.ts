/** Label keys and values have Kubernetes' syntax, and old names are read as their current ones. */
import fc from 'fast-check';
import { canonicalLabel, isLabelKey, isLabelValue } from '../../../src/domain/values/labels.js';

const segment = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const prefix = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('.'));
const name = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/);

describe('isLabelKey', () => {
  test.each([
    'app',
    'A',
    '1',
    'a.b_c-d',
    'kubernetes.io/arch',
    'a/B',
    '1.2/x',
    'karpenter.k8s.aws/instance-cpu',
  ])('accepts %s', (key) => {
    expect(isLabelKey(key)).toBe(true);
  });

  test.each([
    '',
    '/',
    '/a',
    'a/',
    'a/b/c',
    '-a',
    'a-',
    '_a',
    'a.',
    'ä',
    'a b',
    'a\n',
    'A.io/x',
    'a..b/x',
    '-a/x',
    'a_b/x',
  ])('refuses %j', (key) => {
    expect(isLabelKey(key)).toBe(false);
  });

  test('allows 63 characters in the name and 253 in the prefix', () => {
    expect(isLabelKey('a'.repeat(63))).toBe(true);
    expect(isLabelKey('a'.repeat(64))).toBe(false);
    expect(isLabelKey(`${'a'.repeat(253)}/a`)).toBe(true);
    expect(isLabelKey(`${'a'.repeat(254)}/a`)).toBe(false);
  });

  test('accepts every name with or without a DNS prefix', () => {
    fc.assert(
      fc.property(prefix, name, (before, after) => {
        expect(isLabelKey(after)).toBe(true);
        expect(isLabelKey(`${before}/${after}`)).toBe(true);
      }),
    );
  });

  test('answers long hostile input at once', () => {
    expect(isLabelKey(`${'a-'.repeat(100_000)}/x`)).toBe(false);
    expect(isLabelKey('a.'.repeat(100_000))).toBe(false);
  });
});

describe('isLabelValue', () => {
  test.each(['', 'a', 'm5.large', 'a_b', '0', 'A-1'])('accepts %j', (value) => {
    expect(isLabelValue(value)).toBe(true);
  });

  test.each([' ', '-', 'a/b', '.a', 'a.', 'a,b', 'é', 'a\n', 'x'.repeat(64)])('refuses %j', (value) => {
    expect(isLabelValue(value)).toBe(false);
  });

  test('accepts what a name without prefix may be, and nothing else but the empty text', () => {
    fc.assert(
      fc.property(fc.oneof(name, fc.string()), (text) => {
        expect(isLabelValue(text)).toBe(text === '' || (!text.includes('/') && isLabelKey(text)));
      }),
    );
  });
});

describe('canonicalLabel', () => {
  test.each([
    ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
    ['beta.kubernetes.io/os', 'kubernetes.io/os'],
    ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
    ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
    ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
    ['topology.ebs.csi.aws.com/zone', 'topology.kubernetes.io/zone'],
  ])('reads %s as %s, which stays', (old, current) => {
    expect(canonicalLabel(old)).toBe(current);
    expect(canonicalLabel(current)).toBe(current);
  });

  test('leaves every other key alone', () => {
    expect(canonicalLabel('app')).toBe('app');
    expect(canonicalLabel('__proto__')).toBe('__proto__');
  });
});

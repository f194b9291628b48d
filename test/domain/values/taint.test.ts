/** Tolerations match taints by the table in Kubernetes' documentation. */
import fc from 'fast-check';
import {
  firstUntolerated,
  formatTaint,
  TAINT_EFFECTS,
  tolerates,
  UNSCHEDULABLE_TAINT,
  type Taint,
  type Toleration,
} from '../../../src/domain/values/taint.js';

function taint(overrides: Partial<Taint> = {}): Taint {
  return { key: 'team', value: 'gpu', effect: 'NoSchedule', ...overrides };
}

function toleration(overrides: Partial<Toleration> = {}): Toleration {
  return { key: 'team', operator: 'Equal', value: 'gpu', effect: 'NoSchedule', ...overrides };
}

const TOLERATES_ALL = toleration({ key: '', operator: 'Exists', value: '', effect: undefined });

const word = fc.constantFrom('', 'a', 'b');
const anyTaint: fc.Arbitrary<Taint> = fc.record({
  key: fc.constantFrom('a', 'b'),
  value: word,
  effect: fc.constantFrom(...TAINT_EFFECTS),
});
const anyToleration: fc.Arbitrary<Toleration> = fc.record({
  key: word,
  operator: fc.constantFrom('Exists', 'Equal'),
  value: word,
  effect: fc.option(fc.constantFrom(...TAINT_EFFECTS), { nil: undefined }),
});

describe('tolerates', () => {
  test.each<[string, Partial<Toleration>, boolean]>([
    ['Equal with the same key, value and effect', {}, true],
    ['Equal with another value', { value: 'cpu' }, false],
    ['Equal with another key', { key: 'other' }, false],
    ['Equal with another effect', { effect: 'NoExecute' }, false],
    ['Equal with every effect', { effect: undefined }, true],
    ['Equal with no value', { value: '' }, false],
    ['Exists with the same key and effect', { operator: 'Exists', value: '' }, true],
    ['Exists with another key', { operator: 'Exists', value: '', key: 'other' }, false],
    ['Exists with another effect', { operator: 'Exists', value: '', effect: 'PreferNoSchedule' }, false],
    ['Exists with every effect', { operator: 'Exists', value: '', effect: undefined }, true],
    ['Exists with every key', { operator: 'Exists', value: '', key: '' }, true],
    ['Exists with every key and another effect', { operator: 'Exists', key: '', effect: 'NoExecute' }, false],
    ['Equal with no key', { key: '' }, false],
  ])('%s: %p', (_, overrides, expected) => {
    expect(tolerates(toleration(overrides), taint())).toBe(expected);
  });

  test('matches a taint without value by Equal without value', () => {
    expect(tolerates(toleration({ value: '' }), taint({ value: '' }))).toBe(true);
  });

  test('is true of every taint for Exists with neither key nor effect', () => {
    fc.assert(
      fc.property(anyTaint, (any) => {
        expect(tolerates(TOLERATES_ALL, any)).toBe(true);
      }),
    );
  });

  test('never becomes false when a toleration is widened to Exists or to every effect', () => {
    fc.assert(
      fc.property(anyToleration, anyTaint, (narrow, any) => {
        fc.pre(tolerates(narrow, any));
        expect(tolerates({ ...narrow, operator: 'Exists' }, any)).toBe(true);
        expect(tolerates({ ...narrow, effect: undefined }, any)).toBe(true);
      }),
    );
  });
});

describe('firstUntolerated', () => {
  test('names the first taint that nothing tolerates', () => {
    const taints = [taint(), taint({ key: 'spot', value: '' }), taint({ key: 'other' })];
    expect(firstUntolerated(taints, [toleration()])).toEqual(taints[1]);
    expect(firstUntolerated(taints, [TOLERATES_ALL])).toBeUndefined();
    expect(firstUntolerated([], [])).toBeUndefined();
  });

  test('leaves PreferNoSchedule out unless it is asked for', () => {
    const soft = taint({ effect: 'PreferNoSchedule' });
    expect(firstUntolerated([soft], [])).toBeUndefined();
    expect(firstUntolerated([soft], [], ['PreferNoSchedule'])).toEqual(soft);
  });

  test('minds NoExecute as it minds NoSchedule', () => {
    const hard = taint({ effect: 'NoExecute' });
    expect(firstUntolerated([hard], [toleration()])).toEqual(hard);
  });

  test('finds a cordoned node untolerated by pods, and tolerated by DaemonSet pods', () => {
    const ofDaemonSets = toleration({ key: UNSCHEDULABLE_TAINT.key, operator: 'Exists', value: '' });
    expect(firstUntolerated([UNSCHEDULABLE_TAINT], [])).toEqual(UNSCHEDULABLE_TAINT);
    expect(firstUntolerated([UNSCHEDULABLE_TAINT], [ofDaemonSets])).toBeUndefined();
  });

  test('finds nothing exactly when every taint with such an effect has its toleration', () => {
    fc.assert(
      fc.property(fc.array(anyTaint), fc.array(anyToleration), (taints, tolerations) => {
        const all = taints
          .filter((each) => each.effect !== 'PreferNoSchedule')
          .every((each) => tolerations.some((one) => tolerates(one, each)));
        expect(firstUntolerated(taints, tolerations) === undefined).toBe(all);
      }),
    );
  });

  test('finds nothing more when a toleration is added or a taint is taken away', () => {
    fc.assert(
      fc.property(fc.array(anyTaint), fc.array(anyToleration), anyToleration, (taints, tolerations, more) => {
        fc.pre(firstUntolerated(taints, tolerations) === undefined);
        expect(firstUntolerated(taints, [more, ...tolerations])).toBeUndefined();
        expect(firstUntolerated(taints.slice(1), tolerations)).toBeUndefined();
      }),
    );
  });
});

describe('formatTaint', () => {
  test('writes what kubectl taint reads', () => {
    expect(formatTaint(taint())).toBe('team=gpu:NoSchedule');
    expect(formatTaint(UNSCHEDULABLE_TAINT)).toBe('node.kubernetes.io/unschedulable:NoSchedule');
  });
});

import { selects } from '../../../src/domain/values/label-selector.js';
import { accepted, errorsOf, podDefaults, type Plain } from '../policies-as-written.js';

function decode(spec: Plain) {
  const [policy] = accepted(podDefaults(spec));
  if (policy?.kind !== 'PodDefaults') throw new Error('expected PodDefaults');
  return policy.podDefaults;
}

describe('PodDefaults of berth.sh/v1', () => {
  test('select every pod and say nothing about it unless told to', () => {
    const defaults = decode({});
    expect(defaults).toMatchObject({
      name: 'default',
      priority: 0,
      mode: 'stamp',
      nodeSelector: new Map(),
      tolerations: [],
    });
    expect([defaults.architecture, defaults.capacityType, defaults.nodePool, defaults.schedulerName]).toEqual(
      Array(4).fill(undefined),
    );
    expect(defaults.spread).toEqual({ zone: undefined, host: undefined });
    expect(selects(defaults.podSelector, new Map([['any', 'pod']]))).toBe(true);
  });

  test('read every field', () => {
    const defaults = decode({
      priority: -5,
      namespaceSelector: { matchLabels: { team: 'a' } },
      podSelector: {
        matchExpressions: [
          { key: 'app', operator: 'NotIn', values: ['db'] },
          { key: 'tier', operator: 'Exists' },
        ],
      },
      architecture: 'arm64',
      capacityType: 'spot',
      nodePool: 'batch',
      spread: { zone: {}, host: { maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' } },
      nodeSelector: { disk: 'ssd' },
      tolerations: [
        { key: 'spot', value: 'yes', effect: 'NoExecute', tolerationSeconds: 60 },
        { operator: 'Exists' },
      ],
      schedulerName: 'auto',
      mode: 'warn',
    });
    expect(defaults).toMatchObject({
      priority: -5,
      architecture: 'arm64',
      capacityType: 'spot',
      nodePool: 'batch',
      spread: {
        zone: { maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
        host: { maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
      },
      nodeSelector: new Map([['disk', 'ssd']]),
      tolerations: [
        { key: 'spot', operator: 'Equal', value: 'yes', effect: 'NoExecute', tolerationSeconds: 60 },
        { key: '', operator: 'Exists', value: '', effect: undefined, tolerationSeconds: undefined },
      ],
      schedulerName: 'auto',
      mode: 'warn',
    });
    const matching = new Map([
      ['app', 'web'],
      ['tier', 'front'],
    ]);
    expect(selects(defaults.podSelector, matching)).toBe(true);
    expect(
      selects(
        defaults.podSelector,
        new Map([
          ['app', 'db'],
          ['tier', 'x'],
        ]),
      ),
    ).toBe(false);
    expect(selects(defaults.namespaceSelector, new Map([['team', 'b']]))).toBe(false);
  });

  test.each<[string, Plain, string]>([
    ['an unknown field', { architectures: 'arm64' }, 'unknown-field spec.architectures'],
    ['an unknown architecture', { architecture: 'x86_64' }, 'invalid-value spec.architecture'],
    ['a skew of 0', { spread: { zone: { maxSkew: 0 } } }, 'invalid-value spec.spread.zone.maxSkew'],
    ['an unknown mode', { mode: 'audit' }, 'invalid-value spec.mode'],
    [
      'an architecture that the nodeSelector has too',
      { architecture: 'arm64', nodeSelector: { 'kubernetes.io/arch': 'amd64' } },
      'conflict spec.architecture',
    ],
    ['Equal without key', { tolerations: [{ value: 'a' }] }, 'invalid-value spec.tolerations.0.operator'],
    [
      'seconds without NoExecute',
      { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5 }] },
      'conflict spec.tolerations.0.tolerationSeconds',
    ],
    [
      'In without values',
      { podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'missing-value spec.podSelector.matchExpressions.0.values',
    ],
    [
      'Exists with values',
      { podSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      'invalid-value spec.podSelector.matchExpressions.0.values',
    ],
  ])('refuse %s', (_, spec, error) => {
    expect(errorsOf(podDefaults(spec))).toEqual([error]);
  });
});

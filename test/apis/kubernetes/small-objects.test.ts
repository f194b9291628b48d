import { selects } from '../../../src/domain/values/label-selector.js';
import { decodeDaemonSet } from '../../../src/apis/kubernetes/workloads/daemon-set.js';
import { decodeNamespace } from '../../../src/apis/kubernetes/object/namespace.js';
import { decodePodDisruptionBudget } from '../../../src/apis/kubernetes/pods/pod-disruption-budget.js';
import { decodePriorityClass, prioritiesOf } from '../../../src/apis/kubernetes/pods/priority-class.js';
import { container, workloadManifest, type Manifest } from './manifests.js';

const NODE = 'node.kubernetes.io/';

describe('decodeDaemonSet', () => {
  function tolerationsOf(spec: Manifest): readonly string[] {
    const { value, findings } = decodeDaemonSet(
      workloadManifest({ kind: 'DaemonSet', name: 'agent', template: { spec } }),
    );
    expect(findings).toEqual([]);
    return (value?.spec.tolerations ?? []).map(
      (item) => `${item.key.replace(NODE, '')}:${String(item.effect)}`,
    );
  }

  const added = [
    'not-ready:NoExecute',
    'unreachable:NoExecute',
    'disk-pressure:NoSchedule',
    'memory-pressure:NoSchedule',
    'pid-pressure:NoSchedule',
    'unschedulable:NoSchedule',
  ];

  test('reads the template with the tolerations that the controller adds', () => {
    expect(tolerationsOf({})).toEqual(added);
    const own = [{ key: `${NODE}not-ready`, operator: 'Exists', effect: 'NoExecute' }];
    expect(tolerationsOf({ tolerations: own, hostNetwork: true })).toEqual([
      ...added,
      'network-unavailable:NoSchedule',
    ]);
  });

  test('reads name, namespace, labels and requests', () => {
    const template = { spec: { containers: [container({ cpu: '100m' })] } };
    const manifest = workloadManifest({
      kind: 'DaemonSet',
      name: 'agent',
      namespace: 'kube-system',
      template,
    });
    expect(decodeDaemonSet(manifest).value).toMatchObject({
      namespace: 'kube-system',
      name: 'agent',
      spec: {
        labels: new Map([['app', 'agent']]),
        requests: new Map([
          ['cpu', 100],
          ['pods', 1],
        ]),
      },
    });
  });

  test('says where in the template something is wrong', () => {
    const template = { spec: { containers: [container({ cpu: 'x' })] } };
    expect(decodeDaemonSet(workloadManifest({ kind: 'DaemonSet', template })).findings).toMatchObject([
      { path: ['spec', 'template', 'spec', 'containers', 0, 'resources', 'requests', 'cpu'] },
    ]);
  });
});

describe('decodeNamespace', () => {
  test('has its name among its labels', () => {
    expect(decodeNamespace({ metadata: { name: 'shop', labels: { team: 'x' } } }).value).toEqual({
      name: 'shop',
      labels: new Map([
        ['team', 'x'],
        ['kubernetes.io/metadata.name', 'shop'],
      ]),
    });
  });
});

describe('decodePodDisruptionBudget', () => {
  function budget(spec: Manifest): ReturnType<typeof decodePodDisruptionBudget> {
    return decodePodDisruptionBudget({ metadata: { name: 'b' }, spec });
  }

  test.each([
    [{ minAvailable: 2 }, { minAvailable: { unit: 'pods', amount: 2 }, maxUnavailable: undefined }],
    [{ maxUnavailable: '30%' }, { minAvailable: undefined, maxUnavailable: { unit: 'percent', amount: 30 } }],
    [{ minAvailable: '0%' }, { minAvailable: { unit: 'percent', amount: 0 } }],
    [{}, { minAvailable: undefined, maxUnavailable: undefined }],
  ])('reads %j', (spec, expected) => {
    expect(budget(spec)).toMatchObject({
      value: { namespace: 'default', name: 'b', ...expected },
      findings: [],
    });
  });

  test('reads the status as far as the API server has seen the last change', () => {
    const stored = (status: Manifest | undefined) =>
      decodePodDisruptionBudget({ metadata: { name: 'b', generation: 2 }, spec: {}, status }).value?.status;
    const counts = { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 };
    expect(stored({ ...counts, observedGeneration: 2 })).toEqual({ ...counts, isCurrent: true });
    expect(stored({ ...counts, observedGeneration: 1 })).toEqual({ ...counts, isCurrent: false });
    expect(stored(undefined)).toMatchObject({ disruptionsAllowed: 0, isCurrent: false });
    expect(budget({}).value?.status).toBeUndefined();
  });

  test.each([
    ['AlwaysAllow', 'AlwaysAllow'],
    ['IfHealthyBudget', 'IfHealthyBudget'],
    [undefined, 'IfHealthyBudget'],
  ])('reads unhealthyPodEvictionPolicy %s as %s', (unhealthyPodEvictionPolicy, policy) => {
    expect(budget({ unhealthyPodEvictionPolicy }).value).toMatchObject({
      unhealthyPodEvictionPolicy: policy,
    });
  });

  test('covers everything with an empty selector and nothing without one', () => {
    expect(selects(budget({ selector: {} }).value?.selector, new Map())).toBe(true);
    expect(selects(budget({}).value?.selector, new Map())).toBe(false);
  });

  test.each([-1, 1.5, '101%', '5', 'half', true])('refuses the bound %j', (maxUnavailable) => {
    expect(budget({ maxUnavailable }).findings).toMatchObject([{ path: ['spec', 'maxUnavailable'] }]);
  });

  test('refuses two bounds at once', () => {
    expect(budget({ minAvailable: 1, maxUnavailable: 1 }).findings).toMatchObject([{ path: ['spec'] }]);
  });
});

describe('decodePriorityClass', () => {
  test('reads value and globalDefault', () => {
    expect(decodePriorityClass({ metadata: { name: 'p' }, value: -5, globalDefault: true }).value).toEqual({
      name: 'p',
      value: -5,
      globalDefault: true,
    });
  });

  test('needs a value', () => {
    expect(decodePriorityClass({ metadata: { name: 'p' } }).findings).toMatchObject([
      { path: ['value'], code: 'missing-field' },
    ]);
  });
});

describe('prioritiesOf', () => {
  test('takes the lowest of several global defaults', () => {
    const classes = [5, 3, 9].map((value) => ({ name: `p${String(value)}`, value, globalDefault: true }));
    expect(prioritiesOf(classes).byDefault).toBe(3);
  });
});

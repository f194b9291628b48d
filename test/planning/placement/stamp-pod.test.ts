/** What is stamped on pods, in examples. */
import { labels } from '../../support/builders/pod.js';
import { podDefaults, type PodDefaultsOverrides } from '../../support/builders/pod-defaults.js';
import { DEFAULT_DEMAND_TERMS } from '../../../src/domain/pods/demand.js';
import { byPriority, stampPod, type StampRequest } from '../../../src/planning/placement/stamp-pod.js';
import { applyJsonPatch } from './apply-json-patch.js';

type Json = Readonly<Record<string, unknown>>;

function submitted(spec: Json = {}, metadata: Json = {}): Json {
  return {
    metadata: { name: 'web', ...metadata },
    spec: { containers: [{ name: 'main' }], schedulerName: 'default-scheduler', ...spec },
  };
}

function stamp(pod: unknown, documents: readonly PodDefaultsOverrides[], facts: Partial<StampRequest> = {}) {
  return stampPod({
    pod,
    namespace: 'shop',
    namespaceLabels: labels({ 'kubernetes.io/metadata.name': 'shop', team: 'retail' }),
    podDefaults: documents.map(podDefaults).sort(byPriority),
    schedulerRuns: true,
    isLed: true,
    ownNamespace: 'berth-system',
    demandTerms: DEFAULT_DEMAND_TERMS,
    ...facts,
  });
}

/** The pod after stamping. */
function stamped(pod: Json, documents: readonly PodDefaultsOverrides[], facts: Partial<StampRequest> = {}) {
  return applyJsonPatch(pod, stamp(pod, documents, facts).patch) as {
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    readonly spec: Json;
  };
}

const ARM = { architecture: 'arm64' } as const;
const ZONES = { zone: { maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' }, host: undefined } as const;
const HOSTS = { zone: undefined, host: { maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' } } as const;

describe('the scheduling gate', () => {
  const gates = (spec: Json, facts: Partial<StampRequest> = {}, asked = true) =>
    stamped(submitted(spec), [{ schedulingGate: asked }], facts).spec['schedulingGates'];

  test('is added once, beside those that the pod has', () => {
    expect(gates({})).toEqual([{ name: 'berth.sh/planned' }]);
    const both = [{ name: 'example.com/quota' }, { name: 'berth.sh/planned' }];
    expect(gates({ schedulingGates: [{ name: 'example.com/quota' }] })).toEqual(both);
    expect(gates({ schedulingGates: both })).toEqual(both);
  });

  test('is not added where nobody would remove it', () => {
    expect(gates({}, { isLed: false })).toBeUndefined();
    expect(gates({ resourceClaims: [{ name: 'gpu' }] })).toBeUndefined();
    const elsewhere = { schedulerName: 'volcano', schedulingGate: true };
    expect(stamped(submitted(), [elsewhere]).spec['schedulingGates']).toBeUndefined();
  });

  test('false keeps a document of lower priority from adding it', () => {
    const pod = stamped(submitted(), [
      { name: 'all', schedulingGate: true },
      { name: 'some', priority: 1, schedulingGate: false },
    ]);
    expect(pod.spec['schedulingGates']).toBeUndefined();
  });
});

describe('fields that become nodeSelector entries', () => {
  test('are stamped under the labels that nodes have, beside what the pod has', () => {
    const document = {
      ...ARM,
      capacityType: 'spot',
      nodePool: 'web',
      nodeSelector: { 'example.com/disk': 'ssd' },
    };
    expect(stamp(submitted(), [document]).patch[0]).toEqual({
      op: 'add',
      path: '/spec/nodeSelector',
      value: {
        'kubernetes.io/arch': 'arm64',
        'karpenter.sh/capacity-type': 'spot',
        'karpenter.sh/nodepool': 'web',
        'example.com/disk': 'ssd',
      },
    });
    expect(stamp(submitted({ nodeSelector: { a: 'b' } }), [ARM]).patch[0]).toEqual({
      op: 'add',
      path: '/spec/nodeSelector/kubernetes.io~1arch',
      value: 'arm64',
    });
    expect(stamp(submitted({ nodeSelector: {} }), [{ nodeSelector: { 'a~b/c': 'd' } }]).patch[0]).toEqual({
      op: 'add',
      path: '/spec/nodeSelector/a~0b~1c',
      value: 'd',
    });
  });

  const affinity = (key: string) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'x', operator: 'Exists' }] },
          { matchExpressions: [{ key, operator: 'Exists' }] },
        ],
      },
    },
  });
  test.each([
    ['nodeSelector', { nodeSelector: { 'kubernetes.io/arch': 'amd64' } }],
    ['nodeSelector, by its old key', { nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' } }],
    ['required node affinity, in one of its terms', { affinity: affinity('kubernetes.io/arch') }],
    ['required node affinity, by its old key', { affinity: affinity('beta.kubernetes.io/arch') }],
  ])('are left alone where the pod names the label in %s', (_where, spec) => {
    expect(stamp(submitted(spec), [ARM]).patch).toEqual([]);
  });

  test('are stamped where the pod only prefers something', () => {
    const preferred = [
      { weight: 1, preference: { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'Exists' }] } },
    ];
    const spec = {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    };
    expect(stamped(submitted(spec), [ARM]).spec['nodeSelector']).toEqual({ 'kubernetes.io/arch': 'arm64' });
  });
});

describe('several documents', () => {
  test('apply by priority, then name; the first that sets a field wins, and each sets what is left', () => {
    const pod = stamped(submitted(), [
      { name: 'low', priority: -1, capacityType: 'on-demand', nodePool: 'low' },
      { name: 'b', nodeSelector: { 'kubernetes.io/arch': 'amd64' } },
      { name: 'a', ...ARM },
      { name: 'high', priority: 7, capacityType: 'spot' },
    ]);
    expect(pod.spec['nodeSelector']).toEqual({
      'karpenter.sh/capacity-type': 'spot',
      'kubernetes.io/arch': 'arm64',
      'karpenter.sh/nodepool': 'low',
    });
    expect(JSON.parse(pod.metadata.annotations?.['berth.sh/stamped'] ?? '')).toEqual({
      capacityType: 'high',
      architecture: 'a',
      nodePool: 'low',
    });
  });

  test('apply where both selectors match', () => {
    const apply = (document: PodDefaultsOverrides, facts: Partial<StampRequest> = {}) =>
      stamp(submitted({}, { labels: { app: 'web' } }), [{ ...ARM, ...document }], facts).patch.length > 0;
    expect(apply({ podSelector: { app: 'web' } })).toBe(true);
    expect(apply({ podSelector: { app: 'db' } })).toBe(false);
    expect(apply({ namespaceSelector: { team: 'retail' } })).toBe(true);
    expect(apply({ namespaceSelector: { team: 'other' } })).toBe(false);
  });

  test('apply in a namespace that was not seen yet only where its name decides', () => {
    const apply = (namespaceSelector: Readonly<Record<string, string>>) =>
      stamp(submitted(), [{ ...ARM, namespaceSelector }], { namespaceLabels: undefined }).patch.length > 0;
    expect(apply({})).toBe(true);
    expect(apply({ 'kubernetes.io/metadata.name': 'shop' })).toBe(true);
    expect(apply({ 'kubernetes.io/metadata.name': 'other' })).toBe(false);
    expect(apply({ team: 'retail' })).toBe(false);
  });
});

describe('spread', () => {
  const spreadOf = (pod: Json, documents: readonly PodDefaultsOverrides[]) =>
    stamped(pod, documents).spec['topologySpreadConstraints'];

  test('selects the labels that people gave the pod, and its revision where it has one', () => {
    const generated = {
      'pod-template-hash': '5d9f',
      'controller-revision-hash': 'x',
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
      'batch.kubernetes.io/job-name': 'j',
      'job-name': 'j',
      'controller-uid': 'u',
    };
    const document = { spread: { zone: ZONES.zone, host: HOSTS.host } };
    const labelSelector = { matchLabels: { app: 'web', tier: 'front' } };
    const pod = submitted({}, { labels: { app: 'web', tier: 'front', ...generated } });
    expect(spreadOf(pod, [document])).toEqual([
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector,
        matchLabelKeys: ['pod-template-hash'],
      },
      {
        maxSkew: 2,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector,
        matchLabelKeys: ['pod-template-hash'],
      },
    ]);
    expect(spreadOf(submitted({}, { labels: { app: 'web' } }), [{ spread: ZONES }])).toEqual([
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ]);
    expect(spreadOf(submitted({}, { labels: generated }), [document])).toBeUndefined();
    expect(spreadOf(submitted(), [document])).toBeUndefined();
  });

  test('leaves a topology alone that the pod is spread over already', () => {
    const own = {
      maxSkew: 5,
      topologyKey: 'failure-domain.beta.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
    };
    const pod = submitted({ topologySpreadConstraints: [own] }, { labels: { app: 'web' } });
    expect(spreadOf(pod, [{ spread: { ...ZONES, host: HOSTS.host } }])).toEqual([
      own,
      expect.objectContaining({ topologyKey: 'kubernetes.io/hostname' }),
    ]);
  });
});

describe('tolerations', () => {
  test('are added at the end, but for those that the pod or an earlier document makes superfluous', () => {
    const own = { key: 'own', operator: 'Equal', value: 'x', effect: 'NoExecute', tolerationSeconds: 300 };
    const { spec } = stamped(submitted({ tolerations: [own] }), [
      {
        priority: 1,
        tolerations: [
          { key: 'own', operator: 'Equal', value: 'x', effect: 'NoExecute', tolerationSeconds: 1 },
          { key: 'spot', effect: 'NoSchedule' },
        ],
      },
      {
        tolerations: [
          { key: 'spot', operator: 'Equal', value: 'yes', effect: 'NoSchedule' },
          { key: 'spot', effect: 'NoExecute', tolerationSeconds: 60 },
          { key: 'own', operator: 'Equal', value: 'y' },
        ],
      },
    ]);
    expect(spec['tolerations']).toEqual([
      own,
      { key: 'spot', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'spot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
      { key: 'own', operator: 'Equal', value: 'y' },
    ]);
  });

  test('are recorded one by one', () => {
    const tolerations = [
      { key: 'a' },
      { key: 'b', operator: 'Equal', value: 'c', effect: 'NoSchedule' },
    ] as const;
    const { annotations } = stamped(submitted(), [{ tolerations: [...tolerations, {}] }]).metadata;
    expect(JSON.parse(annotations?.['berth.sh/stamped'] ?? '')).toEqual({
      'tolerations.a': 'defaults',
      'tolerations.b=c:NoSchedule': 'defaults',
      'tolerations.*': 'defaults',
    });
  });
});

describe('schedulerName', () => {
  const schedulerOf = (documents: readonly PodDefaultsOverrides[], facts: Partial<StampRequest> = {}) =>
    stamped(submitted(), documents, facts).spec['schedulerName'];

  test.each([
    ['auto', true, 'berth-scheduler'],
    ['auto', false, 'default-scheduler'],
    ['berth-scheduler', true, 'berth-scheduler'],
    ['berth-scheduler', false, 'default-scheduler'],
    ['never', true, 'default-scheduler'],
    ['volcano', false, 'volcano'],
    ['default-scheduler', true, 'default-scheduler'],
  ])('%s, while berth-scheduler runs: %p, gives %s', (schedulerName, schedulerRuns, expected) => {
    expect(schedulerOf([{ schedulerName }], { schedulerRuns })).toBe(expected);
  });

  test('of the highest priority decides, even where it changes nothing', () => {
    const low = { priority: -1, schedulerName: 'volcano' };
    expect(schedulerOf([{ schedulerName: 'never' }, low])).toBe('default-scheduler');
    expect(schedulerOf([{ schedulerName: 'auto' }, low], { schedulerRuns: false })).toBe('default-scheduler');
    expect(schedulerOf([ARM, low])).toBe('volcano');
  });
});

describe('mode warn', () => {
  test('tells what would be stamped, changes nothing, and keeps no other document from stamping', () => {
    const warn = {
      name: 'trial',
      priority: 1,
      mode: 'warn',
      ...ARM,
      schedulerName: 'auto',
      spread: HOSTS,
      tolerations: [{ key: 'a' }],
    } as const;
    const pod = submitted({}, { labels: { app: 'web' } });
    const { patch, warnings } = stamp(pod, [warn, { nodePool: 'web' }]);
    expect(warnings).toEqual([
      'PodDefaults trial (mode warn) would stamp nodeSelector kubernetes.io/arch=arm64, spread over kubernetes.io/hostname, toleration a, schedulerName berth-scheduler',
    ]);
    expect(applyJsonPatch(pod, patch)['spec']).toMatchObject({
      nodeSelector: { 'karpenter.sh/nodepool': 'web' },
    });
    expect(stamp(pod, [{ mode: 'warn' }])).toEqual({
      exempt: undefined,
      patch: [],
      stamped: new Map(),
      warnings: [],
    });
  });
});

describe('the record', () => {
  const annotationsOf = (annotations: Json) =>
    stamped(submitted({}, { annotations }), [ARM]).metadata.annotations;

  test('keeps what was recorded before, and replaces what is no record', () => {
    expect(annotationsOf({ 'berth.sh/stamped': '{"nodePool":"old"}', a: 'b' })).toEqual({
      a: 'b',
      'berth.sh/stamped': '{"nodePool":"old","architecture":"defaults"}',
    });
    for (const forged of ['[1]', '{"x":1}', 'no json', ''])
      expect(annotationsOf({ 'berth.sh/stamped': forged })?.['berth.sh/stamped']).toBe(
        '{"architecture":"defaults"}',
      );
  });

  test('is left out where the annotations have no room for it, since the API server would refuse the pod', () => {
    const keysAfter = (bytes: number) => Object.keys(annotationsOf({ a: 'ü'.repeat(bytes / 2) }) ?? {});
    expect(keysAfter(262_120)).toEqual(['a']);
    expect(keysAfter(262_000)).toEqual(['a', 'berth.sh/stamped']);
  });
});

describe('pods that are never touched', () => {
  const daemon = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }];
  test.each([
    ['Namespace', submitted(), { namespace: 'kube-system' }],
    ['Namespace', submitted(), { namespace: 'berth-system' }],
    ['Mirror', submitted({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }), {}],
    ['DaemonSet', submitted({}, { ownerReferences: daemon }), {}],
    ['Bound', submitted({ nodeName: 'n' }), {}],
    ['ForeignScheduler', submitted({ schedulerName: 'volcano' }), {}],
    ['Ignored', submitted({}, { annotations: { 'berth.sh/ignore': 'true' } }), {}],
    ['Ignored', submitted({}, { labels: { 'berth.sh/ignore': 'true' } }), {}],
    ['Malformed', { metadata: {}, spec: { tolerations: 'x' } }, {}],
    ['Malformed', { metadata: {} }, {}],
    ['Malformed', null, {}],
  ])('%s', (exempt, pod, facts) => {
    expect(stamp(pod, [{ ...ARM, mode: 'stamp' }], facts)).toEqual({
      exempt,
      patch: [],
      stamped: new Map(),
      warnings: [],
    });
  });

  test('are not those that merely come close', () => {
    const pod = submitted(
      { schedulerName: '', nodeName: '' },
      { annotations: { 'berth.sh/ignore': 'false' } },
    );
    expect(stamp(pod, [ARM]).patch).not.toEqual([]);
    expect(
      stamp(submitted({ nodeSelector: null, tolerations: null }, { labels: null }), [ARM]).patch[0],
    ).toMatchObject({
      path: '/spec/nodeSelector',
    });
  });
});

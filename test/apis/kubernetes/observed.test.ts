/** Objects as the API server shows them: what controllers need of pods, nodes, workloads, namespaces and leases. */
import fc from 'fast-check';
import type { Decoded } from '../../../src/apis/kubernetes/object/finding.js';
import { decodeLease, encodeLeaseSpec } from '../../../src/apis/kubernetes/nodes/lease.js';
import { decodeObservedNamespace } from '../../../src/apis/kubernetes/object/observed-namespace.js';
import { decodeObservedNode } from '../../../src/apis/kubernetes/nodes/observed-node.js';
import { decodeObservedPod } from '../../../src/apis/kubernetes/pods/observed-pod.js';
import { decodePod } from '../../../src/apis/kubernetes/pods/pod.js';
import { podContext } from '../../../src/apis/kubernetes/pods/pod-context.js';
import { formatMicroTime } from '../../../src/apis/kubernetes/object/time.js';
import { decodeWorkloadCount } from '../../../src/apis/kubernetes/workloads/workload-count.js';
import { podManifest, workloadManifest, type Manifest } from './manifests.js';

const STORED = { uid: 'u1', resourceVersion: '42', creationTimestamp: '2026-01-01T00:00:00Z' };
const NEW_YEAR = Date.UTC(2026, 0, 1);

function valueOf<T>({ value, findings }: Decoded<T>): T {
  expect(findings).toEqual([]);
  if (value === undefined) throw new Error('cannot be read');
  return value;
}

describe('a pod', () => {
  test('is what scheduling sees, and more', () => {
    const object = podManifest({
      metadata: { ...STORED, labels: { 'pod-template-hash': 'abc' } },
      spec: { priorityClassName: 'high', priority: 1000, terminationGracePeriodSeconds: 5 },
      status: {
        phase: 'Pending',
        nominatedNodeName: 'n1',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
          { type: 'Ready', status: 'True' },
        ],
      },
    });
    expect(valueOf(decodeObservedPod(object))).toEqual({
      ...decodePod(object).value,
      resourceVersion: '42',
      createdAt: NEW_YEAR,
      deletionTimestamp: undefined,
      scheduled: { status: false, reason: 'Unschedulable', message: '0/3 nodes' },
      nominatedNodeName: 'n1',
      resizeDeferred: false,
      ready: true,
      restarts: 0,
      terminationGracePeriodSeconds: 5,
      priorityClassName: 'high',
      templateHash: 'abc',
      isAnnotated: false,
      toleratedHolds: [],
    });
  });

  test.each([
    ['True', 'Deferred', true],
    ['False', 'Deferred', false],
    ['True', 'Infeasible', false],
  ])('with PodResizePending %s, %s: its resize is Deferred: %s', (status, reason, isDeferred) => {
    const conditions = [
      { type: 'Ready', status: 'True' },
      { type: 'PodResizePending', status, reason },
    ];
    expect(valueOf(decodeObservedPod(podManifest({ status: { conditions } }))).resizeDeferred).toBe(
      isDeferred,
    );
  });

  test('without a status is neither scheduled nor ready, and has 30 s to end', () => {
    expect(valueOf(decodeObservedPod(podManifest()))).toMatchObject({
      scheduled: undefined,
      nominatedNodeName: undefined,
      ready: false,
      terminationGracePeriodSeconds: 30,
      templateHash: '',
      createdAt: 0,
    });
  });

  test('has the restarts of its containers together, whatever else stands there', () => {
    const containerStatuses = [{ restartCount: 2 }, null, { restartCount: 'x' }, { restartCount: 3 }];
    expect(valueOf(decodeObservedPod(podManifest({ status: { containerStatuses } }))).restarts).toBe(5);
    expect(decodeObservedPod(podManifest({ status: { containerStatuses: 1 } })).value?.restarts).toBe(0);
  });

  test('keeps the annotations that Berth reads, and none of others', () => {
    const kept = { 'karpenter.sh/do-not-disrupt': '1h', 'controller.kubernetes.io/pod-deletion-cost': '5' };
    const others = { 'k8s.v1.cni.cncf.io/network-status': '[…]', 'kubernetes.io/config.source': 'api' };
    const object = podManifest({ metadata: { ...STORED, annotations: { ...kept, ...others } } });
    expect(valueOf(decodeObservedPod(object)).annotations).toEqual(new Map(Object.entries(kept)));
    const foreign = podManifest({ metadata: { ...STORED, annotations: others } });
    expect(valueOf(decodeObservedPod(foreign))).toMatchObject({ annotations: new Map(), isAnnotated: true });
  });

  test('has its owner, its node and what most pods have in common with others of its template', () => {
    const context = podContext();
    const read = (name: string): ReturnType<typeof valueOf<object>> => {
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true }];
      const conditions = [{ type: 'PodScheduled', status: 'True' }];
      const metadata = { ...STORED, name, ownerReferences };
      const object = podManifest({ metadata, spec: { nodeName: 'n1' }, status: { conditions } });
      return valueOf(decodeObservedPod(object, context));
    };
    const [one, other] = [read('a'), read('b')] as Record<string, unknown>[];
    expect(one).toMatchObject({ owner: { kind: 'ReplicaSet', name: 'web' }, nodeName: 'n1' });
    for (const field of ['spec', 'owner', 'scheduled', 'annotations'])
      expect(one?.[field]).toBe(other?.[field]);
  });

  test('that is being deleted says when its time is over', () => {
    const metadata = { ...STORED, deletionTimestamp: '2026-01-01T00:00:30Z' };
    const pod = valueOf(decodeObservedPod(podManifest({ metadata })));
    expect(pod).toMatchObject({ terminating: true, deletionTimestamp: NEW_YEAR + 30_000 });
  });

  test('of a StatefulSet has the hash of its revision', () => {
    const metadata = { labels: { 'controller-revision-hash': 'web-7d' } };
    expect(valueOf(decodeObservedPod(podManifest({ metadata }))).templateHash).toBe('web-7d');
  });

  test('with a negative grace period has one second, as the API server reads it', () => {
    const object = podManifest({ spec: { terminationGracePeriodSeconds: -1 } });
    expect(valueOf(decodeObservedPod(object)).terminationGracePeriodSeconds).toBe(1);
  });

  test('shares its spec with the others of its template', () => {
    const context = podContext();
    const [one, other] = ['a', 'b'].map((name) =>
      valueOf(decodeObservedPod(podManifest({ name, metadata: { ...STORED, uid: name } }), context)),
    );
    expect(one?.spec).toBe(other?.spec);
  });

  test('keeps its room although a time in it cannot be read', () => {
    const metadata = { ...STORED, creationTimestamp: 'today' };
    const { value, findings } = decodeObservedPod(podManifest({ metadata }));
    expect(value?.spec.requests.get('pods')).toBe(1);
    expect(findings.map(({ path }) => path)).toEqual([['metadata', 'creationTimestamp']]);
  });
});

describe('a node', () => {
  const NODE: Manifest = {
    metadata: { name: 'n1', ...STORED, finalizers: ['berth.sh/termination'], annotations: { a: 'b' } },
    spec: { providerID: 'aws:///z/i-1' },
    status: {
      allocatable: { cpu: '2' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' }],
    },
  };

  test('has its identity, its finalizers and its readiness', () => {
    expect(valueOf(decodeObservedNode(NODE, new Map([['ebs.csi.aws.com', 25]])))).toMatchObject({
      name: 'n1',
      uid: 'u1',
      resourceVersion: '42',
      createdAt: NEW_YEAR,
      finalizers: ['berth.sh/termination'],
      annotations: new Map([['a', 'b']]),
      providerID: 'aws:///z/i-1',
      ready: true,
      readySince: NEW_YEAR + 60_000,
      volumeLimits: new Map([['ebs.csi.aws.com', 25]]),
    });
  });

  test('has its conditions with their reasons; a status that is none says nothing', () => {
    const conditions = [
      { type: 'DiskHealthy', status: 'False', reason: 'FileSystemReadOnly' },
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' },
      { type: 'Cold', status: 'Perhaps' },
    ];
    expect(valueOf(decodeObservedNode({ ...NODE, status: { conditions } })).conditions).toEqual([
      { type: 'DiskHealthy', status: 'False', reason: 'FileSystemReadOnly', since: undefined },
      { type: 'Ready', status: 'True', reason: '', since: NEW_YEAR + 60_000 },
    ]);
  });

  test('whose kubelet has said nothing is not ready, since no time at all', () => {
    expect(valueOf(decodeObservedNode({ metadata: { name: 'n1' } }))).toMatchObject({
      ready: false,
      readySince: undefined,
    });
  });

  test('reports a wrong label once', () => {
    const { findings } = decodeObservedNode({ metadata: { name: 'n1', labels: { 'not a key': 'x' } } });
    expect(findings).toHaveLength(1);
  });
});

test('a namespace has its name among its labels, and its uid', () => {
  expect(valueOf(decodeObservedNamespace({ metadata: { name: 'web', ...STORED } }))).toEqual({
    name: 'web',
    uid: 'u1',
    labels: new Map([['kubernetes.io/metadata.name', 'web']]),
    annotations: new Map(),
  });
});

describe('a workload', () => {
  test.each([
    ['a ReplicaSet', 'ReplicaSet', { replicas: 5 }, { replicas: 3 }, [5, 3]],
    ['a ReplicaSet that says nothing', 'ReplicaSet', {}, undefined, [1, 0]],
    ['a StatefulSet', 'StatefulSet', { replicas: 0 }, { replicas: 1 }, [0, 1]],
    ['a Job', 'Job', { parallelism: 3, completions: 10 }, { active: 2, succeeded: 1 }, [3, 2]],
    ['a Job near its end', 'Job', { parallelism: 3, completions: 10 }, { active: 1, succeeded: 9 }, [1, 1]],
    ['a suspended Job', 'Job', { parallelism: 3, suspend: true }, {}, [0, 0]],
    ['a Job of one pod', 'Job', {}, { active: 1 }, [1, 1]],
    ['a work queue', 'Job', { parallelism: 3 }, { active: 1 }, [3, 1]],
    ['a work queue that starts no more', 'Job', { parallelism: 3 }, { active: 1, succeeded: 2 }, [1, 1]],
    [
      'a Job that is done',
      'Job',
      { completions: 2 },
      { succeeded: 2, conditions: [{ type: 'Complete', status: 'True' }] },
      [0, 0],
    ],
  ] as const)('%s wants and has pods', (...[, kind, spec, status, counts]) => {
    const [wantedPods, createdPods] = counts;
    const object = workloadManifest({ kind, namespace: 'n', spec, ...(status && { status }) });
    const expected = { kind, namespace: 'n', name: 'web', wantedPods, createdPods };
    expect(valueOf(decodeWorkloadCount(kind, object))).toEqual(expected);
  });
});

describe('a Lease', () => {
  test('is read with its times to the millisecond', () => {
    const spec = {
      holderIdentity: 'berth-0',
      acquireTime: '2026-01-01T00:00:00.123456Z',
      renewTime: '2026-01-01T00:00:05.007999Z',
      leaseDurationSeconds: 15,
      leaseTransitions: 2,
    };
    expect(valueOf(decodeLease({ metadata: { name: 'berth', ...STORED }, spec }))).toEqual({
      name: 'berth',
      resourceVersion: '42',
      holder: 'berth-0',
      acquiredAt: NEW_YEAR + 123,
      renewedAt: NEW_YEAR + 5_007,
      durationSeconds: 15,
      transitions: 2,
    });
  });

  test('without a holder is read without a holder', () => {
    expect(valueOf(decodeLease({ metadata: { name: 'berth' }, spec: {} }))).toMatchObject({
      holder: '',
      renewedAt: 0,
    });
  });

  test('stays the same when it is written and read', () => {
    const leases = fc.record({
      holder: fc.constantFrom('', 'berth-0'),
      acquiredAt: fc.nat(2 ** 41),
      renewedAt: fc.nat(2 ** 41),
      durationSeconds: fc.nat(100),
      transitions: fc.nat(),
    });
    fc.assert(
      fc.property(leases, (content) => {
        const metadata = { name: 'berth', resourceVersion: '1' };
        const { value } = decodeLease({ metadata, spec: encodeLeaseSpec(content) });
        expect(value).toEqual({ name: 'berth', resourceVersion: '1', ...content });
      }),
    );
  });

  test('writes times with the six digits that the API server insists on', () => {
    expect(formatMicroTime(NEW_YEAR + 7)).toBe('2026-01-01T00:00:00.007000Z');
  });
});

test.each([
  ['a pod', decodeObservedPod],
  ['a node', decodeObservedNode],
  ['a namespace', decodeObservedNamespace],
  ['a Lease', decodeLease],
  ['a Job', (object: unknown) => decodeWorkloadCount('Job', object)],
] as const)('reading %s never throws, whatever it is', (_, decode: (object: unknown) => unknown) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (spec, status, metadata) => {
      const named = Object.assign({ name: 'x' }, metadata);
      expect(() => decode({ metadata: named, spec, status })).not.toThrow();
      expect(() => decode(spec)).not.toThrow();
    }),
  );
});

/** Snapshots: ids and columns that say what the input says, whatever its order. */
import fc from 'fast-check';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { labels, pod, replicas } from '../../support/builders/pod.js';
import { persistentVolume, storageClass, volumeClaim } from '../../support/builders/volume.js';

function snapshotOf(input: Partial<ClusterInput>): ReturnType<typeof buildSnapshot> {
  return buildSnapshot(clusterInput(input));
}

describe('buildSnapshot', () => {
  test('interns a spec once, however many pods have it and however they say it', () => {
    const same = [
      pod({ name: 'x', labels: { a: '1', b: '2' }, requests: { cpu: '500m' } }),
      pod({ name: 'y', labels: { b: '2', a: '1' }, requests: { cpu: '0.5' } }),
    ];
    const { specs, pods } = snapshotOf({ pods: [...replicas(50), ...same] });
    expect(specs).toHaveLength(2);
    expect(pods.keys).toHaveLength(52);
    expect(pods.spec[50]).toBe(pods.spec[51]);
  });

  test('sorts pods, nodes, DaemonSets and pools', () => {
    const snapshot = snapshotOf({
      pods: [pod({ name: 'b' }), pod({ name: 'a' }), pod({ name: 'z', namespace: 'apps' })],
      nodes: [node({ name: 'two' }), node({ name: 'one' })],
      daemonSets: [daemonSet({ name: 'b' }), daemonSet({ name: 'a' })],
      pools: [poolOffer({ name: 'b' }), poolOffer({ name: 'a' }), poolOffer({ name: 'z', weight: 7 })],
    });
    expect(snapshot.pods.keys).toEqual(['apps/z', 'default/a', 'default/b']);
    expect(snapshot.nodes.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(snapshot.daemonSets.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(snapshot.pools.map(({ pool }) => pool.name)).toEqual(['z', 'a', 'b']);
  });

  test('is the same for any order of everything', () => {
    const input = clusterInput({
      pods: [
        ...replicas(3, { name: 'web' }),
        pod({ name: 'db', requests: { cpu: '2', 'nvidia.com/gpu': '1' } }),
        pod({ name: 'on', nodeName: 'one' }),
      ],
      nodes: [node({ name: 'one' }), node({ name: 'two' })],
      daemonSets: [daemonSet({ name: 'x' }), daemonSet({ name: 'y', requests: { 'example.com/z': '1' } })],
      pools: [poolOffer({ name: 'a' }), poolOffer({ name: 'b', weight: 3 })],
      storageClasses: [storageClass({ isDefault: true }), storageClass({ name: 'other', isDefault: true })],
    });
    const expected = buildSnapshot(input);
    const shuffled = <T>(list: readonly T[]): fc.Arbitrary<T[]> =>
      fc.shuffledSubarray([...list], { minLength: list.length });
    const inAnyOrder = fc.record({
      pods: shuffled(input.pods),
      nodes: shuffled(input.nodes),
      daemonSets: shuffled(input.daemonSets),
      pools: shuffled(input.pools),
      storageClasses: shuffled(input.storageClasses),
    });
    fc.assert(
      fc.property(inAnyOrder, (lists) => {
        expect(buildSnapshot({ ...input, ...lists })).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  test('puts amounts on one axis: cpu, memory, pods, ephemeral-storage, then the others by name', () => {
    const snapshot = snapshotOf({
      pods: [pod({ requests: { cpu: '250m', 'nvidia.com/gpu': '2' } })],
      daemonSets: [daemonSet({ requests: { 'example.com/z': '1' } })],
      nodes: [node()],
    });
    expect(snapshot.resources).toEqual([
      'cpu',
      'memory',
      'pods',
      'ephemeral-storage',
      'example.com/z',
      'nvidia.com/gpu',
    ]);
    expect([...snapshot.specRequests]).toEqual([250, 128 * 2 ** 20, 1, 0, 0, 2]);
    expect([...snapshot.daemonRequests]).toEqual([100, 128 * 2 ** 20, 1, 0, 1, 0]);
    expect([...snapshot.nodeAllocatable]).toEqual([1920, 7792 * 2 ** 20, 29, 17 * 2 ** 30, 0, 0]);
  });

  test('knows the node of every bound pod and leaves out pods of nodes that are not listed', () => {
    const { pods } = snapshotOf({
      nodes: [node({ name: 'one' }), node({ name: 'two' })],
      pods: [pod({ name: 'a', nodeName: 'two' }), pod({ name: 'b' }), pod({ name: 'c', nodeName: 'gone' })],
    });
    expect(pods.keys).toEqual(['default/a', 'default/b']);
    expect([...pods.node]).toEqual([1, -1]);
  });

  test('leaves out pods that are finished', () => {
    const nodes = [node()];
    const finished = (['Succeeded', 'Failed'] as const).map((phase) =>
      pod({ name: phase, nodeName: 'node', phase }),
    );
    const { pods } = snapshotOf({ nodes, pods: [...finished, pod({ name: 'running', nodeName: 'node' })] });
    expect(pods.keys).toEqual(['default/running']);
  });

  test('knows the DaemonSet that owns a pod, by namespace and name', () => {
    const owner = { kind: 'DaemonSet', name: 'agent' };
    const { pods } = snapshotOf({
      nodes: [node()],
      daemonSets: [daemonSet({ name: 'aaa' }), daemonSet({ name: 'agent' })],
      pods: [
        pod({ name: 'ours', namespace: 'kube-system', owner, nodeName: 'node' }),
        pod({ name: 'theirs', namespace: 'default', owner, nodeName: 'node' }),
        pod({ name: 'web', namespace: 'kube-system', owner: { kind: 'ReplicaSet', name: 'agent' } }),
      ],
    });
    expect(pods.keys).toEqual(['default/theirs', 'kube-system/ours', 'kube-system/web']);
    expect([...pods.daemonSet]).toEqual([-1, 1, -1]);
  });

  test('gives every namespace in use the label with its name, beside its own', () => {
    const { namespaces } = snapshotOf({
      pods: [pod({ namespace: 'shop' })],
      namespaces: new Map([['data', labels({ kind: 'stores' })]]),
    });
    expect(namespaces.get('shop')).toEqual(new Map([['kubernetes.io/metadata.name', 'shop']]));
    expect(namespaces.get('data')).toEqual(
      new Map([
        ['kind', 'stores'],
        ['kubernetes.io/metadata.name', 'data'],
      ]),
    );
  });

  test('finds volumes by name, and the first default class by name', () => {
    const { volumes } = snapshotOf({
      pods: replicas(2, { volumes: ['data'] }),
      persistentVolumeClaims: [volumeClaim()],
      persistentVolumes: [persistentVolume()],
      storageClasses: [
        storageClass({ name: 'z', isDefault: true }),
        storageClass({ name: 'b', isDefault: true }),
        storageClass({ name: 'a' }),
      ],
    });
    expect(volumes.claims.get('default/data')?.storageClassName).toBe('gp3');
    expect(volumes.volumes.has('pv')).toBe(true);
    expect(volumes.defaultClass?.name).toBe('b');
    expect(volumes.users.get('default/data')).toBe(2);
  });
});

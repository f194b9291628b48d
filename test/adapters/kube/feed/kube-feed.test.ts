/** What a ClusterFeed is told of the cluster: every kind under its key, nodes with their limits, nothing lost in silence. */
import { kubeFeed, type FeedCounters, type KubeFeed } from '../../../../src/adapters/kube/feed/kube-feed.js';
import { encodeNodeClaim } from '../../../../src/apis/berth/node-claim.js';
import { encodeReservation } from '../../../../src/apis/berth/reservation.js';
import type { ObservedNode } from '../../../../src/domain/nodes/observed-node.js';
import type { ClusterFeed, ObservedKind } from '../../../../src/ports/cluster-feed.js';
import { eventually } from '../../../controlplane/fixture/eventually.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';
import { reservation } from '../../../support/builders/reservation.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import { seededRandom } from '../../../../world/seeded-random.js';
import { podManifest } from '../../../apis/kubernetes/manifests.js';
import { FakeCollections } from './fake-collections.js';

const ALL: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'Namespace',
  'DaemonSet',
  'Workload',
  'PodGroup',
  'PodTemplate',
  'ProvisioningRequest',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'VolumeAttachment',
  'HorizontalPodAutoscaler',
  'CapacityBuffer',
  'NodeClaim',
  'Reservation',
  'PolicyConfigMap',
  'PolicyStatus',
  'Decision',
  'Lease',
];
const PODS = '/api/v1/pods';
const NODES = '/api/v1/nodes';
const CSI_NODES = '/apis/storage.k8s.io/v1/csinodes';

class RecordingFeed implements ClusterFeed {
  /** `Kind/key`, in order. */
  readonly puts: { readonly kind: ObservedKind; readonly object: object }[] = [];
  readonly deletes: string[] = [];
  readonly synced_: ObservedKind[] = [];

  put(kind: ObservedKind, object: object): void {
    this.puts.push({ kind, object });
  }

  delete(kind: ObservedKind, key: string): void {
    this.deletes.push(`${kind} ${key}`);
  }

  synced(kind: ObservedKind): void {
    this.synced_.push(kind);
  }

  last(kind: ObservedKind): unknown {
    return this.puts.filter((put) => put.kind === kind).at(-1)?.object;
  }

  count(kind: ObservedKind): number {
    return this.puts.filter((put) => put.kind === kind).length;
  }
}

describe('kubeFeed', () => {
  const collections = { current: new FakeCollections() };
  let clock: VirtualClock;
  let told: RecordingFeed;
  let findings: string[];
  let log: ReturnType<typeof recordingLogger>;
  let stop: AbortController;
  let running: Promise<void> | undefined;
  let feed: KubeFeed;

  beforeEach(() => {
    collections.current = new FakeCollections();
    clock = new VirtualClock();
    told = new RecordingFeed();
    findings = [];
    log = recordingLogger();
    stop = new AbortController();
  });

  afterEach(async () => {
    stop.abort();
    await running;
    running = undefined;
  });

  function follow(...kinds: readonly ObservedKind[]): void {
    const counters: FeedCounters = {
      increment: () => undefined,
      findings: (kind, count) => findings.push(`${kind} ${String(count)}`),
      contact: () => undefined,
    };
    feed = kubeFeed({
      client: collections.current,
      feed: told,
      kinds,
      namespace: 'berth-system',
      clock,
      random: seededRandom(1),
      logger: log.logger,
      counters,
    });
    running = feed.run(stop.signal);
  }

  async function synced(kind: ObservedKind): Promise<void> {
    await eventually(`${kind} to be synced`, () => told.synced_.includes(kind));
  }

  test('lists each collection once, pods that have not ended, and ConfigMaps and Leases in its own namespace alone', async () => {
    follow(...ALL, 'Pod');
    await eventually('all kinds to be synced', () => told.synced_.length === ALL.length);
    expect(told.synced_.sort()).toEqual([...ALL].sort());
    expect(collections.current.listed.sort()).toEqual([
      '/api/v1/namespaces',
      '/api/v1/namespaces/berth-system/configmaps?berth.sh/policy=true',
      NODES,
      '/api/v1/persistentvolumeclaims',
      '/api/v1/persistentvolumes',
      `${PODS}?status.phase!=Succeeded,status.phase!=Failed`,
      '/api/v1/podtemplates',
      '/apis/apps/v1/daemonsets',
      '/apis/apps/v1/replicasets',
      '/apis/apps/v1/statefulsets',
      '/apis/autoscaling.x-k8s.io/v1/capacitybuffers',
      '/apis/autoscaling.x-k8s.io/v1/provisioningrequests',
      '/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers',
      '/apis/autoscaling.x-k8s.io/v1beta1/provisioningrequests',
      '/apis/autoscaling/v2/horizontalpodautoscalers',
      '/apis/batch/v1/jobs',
      '/apis/berth.sh/v1/decisions',
      '/apis/berth.sh/v1/nodeclaims',
      '/apis/berth.sh/v1/policystatuses',
      '/apis/berth.sh/v1/reservations',
      '/apis/coordination.k8s.io/v1/namespaces/berth-system/leases',
      '/apis/policy/v1/poddisruptionbudgets',
      '/apis/scheduling.k8s.io/v1alpha2/podgroups',
      '/apis/scheduling.k8s.io/v1beta1/podgroups',
      '/apis/scheduling.x-k8s.io/v1alpha1/podgroups',
      CSI_NODES,
      '/apis/storage.k8s.io/v1/storageclasses',
      '/apis/storage.k8s.io/v1/volumeattachments',
    ]);
    expect(feed.health().every((watch) => watch.synced)).toBe(true);
  });

  test('reads nothing that it was not asked for', async () => {
    follow('Lease');
    await synced('Lease');
    expect(collections.current.listed).toEqual([
      '/apis/coordination.k8s.io/v1/namespaces/berth-system/leases',
    ]);
  });

  test("puts Berth's own kinds as the domain has them", async () => {
    const claim = nodeClaim();
    const held = reservation();
    collections.current.fill('/apis/berth.sh/v1/nodeclaims', encodeNodeClaim(claim));
    collections.current.fill('/apis/berth.sh/v1/reservations', encodeReservation(held));
    follow('NodeClaim', 'Reservation');
    await synced('NodeClaim');
    await synced('Reservation');
    expect(told.last('NodeClaim')).toEqual(claim);
    expect(told.last('Reservation')).toEqual(held);
  });

  test('deletes under the key that state knows the object by', async () => {
    const claim = { metadata: { name: 'data', namespace: 'web', uid: 'u' }, spec: {} };
    const job = { metadata: { name: 'once', namespace: 'web', uid: 'u' }, spec: {} };
    collections.current.fill('/api/v1/persistentvolumeclaims', claim);
    collections.current.fill('/apis/batch/v1/jobs', job);
    follow('PersistentVolumeClaim', 'Workload');
    await eventually('both to be watched', () =>
      ['/api/v1/persistentvolumeclaims', '/apis/batch/v1/jobs'].every((path) =>
        collections.current.isWatched(path),
      ),
    );
    collections.current.emit('/api/v1/persistentvolumeclaims', 'DELETED', claim);
    collections.current.emit('/apis/batch/v1/jobs', 'DELETED', job);
    await eventually('both to be deleted', () => told.deletes.length === 2);
    expect(told.deletes.sort()).toEqual(['PersistentVolumeClaim web/data', 'Workload Job/web/once']);
  });

  test('calls a kind synced when all of its collections are', async () => {
    collections.current.hold('/apis/batch/v1/jobs');
    collections.current.hold(CSI_NODES);
    follow('Workload', 'Node', 'Pod', 'PersistentVolume');
    await synced('Pod');
    await eventually('the others to be watched', () =>
      ['/apis/apps/v1/replicasets', '/apis/apps/v1/statefulsets', NODES].every((path) =>
        collections.current.isWatched(path),
      ),
    );
    expect(told.synced_).not.toContain('Workload');
    expect(told.synced_).not.toContain('Node');
    collections.current.answer('/apis/batch/v1/jobs');
    collections.current.answer(CSI_NODES);
    await synced('Workload');
    await synced('Node');
    expect(told.synced_).toHaveLength(4);
  });

  test('takes PodGroups for none where the server does not know them, and finds them when it does', async () => {
    const groups = '/apis/scheduling.x-k8s.io/v1alpha1/podgroups';
    collections.current.setAbsent(groups, true);
    follow('PodGroup');
    await synced('PodGroup');
    collections.current.fill(groups, { metadata: { name: 'train' }, spec: { minMember: 4 } });
    collections.current.setAbsent(groups, false);
    await clock.advance(60_000);
    await eventually('the group', () => told.count('PodGroup') === 1);
    expect(told.last('PodGroup')).toEqual({ namespace: 'default', name: 'train', minMembers: 4 });
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test.each([
    ['VolumeAttachment', '/apis/storage.k8s.io/v1/volumeattachments'],
    ['HorizontalPodAutoscaler', '/apis/autoscaling/v2/horizontalpodautoscalers'],
    ['Service', '/api/v1/services'],
    ['PodTemplate', '/api/v1/podtemplates'],
  ] as const)('begins without %ss where the server shows none', async (kind, path) => {
    collections.current.setAbsent(path, true);
    follow(kind);
    await synced(kind);
    expect(told.count(kind)).toBe(0);
  });

  test.each(['v1alpha2', 'v1beta1'])(
    'reads the PodGroups of Kubernetes itself, whether they are %s, beside those of the coscheduling plugin',
    async (version) => {
      const groups = `/apis/scheduling.k8s.io/${version}/podgroups`;
      const spec = { schedulingPolicy: { gang: { minCount: 3 } } };
      collections.current.fill(groups, { metadata: { name: 'train' }, spec });
      for (const other of ['v1alpha2', 'v1beta1'].filter((each) => each !== version))
        collections.current.setAbsent(`/apis/scheduling.k8s.io/${other}/podgroups`, true);
      collections.current.fill('/apis/scheduling.x-k8s.io/v1alpha1/podgroups', {
        metadata: { name: 'tune' },
        spec: { minMember: 2 },
      });
      follow('PodGroup');
      await synced('PodGroup');
      expect(told.count('PodGroup')).toBe(2);
      await eventually('the groups to be watched', () => collections.current.isWatched(groups));
      collections.current.emit(groups, 'MODIFIED', {
        metadata: { name: 'train' },
        spec: { schedulingPolicy: { gang: { minCount: 5 } } },
      });
      await eventually('the change', () => told.count('PodGroup') === 3);
      expect(told.last('PodGroup')).toEqual({ namespace: 'default', name: 'train', minMembers: 5 });
    },
  );

  describe('nodes', () => {
    const NODE = { metadata: { name: 'n1' }, status: { allocatable: { cpu: '2' } } };
    const csiNode = (count: number): Readonly<Record<string, unknown>> => ({
      metadata: { name: 'n1' },
      spec: { drivers: [{ name: 'ebs.csi.aws.com', allocatable: { count } }] },
    });

    function limit(): number | undefined {
      return (told.last('Node') as ObservedNode | undefined)?.volumeLimits.get('ebs.csi.aws.com');
    }

    test('carry the attach limits of their CSINode, whichever comes first and however they change', async () => {
      follow('Node', 'PersistentVolume');
      await synced('Node');
      await eventually('both to be watched', () =>
        [NODES, CSI_NODES].every((path) => collections.current.isWatched(path)),
      );
      collections.current.emit(NODES, 'ADDED', NODE);
      await eventually('the node', () => told.count('Node') === 1);
      expect(limit()).toBeUndefined();
      collections.current.emit(CSI_NODES, 'ADDED', csiNode(25));
      await eventually('its limit', () => limit() === 25);
      collections.current.emit(CSI_NODES, 'MODIFIED', csiNode(25));
      collections.current.emit(CSI_NODES, 'MODIFIED', csiNode(39));
      await eventually('its new limit', () => limit() === 39);
      // The change that changed nothing was nobody's business.
      expect(told.count('Node')).toBe(3);
      collections.current.emit(NODES, 'MODIFIED', NODE);
      await eventually('the node again', () => told.count('Node') === 4);
      expect(limit()).toBe(39);
      collections.current.emit(CSI_NODES, 'DELETED', csiNode(39));
      await eventually('no limit', () => limit() === undefined);
      collections.current.emit(NODES, 'DELETED', NODE);
      await eventually('the node to be gone', () => told.deletes.length === 1);
      expect(told.deletes).toEqual(['Node n1']);
    });

    test('have none where no pod asks for volumes, and CSINodes are left alone', async () => {
      collections.current.fill(NODES, NODE);
      follow('Node');
      await synced('Node');
      expect(collections.current.listed).toEqual([NODES]);
      expect(limit()).toBeUndefined();
    });

    test('that are gone do not come back with news of their CSINode', async () => {
      collections.current.fill(NODES, NODE);
      follow('Node', 'PersistentVolume');
      await eventually('both to be watched', () =>
        [NODES, CSI_NODES].every((path) => collections.current.isWatched(path)),
      );
      collections.current.emit(NODES, 'DELETED', NODE);
      await eventually('the node to be gone', () => told.deletes.length === 1);
      const before = told.count('Node');
      collections.current.emit(CSI_NODES, 'ADDED', csiNode(25));
      collections.current.emit(NODES, 'ADDED', { metadata: { name: 'n2' } });
      await eventually('another node', () => (told.last('Node') as ObservedNode).name === 'n2');
      expect(told.count('Node')).toBe(before + 1);
    });
  });

  describe('what cannot be read', () => {
    const BAD = podManifest({ name: 'bad', namespace: 'web', spec: { nodeSelector: 7 } });

    test('is put as far as it can be, counted each time and logged once', async () => {
      collections.current.fill(PODS, BAD);
      follow('Pod');
      await eventually('the pods to be watched', () => collections.current.isWatched(PODS));
      collections.current.emit(PODS, 'MODIFIED', BAD);
      await eventually('the pod twice', () => told.count('Pod') === 2);
      expect(findings).toEqual(['Pod 1', 'Pod 1']);
      expect(log.lines).toEqual([
        {
          level: 'warn',
          message: 'Failed to decode some fields of an object',
          fields: { kind: 'Pod', object: 'web/bad', findings: 'spec.nodeSelector must be an object, not 7' },
        },
      ]);
    });

    test('is logged again when something else is wrong with it, or when it was right meanwhile', async () => {
      follow('Pod');
      await eventually('the pods to be watched', () => collections.current.isWatched(PODS));
      const states = [BAD, podManifest({ name: 'bad', namespace: 'web' }), BAD];
      for (const state of states) collections.current.emit(PODS, 'MODIFIED', state);
      await eventually('all states', () => told.count('Pod') === 3);
      expect(log.lines).toHaveLength(2);
    });

    test('and is nothing at all is named, and keeps nothing else from being read', async () => {
      const target = { kind: 'Pod', name: 'x' };
      collections.current.fill(
        '/apis/berth.sh/v1/reservations',
        { metadata: { name: 'odd' }, spec: { target } },
        encodeReservation(reservation()),
      );
      follow('Reservation');
      await synced('Reservation');
      expect(told.count('Reservation')).toBe(1);
      expect(log.lines[0]?.fields).toMatchObject({ object: 'odd' });
    });

    test('is not logged where it affects only the user who wrote it', async () => {
      collections.current.fill(PODS, podManifest({ spec: { priorityClassName: 'unheard-of' } }));
      follow('Pod');
      await synced('Pod');
      expect(findings).toEqual([]);
    });
  });

  test('decodes pods of one template into one specification', async () => {
    const pods = ['a', 'b'].map((name) => podManifest({ name, namespace: 'web' }));
    collections.current.fill(PODS, ...pods);
    follow('Pod');
    await synced('Pod');
    const specs = told.puts.map(({ object }) => (object as { readonly spec: object }).spec);
    expect(specs[0]).toBe(specs[1]);
  });

  test('ends when it is stopped', async () => {
    follow(...ALL);
    await synced('Pod');
    stop.abort();
    await expect(running).resolves.toBeUndefined();
  });
});

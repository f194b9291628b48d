/** Karpenter's own NodePools and node classes, read as policies. */
import '../../../../src/app/clouds.js';
import { kubeFeed, type KubeFeedOptions } from '../../../../src/adapters/kube/feed/kube-feed.js';
import { readPolicyConfigMap } from '../../../../src/apis/berth/read-policy-config-map.js';
import { customPolicyKinds } from '../../../../src/app/custom-policy-kinds.js';
import type { PolicyDocument } from '../../../../src/domain/policies/policy.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { seededRandom } from '../../../../world/seeded-random.js';
import { eventually } from '../../../controlplane/fixture/eventually.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { FakeCollections } from './fake-collections.js';

const POOLS = '/apis/karpenter.sh/v1/nodepools';
const CLASSES = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';
const OVERLAYS = '/apis/karpenter.sh/v1alpha1/nodeoverlays';
const KWOK_CLASSES = '/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses';

const POOL = {
  metadata: { name: 'general', annotations: { 'karpenter.sh/nodepool-hash': '123' } },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
      },
    },
  },
  status: { nodes: 7, conditions: [{ type: 'Ready', status: 'True' }] },
};
const NODE_CLASS = {
  metadata: { name: 'default' },
  spec: {
    role: 'nodes',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { team: 'a' } }],
    securityGroupSelectorTerms: [{ tags: { team: 'a' } }],
  },
};

describe.each([
  ['by this thread', undefined],
  ['by another thread', (object: unknown) => Promise.resolve(readPolicyConfigMap(object))],
] as const)('custom resources that are read %s', (_, readPolicies) => {
  let collections: FakeCollections;
  let cluster: Cluster;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    collections = new FakeCollections();
    collections.fill(POOLS, POOL);
    collections.fill(CLASSES, NODE_CLASS);
    collections.setAbsent(OVERLAYS, true);
    collections.setAbsent(KWOK_CLASSES, true);
    cluster = new Cluster();
    stop = new AbortController();
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  function follow(options: Partial<KubeFeedOptions> = {}): void {
    const feed = kubeFeed({
      ...{ client: collections, feed: cluster, kinds: ['PolicyConfigMap'], namespace: 'berth-system' },
      ...{ clock: new VirtualClock(), random: seededRandom(1), logger: recordingLogger().logger },
      ...{ readPolicies, customPolicies: customPolicyKinds(), ...options },
    });
    running = feed.run(stop.signal);
  }

  function documents(): readonly PolicyDocument[] {
    return [...cluster.policyConfigMaps.values()].flatMap((each) => each.documents);
  }

  test('are accepted without their status, and kinds that the cluster does not have are none', async () => {
    follow();
    await eventually('all to be listed', () => cluster.isSynced('PolicyConfigMap'));
    const found = documents().map(({ kind, name, source, errors }) => ({ kind, name, source, errors }));
    expect(found.sort((left, right) => (left.kind < right.kind ? -1 : 1))).toEqual([
      {
        ...{ kind: 'EC2NodeClass', name: 'default', errors: [] },
        source: { configMap: 'ec2nodeclasses.karpenter.k8s.aws/default', key: 'default' },
      },
      {
        ...{ kind: 'NodePool', name: 'general', errors: [] },
        source: { configMap: 'nodepools.karpenter.sh/general', key: 'general' },
      },
    ]);
    expect(JSON.stringify(documents())).not.toContain('hash":"123');
  });

  test('follow what Karpenter has', async () => {
    follow();
    await eventually('all to be watched', () =>
      [POOLS, CLASSES].every((path) => collections.isWatched(path)),
    );
    collections.emit(POOLS, 'MODIFIED', { ...POOL, spec: { ...POOL.spec, weight: 7 } });
    await eventually('the change', () =>
      documents().some(({ value }) => value?.kind === 'NodePool' && value.nodePool.weight === 7),
    );
    collections.emit(POOLS, 'DELETED', POOL);
    await eventually('the end', () => documents().length === 1);
    expect(documents()).toMatchObject([{ kind: 'EC2NodeClass' }]);
  });

  test('are not synced before the last collection is', async () => {
    collections.hold(CLASSES);
    follow();
    await eventually('the pools', () => documents().length === 1);
    expect(cluster.isSynced('PolicyConfigMap')).toBe(false);
    collections.answer(CLASSES);
    await eventually('all', () => cluster.isSynced('PolicyConfigMap'));
    expect(documents()).toHaveLength(2);
  });
});

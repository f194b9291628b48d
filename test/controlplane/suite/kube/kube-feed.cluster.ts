/** The cluster in memory follows the real API server: every kind, what Berth wrote itself, and what others do. */
import { kubeFeed, type KubeFeed } from '../../../../src/adapters/kube/feed/kube-feed.js';
import { KubeClient, KubeconfigSource } from '../../../../src/adapters/kube/transport/index.js';
import { kubeWriter } from '../../../../src/adapters/kube/writer/kube-writer.js';
import type { ObservedKind } from '../../../../src/ports/cluster-feed.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { systemRandom } from '../../../../src/runtime/process/system-random.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { decisionSpec } from '../../../support/builders/decision.js';
import { launchStatus, nodeClaim } from '../../../support/builders/node-claim.js';
import { nodePoolDocument, policyStatus } from '../../../support/builders/policy-status.js';
import { reservationEntry } from '../../../support/builders/reservation.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  clusterScoped,
  JOBS,
  NAMESPACES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '../../fixture/api/kube-object.js';
import { applyCustomResources } from '../apply-custom-resources.js';
import { jobManifest, podManifest, workloadManifest } from '../manifests.js';

const NAMESPACE = 'berth-system';
const CSI_NODES = clusterScoped('storage.k8s.io/v1', 'CSINode');
const KINDS: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'Namespace',
  'DaemonSet',
  'Workload',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'VolumeAttachment',
  'HorizontalPodAutoscaler',
  'NodeClaim',
  'Reservation',
  'PolicyConfigMap',
  'PolicyStatus',
  'Decision',
  'Lease',
];

describe('the feed', () => {
  let api: ControlPlane;
  let client: KubeClient;
  let feed: KubeFeed;
  let running: Promise<void>;
  const known = new Cluster();
  const stop = new AbortController();
  const { logger, lines } = recordingLogger();

  beforeAll(async () => {
    api = await startControlPlane();
    await applyCustomResources(api);
    await api.api.create(NAMESPACES, { metadata: { name: NAMESPACE } });
    const connection = new KubeconfigSource({ clock: systemClock, file: api.kubeconfig('admin') });
    client = new KubeClient({ connection, clock: systemClock, userAgent: 'berth/test' });
    feed = kubeFeed({
      ...{ client, feed: known, kinds: KINDS, namespace: NAMESPACE },
      ...{ clock: systemClock, random: systemRandom, logger },
    });
    running = feed.run(stop.signal);
    await known.whenSynced(KINDS, AbortSignal.timeout(30_000));
  });

  afterAll(async () => {
    stop.abort();
    await running;
    client.close();
    await api.stop();
  });

  test('finds every collection, and watches it', async () => {
    // A kind whose definition is new is answered 429 at first (storage is (re)initializing), and asked for again.
    const calm = (): true => {
      expect(feed.health().filter(({ watching, failures }) => !watching || failures > 0)).toEqual([]);
      return true;
    };
    await eventually('all to be watched, and no failure to be left', calm, { timeoutMillis: 30_000 });
    expect([...known.namespaces.values()].map(({ name }) => name)).toContain(NAMESPACE);
  });

  test("shows Berth's own objects as Berth wrote them", async () => {
    const kube = kubeWriter({ client, namespace: NAMESPACE, reportingInstance: 'berth-0' });
    const created = await kube.createNodeClaim(nodeClaim());
    const status = { ...created.status, launch: launchStatus(), providerID: 'aws:///z/i-1' };
    const claim = await kube.putNodeClaimStatus(created, status);
    const target = { kind: 'NodeClaim', name: claim.name } as const;
    const held = await kube.putReservation(target, [reservationEntry()], undefined);
    const policy = await kube.putPolicyStatus(policyStatus(), undefined);
    const decided = await kube.createDecision('d', decisionSpec());
    const lease = await kube.createLease({
      ...{ name: 'berth', holder: 'berth-0', durationSeconds: 15, transitions: 0 },
      ...{ acquiredAt: systemClock.now(), renewedAt: systemClock.now() },
    });
    await eventually('all of them', () => {
      expect(known.nodeClaims.get(claim.name)).toEqual(claim);
      expect(known.reservations.get(held.name)).toEqual(held);
      expect(known.policyStatuses.get(policy.name)).toEqual(policy);
      expect(known.decisions.get('d')).toEqual(decided);
      expect(known.leases.get('berth')).toEqual(lease);
      return true;
    });
    await kube.deleteReservation(held);
    await eventually('the reservation to be gone', () => known.reservations.get(held.name) === undefined);
    expect(known.reservationOf('uid-1')).toBeUndefined();
  });

  test('shows what workloads want and have, and their pods', async () => {
    await api.api.create(DEPLOYMENTS, workloadManifest({ workload: { replicas: 2 } }));
    await api.api.create(JOBS, jobManifest({ workload: { parallelism: 3, completions: 3 } }));
    await api.api.create(DAEMON_SETS, workloadManifest({ name: 'agent' }));
    await api.api.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await eventually('two pods of one and three of the other', () => {
      const counts = [...known.workloads.values()].map(
        ({ kind, wantedPods, createdPods }) => `${kind} ${String(wantedPods)} ${String(createdPods)}`,
      );
      expect(counts.sort()).toEqual(['Job 3 3', 'ReplicaSet 2 2']);
      expect(known.daemonSets.get('default/agent')).toBeDefined();
      expect(known.podDisruptionBudgets.get('default/web')?.minAvailable?.amount).toBe(1);
      return true;
    });
    const web = await eventually('both pods to be unschedulable', () => {
      const pods = [...known.pods.values()].filter(({ spec }) => spec.labels.get('app') === 'web');
      return pods.every(({ scheduled }) => scheduled?.reason === 'Unschedulable') ? pods : undefined;
    });
    expect(web).toHaveLength(2);
    expect(web[0]?.templateHash).not.toBe('');
    expect(web[0]?.spec).toBe(web[1]?.spec);
  });

  test('forgets a pod when it ends, and lists none that has ended', async () => {
    const name = 'ending';
    await api.api.create(PODS, podManifest({ name, labels: { app: name } }));
    const key = `default/${name}`;
    await eventually('the pod', () => known.pods.get(key));
    const body = { status: { phase: 'Succeeded' } };
    await api.api.patchStatus(PODS, { name }, { type: 'merge', body });
    await eventually('the pod to be gone', () => known.pods.get(key) === undefined);
    const later = new Cluster();
    const watching = new AbortController();
    const second = kubeFeed({
      ...{ client, feed: later, kinds: ['Pod'], namespace: NAMESPACE },
      ...{ clock: systemClock, random: systemRandom, logger },
    }).run(watching.signal);
    await later.whenSynced(['Pod'], AbortSignal.timeout(30_000));
    watching.abort();
    await second;
    expect(later.pods.size).toBeGreaterThan(0);
    expect(later.pods.get(key)).toBeUndefined();
  });

  test('shows a node with the limits of its CSINode', async () => {
    const node = await api.api.create(NODES, {
      metadata: { name: 'n1' },
      spec: { providerID: 'aws:///z/i-1' },
    });
    const { uid } = node.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid }];
    const drivers = [{ name: 'ebs.csi.aws.com', nodeID: 'n1', allocatable: { count: 25 } }];
    await api.api.create(CSI_NODES, { metadata: { name: 'n1', ownerReferences }, spec: { drivers } });
    await eventually('its limit', () => known.nodes.get('n1')?.volumeLimits.get('ebs.csi.aws.com') === 25);
    expect(known.nodeByProviderID('aws:///z/i-1')?.uid).toBe(uid);
    await api.api.delete(NODES, { name: 'n1' });
    await eventually('the node to be gone', () => known.nodes.get('n1') === undefined);
  });

  test('shows policies of its namespace that have the label, and forgets them when they lose it', async () => {
    const labels = { 'berth.sh/policy': 'true' };
    const data = { 'pools.yaml': JSON.stringify(nodePoolDocument('general')) };
    const elsewhere = { name: 'elsewhere', namespace: 'default', labels };
    await api.api.create(CONFIG_MAPS, { metadata: elsewhere, data });
    const ref = { name: 'pools', namespace: NAMESPACE };
    await api.api.create(CONFIG_MAPS, { metadata: { ...ref, labels }, data });
    const seen = await eventually('the policies', () => known.policyConfigMaps.get('pools'));
    expect(seen.documents).toMatchObject([{ kind: 'NodePool', name: 'general', errors: [] }]);
    expect(known.policyConfigMaps.size).toBe(1);
    const body = { metadata: { labels: { 'berth.sh/policy': null } } };
    await api.api.patch(CONFIG_MAPS, ref, { type: 'merge', body });
    await eventually('the policies to be gone', () => known.policyConfigMaps.size === 0);
  });

  test('could read everything in full', () => {
    // As above: a kind whose definition is new is asked for again.
    const isNew = ({ fields }: (typeof lines)[number]): boolean => fields['code'] === 'RateLimited';
    expect(lines.filter((line) => ['warn', 'error'].includes(line.level) && !isNew(line))).toEqual([]);
  });
});

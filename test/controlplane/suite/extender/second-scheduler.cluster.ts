/**
 * Where kube-scheduler takes no extender, as on EKS: a second one, under its own account, with the extender beside it, gets
 * the pods that the webhook gives it, and binds them where Berth planned them.
 */
import { deployment, nodeClass, nodePool, policy } from '../../../scenario/objects.js';
import { Scenario } from '../../../scenario/scenario.js';
import { unusedRights, forbiddenRequests } from '../../berth/account-rights.js';
import { BerthCluster, NAMESPACE } from '../../berth/berth-cluster.js';
import type { BerthProcess } from '../../berth/berth-process.js';
import { judgeManifests, shippedPods } from '../../berth/overlay.js';
import { POLICY_STATUSES } from '../../berth/kinds.js';
import { RealWorld } from '../../berth/real-world.js';
import { SECOND_SCHEDULER as NAME, startSecondScheduler } from '../../berth/scheduler.js';
import { namespaced, PODS, type KubeObject } from '../../fixture/api/kube-object.js';
import { eventually } from '../../fixture/eventually.js';

const PODS_WANTED = 12;

describe('the second scheduler', () => {
  let berth: BerthCluster;
  let sidecar: BerthProcess;

  beforeAll(async () => {
    berth = await BerthCluster.start({ level: 'L0', overlay: 'eks', controlPlane: { audit: true } });
    ({ extender: sidecar } = await startSecondScheduler(berth, NAMESPACE));
    const scenario = new Scenario(new RealWorld(berth));
    await scenario.given(nodeClass(), nodePool(), STAMPING);
    // Pods that are created before the PodDefaults is in force keep the scheduler that they have.
    await eventually('the PodDefaults is accepted', async () => {
      const found = await berth.cluster.api.find(POLICY_STATUSES, { name: 'poddefaults.second-scheduler' });
      return found?.status?.conditions?.some(({ type, status }) => type === 'Accepted' && status === 'True');
    });
    await scenario.whenApplied(deployment({ name: 'web', replicas: PODS_WANTED }));
    await scenario.expectScheduled({ app: 'web', pods: PODS_WANTED });
  }, 300_000);

  afterAll(async () => {
    await berth.stop();
  });

  test('is given the pods by the webhook, and asks the extender beside it about each', async () => {
    const { items } = await berth.cluster.api.list(PODS, { namespace: 'default' });
    expect(items.map(({ spec }) => spec.schedulerName)).toEqual(items.map(() => NAME));
    const answered = 'berth_extender_requests_total{verb="filter",outcome="answered"}';
    expect(await sidecar.metric(answered)).toBeGreaterThanOrEqual(PODS_WANTED);
    expect(await sidecar.metric('berth_extender_passes_total')).toBe(0);
  });

  test('binds them itself', async () => {
    const events = await berth.cluster.api.list(EVENTS, { namespace: 'default' });
    const bound = events.items.filter(({ reason }) => reason === 'Scheduled');
    expect(bound).toHaveLength(PODS_WANTED);
    expect([...new Set(bound.map(({ reportingController }) => reportingController))]).toEqual([NAME]);
  });

  test('and Berth are shipped as objects that the API server takes, down to their pods', async () => {
    const { cluster } = berth;
    await expect(judgeManifests(cluster, 'eks')).resolves.toBeUndefined();
    const pods = await shippedPods(cluster, 'eks');
    expect([...pods.keys()].sort()).toEqual(['berth', NAME]);
    // The namespace enforces pod security, which judges pods only.
    for (const template of pods.values())
      await cluster.api.raw({
        method: 'POST',
        path: `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`,
        body: { apiVersion: 'v1', kind: 'Pod', ...template, metadata: { generateName: 'judged-' } },
      });
  });

  test('is forbidden nothing, and needs every right of its own', () => {
    const events = berth.cluster.auditEvents();
    expect(forbiddenRequests(events, NAME)).toEqual([]);
    expect(unusedRights(events, NAME, 'scheduler/rbac.yaml')).toEqual([]);
  });
});

interface SchedulerEvent extends KubeObject {
  readonly reason?: string;
  readonly reportingController?: string;
}

const EVENTS = namespaced<SchedulerEvent>('events.k8s.io/v1', 'Event');

const STAMPING = policy('stamping', {
  apiVersion: 'berth.sh/v1',
  kind: 'PodDefaults',
  metadata: { name: 'second-scheduler' },
  spec: { schedulerName: 'auto' },
});

/**
 * `helm install`, `upgrade` and `uninstall` of charts/berth on a real control plane, in both scheduler modes: two replicas of Berth under
 * the chart's own accounts and certificates, with the chart's flags, give pods nodes; and what uninstalling promises to keep is kept.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHART } from '../../../chart/helm.js';
import { deployment, nodeClass, nodePool, policy } from '../../../scenario/objects.js';
import { Scenario } from '../../../scenario/scenario.js';
import { forbiddenRequests } from '../../berth/account-rights.js';
import { BerthCluster, NAMESPACE } from '../../berth/berth-cluster.js';
import type { BerthProcess } from '../../berth/berth-process.js';
import { installChart, shippedCommand, uninstallChart, upgradeChart } from '../../berth/chart.js';
import { NODE_CLAIMS, POLICY_STATUSES } from '../../berth/kinds.js';
import { RealWorld } from '../../berth/real-world.js';
import { SECOND_SCHEDULER, startSecondScheduler, type SecondScheduler } from '../../berth/scheduler.js';
import { PODS } from '../../fixture/api/kube-object.js';
import { eventually } from '../../fixture/eventually.js';
import { addToInstallReport } from './install-report.js';

const run = promisify(execFile);
const PODS_WANTED = 6;
/** Of every object of the chart but the definitions, and of nothing else. */
const OWN = ['-A', '-o', 'name', '-l', 'app.kubernetes.io/part-of=berth'];
const KINDS = [
  'deployments,services,configmaps,serviceaccounts,poddisruptionbudgets,networkpolicies,roles,rolebindings',
  'clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingwebhookconfigurations',
  'validatingadmissionpolicies,validatingadmissionpolicybindings',
].join(',');

/** Modes in which pods got their nodes. */
const served: string[] = [];

const STAMPING = policy('stamping', {
  apiVersion: 'berth.sh/v1',
  kind: 'PodDefaults',
  metadata: { name: 'second-scheduler' },
  spec: { schedulerName: 'auto' },
});

describe.each(['second', 'cluster'])('charts/berth with the scheduler mode %s', (mode) => {
  let berth: BerthCluster;
  let replica: BerthProcess;
  let second: SecondScheduler | undefined;
  let scenario: Scenario;

  beforeAll(async () => {
    berth = await BerthCluster.start({
      level: mode === 'cluster' ? 'L2' : 'L0',
      chart: { values: { 'scheduler.mode': mode } },
      controlPlane: { audit: true },
    });
    replica = await berth.startReplica('replica');
    await replica.ready();
    scenario = new Scenario(new RealWorld(berth));
    await scenario.given(nodeClass(), nodePool());
    if (mode === 'second') await giveSecondScheduler();
    await scenario.whenApplied(deployment({ name: 'web', replicas: PODS_WANTED }));
    await scenario.expectScheduled({ app: 'web', pods: PODS_WANTED });
    served.push(mode);
  }, 300_000);

  afterAll(async () => {
    addToInstallReport({ schedulerModes: served });
    await berth.stop();
  });

  async function giveSecondScheduler(): Promise<void> {
    second = await startSecondScheduler(berth, NAMESPACE);
    await scenario.given(STAMPING);
    await eventually('the PodDefaults is accepted', async () => {
      const found = await berth.cluster.api.find(POLICY_STATUSES, { name: 'poddefaults.second-scheduler' });
      return found?.status?.conditions?.some(({ type, status }) => type === 'Accepted' && status === 'True');
    });
  }

  function kubectl(...args: readonly string[]): Promise<string> {
    return berth.cluster.kubectl(args);
  }

  /** Names of the NodeClaims there are. */
  async function claims(): Promise<readonly string[]> {
    return (await berth.cluster.api.list(NODE_CLAIMS)).items.map(({ metadata }) => metadata.name).sort();
  }

  function launched(): number {
    return berth.instances.instances().length;
  }

  test('pods use the scheduler of the mode', async () => {
    const { items } = await berth.cluster.api.list(PODS, { namespace: 'default' });
    const used = [...new Set(items.map(({ spec }) => spec.schedulerName))];
    expect(used).toEqual([mode === 'second' ? SECOND_SCHEDULER : 'default-scheduler']);
  });

  test('one of two replicas leads, both serve, and what `helm test` runs finds them', async () => {
    const leaders = await Promise.all(
      [berth.berth, replica].map((process) => process.metric('berth_leader')),
    );
    expect([...leaders].sort()).toEqual([0, 1]);
    const addresses = {
      METRICS_URL: `http://127.0.0.1:${String(berth.berth.metricsPort)}/metrics`,
      WEBHOOK_URL: berth.webhookUrl,
    };
    const script = join(CHART, 'files/test-connection.js');
    const { stdout } = await run('node', [script], { env: { ...process.env, ...addresses } });
    expect(stdout).toBe('metrics: ok\nwebhook: ok\n');
  });

  test('an upgrade changes what the values say, and leaves webhooks with their CA', async () => {
    await upgradeChart(berth.cluster, berth.chartValues({ logLevel: 'debug' }));
    expect((await shippedCommand(berth.cluster)).env).toMatchObject({ LOG_LEVEL: 'debug' });
    const path = 'jsonpath={.webhooks[*].clientConfig.caBundle}';
    const bundle = await kubectl('get', 'mutatingwebhookconfigurations', 'berth-mutate-pods', '-o', path);
    expect(Buffer.from(bundle, 'base64').toString()).toContain('BEGIN CERTIFICATE');
  });

  test('nothing that the accounts of the chart ask for is forbidden', () => {
    const events = berth.cluster.auditEvents();
    const accounts = ['berth-controller', ...(mode === 'second' ? [SECOND_SCHEDULER] : [])];
    for (const account of accounts) expect(forbiddenRequests(events, account)).toEqual([]);
  });

  // Last, since nothing is left to test afterwards: each mode leaves in one of the two ways.
  if (mode === 'second')
    test('uninstalling keeps definitions, claims, policies and certificates, and a new installation continues', async () => {
      const before = { claims: await claims(), launched: launched() };
      await berth.berth.terminate();
      await replica.terminate();
      await uninstallChart(berth.cluster);
      await second?.stop();
      expect(await kubectl('get', KINDS, ...OWN)).toBe('');
      expect({ claims: await claims(), launched: launched() }).toEqual(before);
      const kept = await kubectl('get', 'secrets,configmaps', '-n', NAMESPACE, '-o', 'name');
      expect(kept.split('\n')).toEqual(
        expect.arrayContaining(['secret/berth-certificates', 'configmap/pool-general']),
      );

      await installChart(berth.cluster, berth.chartValues());
      await berth.startBerth();
      await startSecondScheduler(berth, NAMESPACE);
      await scenario.whenScaled('web', 4 * PODS_WANTED);
      await scenario.expectScheduled({ app: 'web', pods: 4 * PODS_WANTED, whereFirstPlanned: false });
      expect(await claims()).toEqual(expect.arrayContaining([...before.claims]));
    });
  else
    test('after its NodeClaims, uninstalling leaves nothing that waits for Berth', async () => {
      await kubectl('delete', 'configmaps', '-n', NAMESPACE, '-l', 'berth.sh/policy=true');
      await kubectl('delete', 'nodeclaims.berth.sh', '--all', '--wait=false');
      await scenario.expectTerminated('all');
      await berth.berth.terminate();
      await replica.terminate();
      await uninstallChart(berth.cluster);
      expect(await kubectl('get', KINDS, ...OWN)).toBe('');
      await kubectl('delete', 'namespace', NAMESPACE, '--timeout=60s');
      const kinds = 'nodes,nodeclaims.berth.sh,reservations,policystatuses,decisions';
      const finalizers = await kubectl('get', kinds, '-o', 'jsonpath={.items[*].metadata.finalizers}');
      expect(finalizers).toBe('');
    });
});

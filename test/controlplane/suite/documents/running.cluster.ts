/**
 * The documented statements about a cluster in which Berth runs, as one story: Berth observes a Karpenter, takes its nodes over, gives
 * them back and takes them again, asks before it launches, is looked at and paused, and leaves.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT_OK } from '../../../../src/app/command/exit-codes.js';
import { BUFFER_DEFINITION } from '../../../scenario/cases/capacity-buffers.js';
import { deployment, nodeClass, nodePool } from '../../../scenario/objects.js';
import type { Manifest } from '../../../scenario/world.js';
import { CLUSTER_NAME } from '../../berth/aws-backend.js';
import { BerthCluster, NAMESPACE } from '../../berth/berth-cluster.js';
import { upgradeChart } from '../../berth/chart.js';
import { DECISIONS, NODE_CLAIMS, POLICY_STATUSES } from '../../berth/kinds.js';
import { RealWorld } from '../../berth/real-world.js';
import { EXTENDER_ENTRY, schedulerConfiguration, shippedConfiguration } from '../../berth/scheduler.js';
import { NODES, PODS } from '../../fixture/api/kube-object.js';
import { DEFAULT_CONTROLLERS } from '../../fixture/process/default-controllers.js';
import { freePorts } from '../../fixture/process/free-port.js';
import {
  applyKarpenterKinds,
  givePolicies,
  KARPENTER_NODE_CLAIMS,
  KARPENTER_NODE_POOLS,
  launchNodes,
  POOL,
  startProcess,
} from '../../karpenter/karpenter-model.js';
import { expectToRun, ReaderShell, type ReadersName, type ShellAnswer } from './reader-shell.js';
import { shownManifests } from './shown-manifests.js';
import { chapter } from './statements.js';

/** Of docs/approvals.md. */
const APPROVER = 'ana@example.com';
/** Of Karpenter; a node group has another one. */
const KARPENTERS = 2;
/** One for each statement that is about a proposal, and some for the one that is about all of them. */
const WAITING = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `waiting-${letter}`);

describe('a cluster with Berth as documented', () => {
  let berth: BerthCluster;
  let world: RealWorld;
  let shell: ReaderShell;
  let ungrouped = '';
  let schedulerFile = '';
  const taken = new Set<string>();

  beforeAll(async () => {
    const [admin = 0] = await freePorts(1);
    const values = {
      ...{ 'scheduler.mode': 'cluster', 'settings.mode': 'observe', 'settings.observeInterval': '30s' },
      'controller.extraArgs[2]': `--admin-address=127.0.0.1:${String(admin)}`,
    };
    const controllers = [...DEFAULT_CONTROLLERS, 'clusterrole-aggregation-controller'];
    const controlPlane = { controllers, users: { [APPROVER]: ['on-call'] } };
    berth = await BerthCluster.start({ level: 'L0', chart: { values }, controlPlane });
    world = new RealWorld(berth);
    schedulerFile = join(berth.cluster.folder, 'kube-scheduler.yaml');
    shell = new ReaderShell(berth.cluster, readersNames(admin), {
      AWS_REGION: 'eu-west-3',
      BERTH_AWS_ENDPOINT: berth.instances.url,
    });
    await startKarpenter();
    // Until now it knew of no kinds of Karpenter.
    await berth.berth.terminate();
    await berth.startBerth();
    await world.until('something was observed', () => observed(), 120);
  }, 300_000);

  afterAll(async () => {
    await berth.stop();
  });

  function readersNames(admin: number): readonly ReadersName[] {
    return [
      [/launch-3f9a2c1b/, () => nextProposal()],
      [/(?<=explain pod )(POD|NAME) -n NAMESPACE/, 'web-0 -n shop'],
      [/(?<=explain pod)$/, ' web-0 -n shop'],
      [/(?<=node )NAME/, () => someClaim().then(({ nodeName }) => nodeName ?? '')],
      [/(?<=nodeclaim )NAME/, () => someClaim().then(({ name }) => name)],
      [/(?<=ec2nodeclass\.)NAME/, 'default'],
      [/(?<=nodepool\.)NAME/, 'static'],
      [/ip-10-0-1-23\S+/, () => Promise.resolve(ungrouped)],
      [/\/etc\/kubernetes\/scheduler\.yaml/, () => Promise.resolve(schedulerFile)],
      [/localhost:8082/, `127.0.0.1:${String(admin)}`],
      [/seconds=20/, 'seconds=1'],
      [/(?<=cluster-name )my-cluster/, CLUSTER_NAME],
    ];
  }

  async function someClaim(): Promise<Awaited<ReturnType<RealWorld['claims']>>[number]> {
    const [claim] = (await world.claims()).filter(({ nodeName }) => nodeName !== undefined);
    if (claim === undefined) throw new Error('no NodeClaim has a node');
    return claim;
  }

  /** Another one each time. */
  function nextProposal(): Promise<string> {
    return world.until(
      'a proposal waits',
      async () => {
        const { items } = await berth.cluster.api.list(DECISIONS);
        const open = items.filter(
          ({ spec, status }) => spec.action === 'Propose' && status?.phase === 'Proposed',
        );
        const next = open.map(({ metadata }) => metadata.name).find((name) => !taken.has(name));
        if (next !== undefined) taken.add(next);
        return next;
      },
      60,
    );
  }

  async function observed(): Promise<boolean> {
    const found = await berth.cluster.api.find(POLICY_STATUSES, { name: 'observation.cluster' });
    return found !== undefined && (await shell.run('berth report')).code === EXIT_OK;
  }

  async function startKarpenter(): Promise<void> {
    const { api } = berth.cluster;
    await applyKarpenterKinds(berth.cluster);
    await givePolicies(berth.cluster);
    // So that no node goes before it is asked for.
    const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' };
    await api.patch(KARPENTER_NODE_POOLS, { name: POOL }, { type: 'merge', body: { spec: { disruption } } });
    await launchNodes(berth, KARPENTERS + 1);
    await startProcess(berth.cluster);
    await detachOne();
  }

  /** One of Karpenter's nodes becomes one that no NodeClaim is about, as an instance that left its group. */
  async function detachOne(): Promise<void> {
    const { api } = berth.cluster;
    const [claim] = (await api.list(KARPENTER_NODE_CLAIMS)).items;
    if (claim === undefined) throw new Error('Karpenter has no NodeClaim');
    ungrouped = claim.status?.nodeName ?? '';
    const released = { metadata: { finalizers: null, ownerReferences: null } };
    await api.patch(NODES, { name: ungrouped }, { type: 'merge', body: released });
    await api.patch(KARPENTER_NODE_CLAIMS, claim.metadata, { type: 'merge', body: released });
    await api.delete(KARPENTER_NODE_CLAIMS, claim.metadata);
    await berth.cluster.kubectl(['label', 'node', ungrouped, 'eks.amazonaws.com/nodegroup=workers']);
  }

  function expectDone(statement: string, user?: string): Promise<ShellAnswer> {
    return expectToRun(shell, statement, user);
  }

  describe('which observes', () => {
    test.each(chapter('observing'))('%s (%s)', async (statement) => {
      await expectDone(statement);
    });
  });

  describe('which takes nodes over', () => {
    beforeAll(async () => {
      await world.apply([BUFFER_DEFINITION]);
      await upgradeChart(
        berth.cluster,
        berth.chartValues({ 'settings.mode': 'approve', 'approvals.abovePrice': '1' }),
      );
      await berth.berth.terminate();
      await berth.startBerth();
      const shipped = await shippedConfiguration(berth.cluster, {
        namespace: NAMESPACE,
        name: EXTENDER_ENTRY,
      });
      const configuration = schedulerConfiguration(berth.extenderUrl, await berth.certificates(), shipped);
      writeFileSync(schedulerFile, configuration);
      await berth.cluster.restartScheduler(configuration);
      await berth.cluster.kubectl([
        'create',
        'deployment',
        'cluster-autoscaler',
        '-n',
        'kube-system',
        '--image=cluster-autoscaler',
      ]);
    }, 120_000);

    // Before there are policies of these names.
    test.each(shownManifests)('the manifests of %s are taken without a warning', async (_place, manifest) => {
      const input = JSON.stringify(manifest);
      expect(await shell.run(`kubectl apply --dry-run=server -f - <<< '${input}'`)).toMatchObject({
        code: EXIT_OK,
        stderr: '',
      });
    });

    test.each(chapter('migrating'))('%s (%s)', async (statement) => {
      // The release before it left nothing to Berth, and a pause.
      if (statement.includes('--from nodegroup'))
        await expectDone('berth adopt --from karpenter --cloud aws --cluster-name my-cluster --stop-other');
      await expectDone(statement);
    });

    test('and has all of them', async () => {
      const claims = (await berth.cluster.api.list(NODE_CLAIMS)).items;
      expect(claims.map(({ spec }) => spec.nodePool)).toEqual(Array(KARPENTERS + 1).fill(POOL));
    });
  });

  describe('which asks before it launches', () => {
    beforeAll(async () => {
      await world.apply([nodeClass('own'), ...WAITING.flatMap(waiting)]);
    });

    test.each(chapter('approving'))('%s (%s)', async (statement) => {
      if (statement.includes(APPROVER)) await world.until('the role has its rules', mayApprove, 30);
      await expectDone(statement, statement.includes(APPROVER) ? APPROVER : undefined);
    });
  });

  async function mayApprove(): Promise<boolean> {
    return (await shell.run('kubectl get decisions', APPROVER)).code === 0;
  }

  describe('which is looked at', () => {
    beforeAll(async () => {
      await world.apply([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
        WEB,
        nodePool({ name: 'static', ...OWN_CLASS, spec: { replicas: 1 } }),
      ]);
      const pod = { namespace: 'shop', name: 'web-0' };
      const isUp = async (): Promise<boolean> =>
        (await berth.cluster.api.find(PODS, pod))?.status.phase === 'Running';
      await world.until('web-0 runs', isUp, 60);
    }, 120_000);

    test.each(chapter('reading'))('%s (%s)', async (statement) => {
      const { stderr } = await expectDone(statement);
      // Nothing else took the room of a plan here.
      const isEmpty = statement.includes('reason=RoomTaken');
      expect(stderr.includes('No resources found')).toBe(isEmpty);
    });
  });

  describe('which is paused', () => {
    test.each(chapter('pausing'))('%s (%s)', async (statement) => {
      await expectDone(statement);
      expect((await shell.run('berth get nodes')).stderr).toContain('incident 42');
      await expectDone('berth resume');
    });
  });

  describe('which leaves', () => {
    test.each(chapter('removing'))('%s (%s)', async (statement) => {
      await expectDone(statement);
    });

    test('with all its nodes', async () => {
      expect((await berth.cluster.api.list(NODE_CLAIMS)).items).toEqual([]);
    });
  });
});

const OWN_CLASS = {
  template: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'own' } },
};

/** A pool whose instances cost more than goes ahead, and a workload for it. */
function waiting(name: string): readonly Manifest[] {
  const requirements = { 'node.kubernetes.io/instance-type': ['m5.8xlarge'] };
  return [
    nodePool({ name, labels: { waits: name }, requirements, ...OWN_CLASS }),
    deployment({ name, requests: { cpu: '20' }, pod: { nodeSelector: { waits: name } } }),
  ];
}

/** The workload of the examples of `berth explain` and `berth get`. */
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web', team: 'shop' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: 'main', image: 'registry.k8s.io/pause:3.10', resources: { requests: { cpu: '100m' } } },
        ],
      },
    },
  },
};

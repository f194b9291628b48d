/** The life of nodes on a real control plane, told as scenarios: launched, filled, emptied, gone; and Berth killed on the way. */
import { systemRandom } from '../../../src/runtime/process/system-random.js';
import type { SimulatedInstance } from '../../../world/aws/ec2/instances/instance.js';
import { daemonSet, deployment, nodeClass, nodePool, pod } from '../../scenario/objects.js';
import { Scenario } from '../../scenario/scenario.js';
import { BerthCluster } from '../berth/berth-cluster.js';
import { DECISIONS } from '../berth/kinds.js';
import { RealWorld } from '../berth/real-world.js';

const CREATE_FLEET = 'ec2:CreateFleet';

describe('Berth on a real control plane', () => {
  let berth: BerthCluster;
  let world: RealWorld;
  let scenario: Scenario;

  beforeAll(async () => {
    berth = await BerthCluster.start();
    world = new RealWorld(berth);
    scenario = new Scenario(world);
    await scenario.given(nodeClass());
  }, 120_000);

  afterAll(async () => {
    await berth.stop();
  });

  /** A pool whose nodes only the pods of one scenario want. */
  function own(name: string): Parameters<typeof nodePool>[0] {
    return {
      name,
      labels: { scenario: name },
      requirements: { 'node.kubernetes.io/instance-type': ['m5.large'] },
    };
  }

  function wants(name: string): Readonly<Record<string, unknown>> {
    return { nodeSelector: { scenario: name } };
  }

  /** The nodes of one scenario's pool. */
  async function nodesOf(name: string): Promise<readonly string[]> {
    return (await world.nodes()).filter(({ labels }) => labels['scenario'] === name).map((node) => node.name);
  }

  /** Action, reason and outcome of every decision about a claim, in order, once there is one with the last reason. */
  function decisionsAbout(claim: string, last: string): Promise<readonly (readonly string[])[]> {
    return world.until(
      `claim ${claim} was told of up to ${last}`,
      async () => {
        const { items } = await berth.cluster.api.list(DECISIONS);
        const told = items
          .filter(({ spec }) => spec.subject.name === claim)
          .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
          .map(({ spec, status }) => [spec.action, spec.reason, status?.outcome ?? '']);
        return told.some(([, reason]) => reason === last) && told;
      },
      30,
    );
  }

  /** The instances that were ever launched for the pool, ended ones too, by the name of their node. */
  function instancesOf(name: string): readonly SimulatedInstance[] {
    return berth.aws
      .instances()
      .filter(({ tags }) => tags.get('berth.sh/nodepool') === name)
      .toSorted((left, right) => (left.privateDnsName < right.privateDnsName ? -1 : 1));
  }

  /** How many steps a burst has taken. */
  async function progressOf(name: string): Promise<number> {
    const bound = (await world.pods()).filter(
      ({ labels, nodeName }) => labels['app'] === name && nodeName !== undefined,
    );
    return (await claimsOf(name)) + instancesOf(name).length + (await nodesOf(name)).length + bound.length;
  }

  async function claimsOf(name: string): Promise<number> {
    return (await world.claims()).filter(({ nodePool: pool }) => pool === name).length;
  }

  test('launches a node for a pod, and a deleted node takes its claim and its instance along', async () => {
    // Else it could be found empty before it is deleted.
    const spec = { disruption: { consolidateAfter: 'Never' } };
    await scenario.given(nodePool({ ...own('single'), spec }));
    await scenario.whenApplied(deployment({ name: 'single', pod: wants('single') }));
    await scenario.expectScheduled({ app: 'single', pods: 1 });
    const nodes = await nodesOf('single');
    const [claim] = (await world.claims()).filter(({ nodePool: pool }) => pool === 'single');
    expect(nodes).toEqual([claim?.nodeName]);
    await scenario.whenScaled('single', 0);
    await scenario.whenDeleted({ kind: 'Node', name: nodes[0] ?? '' });
    await scenario.expectTerminated(nodes);
    expect(await claimsOf('single')).toBe(0);
    const told = await decisionsAbout(claim?.name ?? '', 'Terminated');
    // Each act once, with what came of it where something did.
    expect(told.filter(([act]) => act !== 'Refuse')).toEqual([
      ['Place', 'Provisioned', expect.stringContaining('launched as m5.large in eu-west-3')],
      ['Launch', 'Launched', expect.stringMatching(/^node \S+ was initialized after \d+ s$/)],
      ['Register', 'Registered', ''],
      ['Register', 'Initialized', ''],
      ['Disrupt', 'Deleted', expect.stringMatching(/^terminated instance and removed node after \d+ s$/)],
      ['Drain', 'Drained', ''],
      ['Terminate', 'Terminated', ''],
    ]);
  });

  test('drains a node that is deleted: its pods move to a new one', async () => {
    await scenario.given(nodePool(own('drained')));
    await scenario.whenApplied(deployment({ name: 'drained', replicas: 3, pod: wants('drained') }));
    await scenario.expectScheduled({ app: 'drained', pods: 3 });
    const nodes = await nodesOf('drained');
    await scenario.whenDeleted({ kind: 'Node', name: nodes[0] ?? '' });
    await scenario.expectTerminated(nodes);
    await scenario.expectScheduled({ app: 'drained', pods: 3, whereFirstPlanned: false });
    expect(await nodesOf('drained')).toHaveLength(1);
  });

  test("tells Prometheus what the cluster is like, under Karpenter's names", async () => {
    const page = await berth.berth.metrics();
    const series = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(series).toEqual(
      expect.arrayContaining([
        'karpenter_pods_state',
        'karpenter_nodes_created_total',
        'karpenter_nodes_terminated_total',
        'karpenter_nodeclaims_created_total',
        'karpenter_nodeclaims_terminated_total',
        'karpenter_nodeclaims_disrupted_total',
        'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
        'karpenter_disruption_evaluation_duration_seconds',
        'karpenter_nodes_termination_duration_seconds',
        'berth_scheduler_errors_total',
      ]),
    );
    const { berth: first } = berth;
    expect(await first.metric('karpenter_pods_state{phase="Running"}')).toBe(3);
    expect(await first.metric('karpenter_pods_state{phase="Pending"}')).toBe(0);
    expect(await first.metric('karpenter_cluster_state_node_count')).toBe(1);
    expect(await first.metric('karpenter_cluster_state_synced')).toBe(1);
    expect(await first.metric('karpenter_nodepools_usage{nodepool="drained",resource_type="cpu"}')).toBe(2);
    expect(await first.metric('karpenter_nodes_created_total')).toBe(3);
    expect(await first.metric('karpenter_nodes_terminated_total{nodepool="single"}')).toBe(1);
    expect(await first.metric('karpenter_nodes_terminated_total{nodepool="drained"}')).toBe(1);
    expect(await first.metric('karpenter_nodeclaims_disrupted_total')).toBe(2);
    expect(await first.metric('karpenter_pods_eviction_requests_total{code="200"}')).toBe(3);
    expect(await first.metric('karpenter_pods_startup_duration_seconds_count')).toBeGreaterThanOrEqual(7);
  });

  test('keeps room for DaemonSets, and needs startup taints gone before a node counts as initialised', async () => {
    await scenario.given(
      nodePool({ ...own('agents'), template: { startupTaints: [{ key: 'agent', effect: 'NoSchedule' }] } }),
      daemonSet({
        name: 'agent',
        requests: { cpu: '250m' },
        pod: { ...wants('agents'), tolerations: [{ operator: 'Exists' }] },
      }),
    );
    await scenario.whenApplied(deployment({ name: 'agents', pod: wants('agents') }));
    const [node = ''] = await world.until(
      'a node of the pool is there',
      async () => {
        const names = await nodesOf('agents');
        return names.length > 0 && names;
      },
      60,
    );
    expect((await scenario.node(node)).taints).toContain('agent=:NoSchedule');
    await berth.cluster.kubectl(['taint', 'node', node, 'agent:NoSchedule-']);
    await scenario.expectScheduled({ app: 'agents', pods: 1 });
    await scenario.expectScheduled({ app: 'agent', pods: 1, whereFirstPlanned: false });
    expect(await claimsOf('agents')).toBe(1);
  });

  test('buys nothing twice when it is killed while launching', async () => {
    await scenario.given(nodePool(own('killed')));
    const before = world.instances().length;
    berth.aws.faults.add({ action: CREATE_FLEET, times: 1, fault: { kind: 'lost-request' } });
    await scenario.whenApplied(deployment({ name: 'killed', replicas: 2, pod: wants('killed') }));
    await world.until('a claim is there', async () => (await claimsOf('killed')) > 0, 60);
    await berth.berth.kill();
    await berth.startBerth();
    await scenario.expectScheduled({ app: 'killed', pods: 2 });
    expect(world.instances().length - before).toBe(1);
  });

  test('killed again and again in the middle of a burst, buys one instance for each claim and binds every pod', async () => {
    await scenario.given(nodePool(own('stormy')));
    await scenario.whenApplied(deployment({ name: 'stormy', replicas: 20, pod: wants('stormy') }));
    // Somewhere among its claims, its instances and nodes, and its pods being bound.
    const deaths = [1, 8, 21].map((first) => first + Math.floor(systemRandom.next() * 7));
    for (const death of deaths) {
      const begun = `${String(death)} claims, instances, nodes and bound pods`;
      await world.until(begun, async () => (await progressOf('stormy')) >= death, 60);
      await berth.berth.kill();
      await berth.startBerth();
    }
    const pods = await scenario.expectScheduled({ app: 'stormy', pods: 20, whereFirstPlanned: false });
    const claims = (await world.claims()).filter(({ nodePool: pool }) => pool === 'stormy');
    const nodes = claims.map(({ nodeName = 'no node' }) => nodeName).sort();
    expect(new Set(pods.map(({ nodeName }) => nodeName))).toEqual(new Set(nodes));
    const story = `killed at ${deaths.join(', ')}`;
    expect({ story, nodes: instancesOf('stormy').map(({ privateDnsName }) => privateDnsName) }).toEqual({
      story,
      nodes,
    });
  });

  test('adopts instances whose launch was never answered', async () => {
    await scenario.given(nodePool(own('unanswered')));
    const before = world.instances().length;
    berth.aws.faults.add({ action: CREATE_FLEET, times: 1, fault: { kind: 'lost-answer' } });
    await scenario.whenApplied(deployment({ name: 'unanswered', pod: wants('unanswered') }));
    await scenario.expectScheduled({ app: 'unanswered', pods: 1 });
    expect(world.instances().length - before).toBe(1);
  });

  test('takes the next offering when the cloud is out of the first', async () => {
    await scenario.given(
      nodePool({
        ...own('scarce'),
        requirements: { 'node.kubernetes.io/instance-type': ['c5.large', 'c6i.large'] },
      }),
    );
    world.setStock({ instanceType: 'c5.large' }, 0);
    await scenario.whenApplied(deployment({ name: 'scarce', pod: wants('scarce') }));
    await scenario.expectScheduled({ app: 'scarce', pods: 1 });
    const claims = await world.claims();
    expect(claims.find(({ nodePool: pool }) => pool === 'scarce')?.instanceType).toBe('c6i.large');
  });

  test('gives the reason why a pod stays pending', async () => {
    await scenario.given(nodePool(own('refused')));
    await scenario.whenApplied(pod({ name: 'refused', requests: { cpu: '1000' }, pod: wants('refused') }));
    await scenario.expectDecision('Pod/default/refused', 'Refuse', 'InsufficientResource');
    expect(await claimsOf('refused')).toBe(0);
  });

  test('a pool whose policy disappears launches nothing until it returns', async () => {
    const frozen = nodePool(own('frozen'));
    await scenario.given(frozen);
    await scenario.whenApplied(deployment({ name: 'frozen', pod: wants('frozen') }));
    await scenario.expectScheduled({ app: 'frozen', pods: 1 });
    await scenario.whenDeleted({ kind: 'ConfigMap', namespace: 'berth-system', name: 'pool-frozen' });
    await scenario.expectDecision('PolicyStatus/nodepool.frozen', 'Freeze', 'DocumentMissing');
    await scenario.whenApplied(
      deployment({ name: 'frozen-2', requests: { cpu: '1500m' }, pod: wants('frozen') }),
    );
    await scenario.expectPending('frozen-2', 'nodes are available');
    expect(await claimsOf('frozen')).toBe(1);
    await scenario.whenApplied(frozen);
    await scenario.expectScheduled({ app: 'frozen-2', pods: 1 });
  });

  test('another replica takes over within seconds when the leader ends', async () => {
    const standby = await berth.startReplica('standby');
    await standby.ready();
    expect(await standby.metric('berth_leader')).toBe(0);
    await berth.berth.terminate();
    await world.until('the standby leads', async () => (await standby.metric('berth_leader')) === 1, 10);
    await berth.startBerth();
    await standby.terminate();
    const { berth: first } = berth;
    await world.until('the first leads again', async () => (await first.metric('berth_leader')) === 1, 10);
    expect(await first.metric('berth_leader')).toBe(1);
  });
});

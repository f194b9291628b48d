import type { CallExtender } from '../../../world/scheduler/extender.js';
import {
  conditionOf,
  nodeConfig,
  podSpec,
  SimulatedCluster,
  type SeenPod,
  type SimulatedClusterOptions,
} from '../../support/simulated-cluster.js';

type Spec = Readonly<Record<string, unknown>>;

interface Asked {
  readonly verb: string;
  readonly names: readonly string[];
  readonly at: number;
}

async function createPod(
  cluster: SimulatedCluster,
  name: string,
  spec: Spec = podSpec(),
  labels: Readonly<Record<string, string>> = { app: name },
): Promise<void> {
  await cluster.create('pods', { metadata: { namespace: 'default', name, labels }, spec });
}

function refusalOf(cluster: SimulatedCluster, name: string): string | undefined {
  const condition = conditionOf({ ...cluster.pod(name) }, 'PodScheduled');
  return condition?.['status'] === 'False' ? condition['message'] : undefined;
}

function nodeOf(cluster: SimulatedCluster, name: string): string | undefined {
  return cluster.pod(name)?.spec.nodeName;
}

async function bound(cluster: SimulatedCluster, name: string, seconds = 5): Promise<string> {
  await cluster.until(`${name} is bound`, () => nodeOf(cluster, name) !== undefined, seconds);
  return nodeOf(cluster, name) ?? '';
}

/** An extender that says of nodes what `judge` does, and remembers what it was asked. */
function extender(judge: (node: string, pod: SeenPod) => string | undefined): {
  readonly call: CallExtender;
  readonly asked: Asked[];
  clock: SimulatedCluster | undefined;
} {
  const asked: Asked[] = [];
  const self = {
    asked,
    clock: undefined as SimulatedCluster | undefined,
    call: (verb: string, args: object) => {
      const { Pod, NodeNames, NodeNameToMetaVictims } = args as {
        readonly Pod: SeenPod;
        readonly NodeNames?: readonly string[];
        readonly NodeNameToMetaVictims?: Readonly<Record<string, unknown>>;
      };
      const names = NodeNames ?? Object.keys(NodeNameToMetaVictims ?? {});
      asked.push({ verb, names, at: self.clock?.clock.now() ?? 0 });
      const refused = names.flatMap((name): [string, string][] => {
        const message = judge(name, Pod);
        return message === undefined ? [] : [[name, message]];
      });
      const failed = Object.fromEntries(refused);
      const passed = names.filter((name) => !(name in failed));
      if (verb === 'filter') return Promise.resolve({ NodeNames: passed, FailedNodes: failed });
      if (verb === 'prioritize') return Promise.resolve(names.map((Host) => ({ Host, Score: 0 })));
      const victims = Object.entries(NodeNameToMetaVictims ?? {}).filter(([name]) => passed.includes(name));
      return Promise.resolve({ NodeNameToMetaVictims: Object.fromEntries(victims) });
    },
  };
  return self;
}

function clusterWith(
  judge: (node: string, pod: SeenPod) => string | undefined,
  options: SimulatedClusterOptions = {},
): { readonly cluster: SimulatedCluster; readonly asked: Asked[] } {
  const one = extender(judge);
  const cluster = new SimulatedCluster({ callExtender: one.call, ...options });
  one.clock = cluster;
  return { cluster, asked: one.asked };
}

const zoneSpread = (app: string, more: Spec = {}): Spec => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app } },
      ...more,
    },
  ],
});

const antiAffinity = (app: string, topologyKey = 'kubernetes.io/hostname'): Spec => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey, labelSelector: { matchLabels: { app } } },
      ],
    },
  },
});

describe('Scheduler, refusals', () => {
  test('a cluster without nodes is reported in the words of kube-scheduler', async () => {
    const cluster = new SimulatedCluster();
    await createPod(cluster, 'a');
    await cluster.pass(1);
    expect(refusalOf(cluster, 'a')).toBe('no nodes available to schedule pods');
  });

  test('each reason is counted, and preemption gives the reason why it does not help', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({}, { userData: nodeConfig({}, ['dedicated=x:NoSchedule']) }, {});
    const [, , cordoned] = cluster.api.list('nodes');
    await cluster.api.change('nodes', { name: cordoned?.metadata.name ?? '' }, (node) => ({
      ...node,
      spec: { ...(node['spec'] as object), unschedulable: true },
    }));
    await createPod(cluster, 'big', podSpec({ cpu: '100', memory: '1Gi' }));
    await cluster.pass(1);
    expect(refusalOf(cluster, 'big')).toBe(
      '0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {dedicated: x}, 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    );
  });

  test.each<[string, Spec, string]>([
    ['a selector', { nodeSelector: { disk: 'fast' } }, "node(s) didn't match Pod's node affinity/selector"],
    ['cpu and memory', podSpec({ cpu: '99', memory: '9Ti' }), 'Insufficient cpu, 1 Insufficient memory'],
    ['an extended resource', podSpec({ 'nvidia.com/gpu': '1' }), 'Insufficient nvidia.com/gpu'],
    [
      'a spread over a label that nodes lack',
      zoneSpread('x', { topologyKey: 'rack' }),
      "node(s) didn't match pod topology spread constraints (missing required label)",
    ],
  ])('%s', async (_, spec, reason) => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    await createPod(cluster, 'a', { ...podSpec(), ...spec });
    await cluster.pass(1);
    expect(refusalOf(cluster, 'a')).toContain(`0/1 nodes are available: 1 ${reason}.`);
  });

  test('an init container counts where it takes more than the containers, a sidecar beside them', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    const init = (cpu: string, more: Spec = {}): Spec => ({
      name: `i${cpu}${'restartPolicy' in more ? '-sidecar' : ''}`,
      image: 'i',
      resources: { requests: { cpu } },
      ...more,
    });
    await createPod(cluster, 'fits', podSpec({ cpu: '1' }, { initContainers: [init('3')] }));
    await createPod(
      cluster,
      'not',
      podSpec({ cpu: '1' }, { initContainers: [init('2', { restartPolicy: 'Always' }), init('2')] }),
    );
    await cluster.pass(1);
    expect(nodeOf(cluster, 'fits')).toBeDefined();
    expect(refusalOf(cluster, 'not')).toContain('Insufficient cpu');
  });

  test('a gated pod is not tried until its gate goes', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    await createPod(cluster, 'a', podSpec({}, { schedulingGates: [{ name: 'wait' }] }));
    await cluster.pass(2);
    expect(conditionOf({ ...cluster.pod('a') }, 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'SchedulingGated',
    });
    await cluster.api.change('pods', { namespace: 'default', name: 'a' }, (pod) => ({
      ...pod,
      spec: { ...(pod['spec'] as object), schedulingGates: [] },
    }));
    await bound(cluster, 'a', 1);
    expect(nodeOf(cluster, 'a')).toBeDefined();
  });

  test('pods of other schedulers are left alone', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    await createPod(cluster, 'a', podSpec({}, { schedulerName: 'another' }));
    await cluster.pass(10);
    expect(nodeOf(cluster, 'a')).toBeUndefined();
    expect(conditionOf({ ...cluster.pod('a') }, 'PodScheduled')).toBeUndefined();
  });
});

describe('Scheduler, retries', () => {
  test('a pod that did not fit is bound as soon as a node it fits is Ready', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({ instanceType: 'm7i.large' });
    await createPod(cluster, 'a', podSpec({ cpu: '3' }));
    await cluster.pass(60);
    expect(refusalOf(cluster, 'a')).toContain('Insufficient cpu');
    const [big] = await cluster.addNodes({ instanceType: 'm7i.2xlarge' });
    expect(await bound(cluster, 'a', 0.2)).toBe(big);
  });

  test('a pod is bound when another one ends, and room is free', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({ instanceType: 'm7i.large' });
    await createPod(cluster, 'first', podSpec({ cpu: '1500m' }));
    await bound(cluster, 'first');
    await createPod(cluster, 'second', podSpec({ cpu: '1500m' }));
    await cluster.pass(30);
    expect(refusalOf(cluster, 'second')).toContain('Insufficient cpu');
    await cluster.api.delete('pods', { namespace: 'default', name: 'first' });
    expect(await bound(cluster, 'second', 5)).toBeDefined();
  });

  test('important pods go first', async () => {
    const cluster = new SimulatedCluster();
    await cluster.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 });
    cluster.addInstance({ instanceType: 'm7i.large' });
    for (const name of ['low-1', 'low-2']) await createPod(cluster, name, podSpec({ cpu: '1500m' }));
    await createPod(cluster, 'high', podSpec({ cpu: '1500m' }, { priorityClassName: 'high' }));
    await cluster.until('high is bound', () => nodeOf(cluster, 'high') !== undefined, 90);
    expect([nodeOf(cluster, 'low-1'), nodeOf(cluster, 'low-2')]).toEqual([undefined, undefined]);
  });
});

describe('Scheduler with an extender', () => {
  const HELD = 'berth: held';

  test('one node is filtered but not scored, several are both', async () => {
    const { cluster, asked } = clusterWith(() => undefined);
    const [first] = await cluster.addNodes({});
    await createPod(cluster, 'a');
    await bound(cluster, 'a');
    expect(asked.map(({ verb, names }) => [verb, names])).toEqual([['filter', [first]]]);
    await cluster.addNodes({});
    asked.length = 0;
    await createPod(cluster, 'b');
    await bound(cluster, 'b');
    expect(asked.map(({ verb, names }) => [verb, names.length])).toEqual([
      ['filter', 2],
      ['prioritize', 2],
    ]);
  });

  test('it is not asked about nodes that do not fit', async () => {
    const { cluster, asked } = clusterWith(() => undefined);
    await cluster.addNodes({});
    await createPod(cluster, 'big', podSpec({ cpu: '100' }));
    await cluster.pass(5);
    expect(asked).toEqual([]);
  });

  test('its refusal stands in the condition; the pod is tried twice at once, then after five minutes', async () => {
    const { cluster, asked } = clusterWith(() => HELD);
    await cluster.addNodes({});
    const start = cluster.clock.now();
    await createPod(cluster, 'a');
    await cluster.pass(200);
    expect(refusalOf(cluster, 'a')).toBe(
      `0/1 nodes are available: 1 ${HELD}. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.`,
    );
    expect(asked.map(({ at }) => Math.round((at - start) / 1000))).toEqual([0, 0]);
    await cluster.pass(120);
    expect(asked).toHaveLength(3);
    expect((asked[2]?.at ?? 0) - start).toBeGreaterThanOrEqual(300_000);
  });

  test('a message that changes with every call makes it ask again and again', async () => {
    let calls = 0;
    const { cluster, asked } = clusterWith(() => `held ${String(calls++)}`);
    await cluster.addNodes({});
    await createPod(cluster, 'a');
    await cluster.pass(1);
    expect(asked.length).toBeGreaterThan(50);
  });

  test.each<[string, (cluster: SimulatedCluster, node: string) => Promise<unknown>]>([
    [
      "a node's annotation",
      (cluster, name) =>
        cluster.api.change('nodes', { name }, (node) => ({
          ...node,
          metadata: { ...node.metadata, annotations: { touched: 'yes' } },
        })),
    ],
    [
      "the pod's own annotation",
      (cluster) =>
        cluster.api.change('pods', { namespace: 'default', name: 'a' }, (pod) => ({
          ...pod,
          metadata: { ...pod.metadata, annotations: { touched: 'yes' } },
        })),
    ],
    [
      'a StorageClass',
      (cluster) =>
        cluster.create('storageclasses.storage.k8s.io', {
          metadata: { name: 'gp3' },
          provisioner: 'ebs.csi.aws.com',
        }),
    ],
  ])('a pod that it held is tried again when something happens: %s', async (_, touch) => {
    let message: string | undefined = HELD;
    const { cluster } = clusterWith(() => message);
    const [node = ''] = await cluster.addNodes({});
    await createPod(cluster, 'a');
    await cluster.pass(30);
    message = undefined;
    await touch(cluster, node);
    expect(await bound(cluster, 'a', 0.2)).toBe(node);
  });

  test('heartbeats and other pending pods do not wake a pod that it holds', async () => {
    const { cluster, asked } = clusterWith((_, pod) => (pod.metadata.name === 'held' ? HELD : undefined));
    await cluster.addNodes({});
    await createPod(cluster, 'held');
    await cluster.pass(30);
    const before = asked.length;
    await createPod(cluster, 'big', podSpec({ cpu: '100' }));
    await cluster.pass(60);
    expect(asked.slice(before)).toEqual([]);
  });

  test('a nominated node is tried first and alone', async () => {
    const { cluster, asked } = clusterWith(() => undefined);
    const nodes = await cluster.addNodes({}, {}, {});
    await createPod(cluster, 'a', podSpec({}, { schedulingGates: [{ name: 'wait' }] }));
    const ref = { namespace: 'default', name: 'a' };
    const nominatedNodeName = nodes[2] ?? '';
    await cluster.api.change(
      'pods',
      ref,
      (pod) => ({ ...pod, status: { ...(pod['status'] as object), nominatedNodeName } }),
      { subresource: 'status' },
    );
    await cluster.api.change('pods', ref, (pod) => ({
      ...pod,
      spec: { ...(pod['spec'] as object), schedulingGates: [] },
    }));
    expect(await bound(cluster, 'a')).toBe(nominatedNodeName);
    expect(asked.map(({ verb, names }) => [verb, names])).toEqual([['filter', [nominatedNodeName]]]);
  });

  test('a nomination reserves room against an equal pod', async () => {
    const cluster = new SimulatedCluster();
    const [first = ''] = await cluster.addNodes({ instanceType: 'm7i.large' });
    await createPod(cluster, 'gated', podSpec({ cpu: '1500m' }, { schedulingGates: [{ name: 'wait' }] }));
    const ref = { namespace: 'default', name: 'gated' };
    await cluster.api.change(
      'pods',
      ref,
      (pod) => ({ ...pod, status: { ...(pod['status'] as object), nominatedNodeName: first } }),
      { subresource: 'status' },
    );
    await createPod(cluster, 'rival', podSpec({ cpu: '1500m' }));
    await cluster.pass(5);
    expect(nodeOf(cluster, 'rival')).toBeUndefined();
    await cluster.api.change('pods', ref, (pod) => ({
      ...pod,
      spec: { ...(pod['spec'] as object), schedulingGates: [] },
    }));
    expect(await bound(cluster, 'gated')).toBe(first);
  });

  test('while it fails it is ignored, if it may be', async () => {
    const cluster = new SimulatedCluster({
      callExtender: () => Promise.reject(new Error('connection refused')),
    });
    const [node] = await cluster.addNodes({});
    await createPod(cluster, 'a');
    expect(await bound(cluster, 'a', 1)).toBe(node);
  });

  test('while it fails and may not be ignored, pods wait as errors, and node events do not help', async () => {
    let isDown = true;
    const cluster = new SimulatedCluster({
      ignorable: false,
      callExtender: (verb, args) =>
        isDown
          ? Promise.reject(new Error('connection refused'))
          : Promise.resolve({ NodeNames: (args as { NodeNames: string[] }).NodeNames }),
    });
    const [name = ''] = await cluster.addNodes({});
    await createPod(cluster, 'a');
    await cluster.pass(2);
    expect(conditionOf({ ...cluster.pod('a') }, 'PodScheduled')).toMatchObject({
      reason: 'SchedulerError',
      message: 'connection refused',
    });
    isDown = false;
    await cluster.api.change('nodes', { name }, (node) => ({
      ...node,
      metadata: { ...node.metadata, annotations: { touched: 'yes' } },
    }));
    await cluster.pass(0.5);
    expect(nodeOf(cluster, 'a')).toBeUndefined();
    expect(await bound(cluster, 'a', 10)).toBe(name);
  });

  test('an answer without NodeNames passes no node, one with a foreign node is an error', async () => {
    let answer: object = {};
    const cluster = new SimulatedCluster({ callExtender: () => Promise.resolve(answer), ignorable: false });
    await cluster.addNodes({});
    await createPod(cluster, 'a');
    await cluster.pass(1);
    expect(conditionOf({ ...cluster.pod('a') }, 'PodScheduled')).toMatchObject({ reason: 'Unschedulable' });
    answer = { nodenames: ['nowhere'] };
    await createPod(cluster, 'b');
    await cluster.pass(1);
    expect(conditionOf({ ...cluster.pod('b') }, 'PodScheduled')).toMatchObject({
      reason: 'SchedulerError',
      message: expect.stringContaining('claims a filtered node "nowhere"') as string,
    });
  });
});

describe('Scheduler, preemption', () => {
  async function fullNode(options: SimulatedClusterOptions = {}): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster(options);
    await cluster.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 });
    await cluster.addNodes({ instanceType: 'm7i.large' });
    await createPod(cluster, 'low-a', podSpec({ cpu: '700m' }));
    await createPod(cluster, 'low-b', podSpec({ cpu: '700m' }));
    await cluster.until(
      'both run',
      () =>
        ['low-a', 'low-b'].every(
          (name) => conditionOf({ ...cluster.pod(name) }, 'Ready')?.['status'] === 'True',
        ),
      30,
    );
    return cluster;
  }

  const important = (cpu: string, more: Spec = {}): Spec =>
    podSpec({ cpu }, { priorityClassName: 'high', ...more });

  test('as few pods as possible make room for a more important one, which is nominated', async () => {
    const cluster = await fullNode();
    await createPod(cluster, 'high', important('800m'));
    await cluster.pass(0.1);
    expect(cluster.pod('high')?.status.nominatedNodeName).toBeDefined();
    expect(await bound(cluster, 'high', 40)).toBeDefined();
    expect(['low-a', 'low-b'].filter((name) => cluster.pod(name) === undefined)).toHaveLength(1);
  });

  test('no pod is preempted for a pod that never preempts', async () => {
    const cluster = await fullNode();
    await createPod(cluster, 'high', important('800m', { preemptionPolicy: 'Never' }));
    await cluster.pass(60);
    expect(refusalOf(cluster, 'high')).toContain('not eligible due to preemptionPolicy=Never');
    expect(['low-a', 'low-b'].map((name) => cluster.pod(name)?.metadata.deletionTimestamp)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('a nomination that is taken back wakes pods that no node has room for, up to the priority of its pod', async () => {
    let isHeld = true;
    const { call } = extender((_, { metadata: { name } }) =>
      isHeld && name.startsWith('high') ? 'berth: held' : undefined,
    );
    const cluster = await fullNode({ callExtender: call });
    await cluster.create('priorityclasses.scheduling.k8s.io', {
      metadata: { name: 'higher' },
      value: 2000,
    });
    await createPod(cluster, 'low', podSpec({ cpu: '800m' }));
    await createPod(cluster, 'high', important('800m'));
    await cluster.pass(30);
    isHeld = false;
    const nominate = (name: string, nominatedNodeName: string): Promise<unknown> =>
      cluster.api.change(
        'pods',
        { namespace: 'default', name },
        (object) => ({
          ...object,
          status: { ...(object as unknown as SeenPod).status, nominatedNodeName },
        }),
        { subresource: 'status' },
      );
    await nominate('low', 'nowhere');
    await nominate('low', '');
    await cluster.pass(30);
    expect(nodeOf(cluster, 'high')).toBeUndefined();
    await nominate('high', 'nowhere');
    await nominate('high', '');
    expect(await bound(cluster, 'high', 40)).toBeDefined();
  });

  test("the extender's preempt verb keeps victims from going", async () => {
    const { call } = extender((_, pod) => (pod.metadata.name === 'high' ? 'berth: held' : undefined));
    const cluster = await fullNode({ callExtender: call });
    await createPod(cluster, 'high', important('800m'));
    await cluster.pass(60);
    expect(nodeOf(cluster, 'high')).toBeUndefined();
    expect(['low-a', 'low-b'].map((name) => nodeOf(cluster, name) !== undefined)).toEqual([true, true]);
  });
});

describe('Scheduler, topology', () => {
  test('pods spread over zones, and wait when only one zone has room', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({ zone: 'eu-west-3a' }, { zone: 'eu-west-3b', instanceType: 'm7i.large' });
    for (const index of [1, 2, 3, 4, 5, 6, 7])
      await createPod(cluster, `s-${String(index)}`, podSpec({ cpu: '900m' }, zoneSpread('s')), { app: 's' });
    await cluster.pass(5);
    const zones = cluster.pods('s').map(({ spec }) => spec.nodeName);
    expect(zones.filter((node) => node !== undefined)).toHaveLength(5);
    expect(
      cluster
        .pods('s')
        .some(
          (pod) =>
            conditionOf({ ...pod }, 'PodScheduled')?.['message']?.includes(
              "didn't match pod topology spread constraints",
            ) ?? false,
        ),
    ).toBe(true);
  });

  test('minDomains keeps pods waiting for more zones', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({ zone: 'eu-west-3a' });
    const spec = podSpec({ cpu: '100m' }, zoneSpread('s', { minDomains: 2 }));
    await createPod(cluster, 's-1', spec, { app: 's' });
    await bound(cluster, 's-1');
    await createPod(cluster, 's-2', spec, { app: 's' });
    await cluster.pass(5);
    expect(nodeOf(cluster, 's-2')).toBeUndefined();
    const [other] = await cluster.addNodes({ zone: 'eu-west-3b' });
    expect(await bound(cluster, 's-2')).toBe(other);
  });

  test('anti-affinity keeps pods apart, also from pods that do not mind', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    await createPod(cluster, 'loner', podSpec({ cpu: '100m' }, antiAffinity('web')));
    await bound(cluster, 'loner');
    await createPod(cluster, 'web', podSpec({ cpu: '100m' }));
    await cluster.pass(1);
    expect(refusalOf(cluster, 'web')).toContain("node(s) didn't satisfy existing pods anti-affinity rules");
  });

  test('affinity puts pods together; the first of a group that wants itself may go anywhere', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({ zone: 'eu-west-3a' }, { zone: 'eu-west-3b' });
    const affinity = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { app: 'pair' } } },
          ],
        },
      },
    };
    for (const name of ['one', 'two', 'three'])
      await createPod(cluster, name, podSpec({ cpu: '100m' }, affinity), { app: 'pair' });
    await cluster.pass(2);
    const nodes = new Set(['one', 'two', 'three'].map((name) => nodeOf(cluster, name)));
    expect(nodes.size).toBe(1);
    expect(nodes.has(undefined)).toBe(false);
  });

  test('a host port is taken once per node', async () => {
    const cluster = new SimulatedCluster();
    await cluster.addNodes({});
    const spec = {
      containers: [{ name: 'main', image: 'x', ports: [{ containerPort: 80, hostPort: 8080 }] }],
    };
    await createPod(cluster, 'one', spec);
    await createPod(cluster, 'two', spec);
    await cluster.pass(2);
    const nodes = ['one', 'two'].map((name) => nodeOf(cluster, name) !== undefined);
    expect(nodes).toEqual([true, false]);
    expect(refusalOf(cluster, 'two')).toContain("node(s) didn't have free ports for the requested pod ports");
  });
});

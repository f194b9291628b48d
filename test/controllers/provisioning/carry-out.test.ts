/** In which order a plan is written, and that a batch which takes long neither is cut off nor defeats itself. */
import { INSTANCE_TYPE } from '../../../src/domain/values/labels.js';
import { LAUNCH_GROUP_ANNOTATION } from '../../../src/domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import type { Planner } from '../../../src/ports/planner.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { unschedulablePod, unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import { BurstWorld } from './burst-world.js';
import { ProvisioningWorld } from './provisioning-world.js';

/** Each wants a node of its own: they listen on the same port. */
function apart(count: number, name = 'web'): readonly ObservedPod[] {
  const hostPorts = [{ port: 8080, hostIP: '0.0.0.0', protocol: 'TCP' as const }];
  return unschedulableReplicas(count, { name, hostPorts });
}

/** The writes of one batch, in order: `NodeClaim a`, `Reservation on NodeClaim a`, `Reservation on Node b`. */
function writesOf({ kube }: ProvisioningWorld): readonly string[] {
  return kube.writes.map(({ method, name }) => {
    if (method !== 'putReservation') return `NodeClaim ${name}`;
    const dot = name.indexOf('.');
    return `Reservation on ${name.startsWith('node.') ? 'Node' : 'NodeClaim'} ${name.slice(dot + 1)}`;
  });
}

describe('the writes of a batch', () => {
  test('a claim is followed by its Reservation, not by all other claims', async () => {
    const world = new ProvisioningWorld();
    world.start();
    world.pods(apart(60));
    await world.clock.advance(3000);
    const writes = writesOf(world);
    expect(writes).toHaveLength(120);
    const gaps = world
      .claims()
      .map(
        ({ name }) =>
          writes.indexOf(`Reservation on NodeClaim ${name}`) - writes.indexOf(`NodeClaim ${name}`),
      );
    expect(Math.min(...gaps)).toBeGreaterThan(0);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(16);
  });

  test('claims come before room on nodes that are there', async () => {
    const world = new ProvisioningWorld();
    world.kube.objects.put('Node', observedNode({ name: 'node-1' }));
    world.start();
    world.pods(apart(10));
    await world.clock.advance(3000);
    const writes = writesOf(world);
    expect(writes).toHaveLength(19);
    const created = world.claims().map(({ name }) => writes.indexOf(`NodeClaim ${name}`));
    expect(writes.indexOf('Reservation on Node node-1')).toBeGreaterThan(Math.max(...created));
  });

  test('a claim that was left without a Reservation gets it before new claims are created', async () => {
    const world = new ProvisioningWorld();
    const first = world.start(refusing(world.kube, 'putReservation'));
    world.pods(apart(1, 'first'));
    await world.clock.advance(3000);
    await first.stop();
    const [left] = world.claims();
    world.start();
    world.pods(apart(5));
    await world.clock.advance(3000);
    expect(writesOf(world).slice(0, 2)).toEqual([
      `NodeClaim ${left?.name ?? ''}`,
      `Reservation on NodeClaim ${left?.name ?? ''}`,
    ]);
    expect(world.heldPods()).toHaveLength(6);
  });

  test('the claims of one launch group come one after the other', async () => {
    const world = new ProvisioningWorld();
    const types = ['m5.large', 'c5.large', 'm5.xlarge'];
    world.start();
    for (let index = 0; index < 15; index++)
      world.pods([
        unschedulablePod({
          name: `web-${String(index)}`,
          requests: { cpu: '1500m' },
          nodeSelector: { [INSTANCE_TYPE]: types[index % 3] ?? '' },
        }),
      ]);
    await world.clock.advance(3000);
    const groupOf = new Map(
      world.claims().map(({ name, annotations }) => [name, annotations.get(LAUNCH_GROUP_ANNOTATION)]),
    );
    const created = world.kube.writes.filter(({ method }) => method === 'createNodeClaim');
    const groups = created.map(({ name }) => groupOf.get(name));
    const changes = groups.filter((group, index) => group !== groups[index - 1]);
    expect(changes.length).toBeGreaterThan(1);
    expect(new Set(changes).size).toBe(changes.length);
  });

  test('no claim is created for pods that have a place by the time of its turn', async () => {
    const world = new ProvisioningWorld();
    const pods = apart(40);
    const { cluster } = world.start();
    cluster.nodeClaims.subscribe(() => {
      for (const pod of pods.slice(20)) world.pods([{ ...pod, nodeName: 'elsewhere' }]);
    });
    world.pods(pods);
    await world.clock.advance(3000);
    expect(world.claims().length).toBeLessThan(30);
    expect(world.heldPods().length).toBeGreaterThanOrEqual(20);
  });

  test('pods whose node goes away before their room is written are planned again', async () => {
    const world = new ProvisioningWorld();
    world.kube.objects.put('Node', observedNode({ name: 'node-1' }));
    const aroundPlanner = (planner: Planner): Planner => ({
      plan: async (question, signal) => {
        const answer = await planner.plan(question, signal);
        world.kube.objects.remove('Node', 'node-1');
        return answer;
      },
      disrupt: (question, signal) => planner.disrupt(question, signal),
      close: () => planner.close(),
    });
    world.start(world.kube, { aroundPlanner });
    world.pods(apart(1));
    await world.clock.advance(10_000);
    expect(world.held()).toEqual({ [world.claims()[0]?.name ?? '']: ['uid-default-web-0'] });
  });
});

describe('a batch that takes long', () => {
  test.each([
    [50, 200],
    [3000, 100],
  ])(
    'is launched whole and no claim of it is given up where each write takes %i ms, with %i claims',
    async (writeMillis, count) => {
      const world = new BurstWorld('L2', writeMillis);
      for (let index = 0; index < 10; index++)
        world.objects.put('Node', observedNode({ name: `old-${String(index)}` }));
      world.start();
      for (const pod of apart(count + 10)) world.objects.put('Pod', pod);
      await world.instances.clock.advance(10_000 + writeMillis * 60);
      expect(world.objects.list('NodeClaim')).toHaveLength(count);
      expect(world.instances.liveInstances()).toHaveLength(count);
      expect(world.told.decisions.filter(({ reason }) => reason === 'NoReservation')).toEqual([]);
      const created = world.kube.writes.filter(({ method }) => method === 'createNodeClaim');
      expect(created).toHaveLength(count);
    },
  );

  test('has a claim wait for its Reservation for as long as it is on its way', async () => {
    const world = new BurstWorld('L2');
    world.start(late(world, 'putReservation', 60_000));
    for (const pod of apart(3)) world.objects.put('Pod', pod);
    await world.instances.clock.advance(90_000);
    expect(world.instances.liveInstances()).toHaveLength(3);
    expect(world.kube.writes.filter(({ method }) => method === 'createNodeClaim')).toHaveLength(3);
  });

  test('leaves claims behind when it is killed, which the next process gives up when no pod wants them', async () => {
    const world = new BurstWorld('L2');
    const kill = world.start(late(world, 'putReservation', Infinity));
    for (const pod of apart(3)) world.objects.put('Pod', pod);
    await world.instances.clock.advance(5000);
    kill();
    expect(world.objects.list('NodeClaim')).toHaveLength(3);
    for (const { namespace, name } of world.pods()) world.objects.remove('Pod', `${namespace}/${name}`);
    world.start();
    await world.instances.clock.advance(28_000);
    expect(world.objects.list('NodeClaim')).toHaveLength(3);
    await world.instances.clock.advance(10_000);
    expect(world.objects.list('NodeClaim')).toEqual([]);
    expect(world.instances.liveInstances()).toEqual([]);
  });

  test('is carried out to its end, however much longer than planning may take', async () => {
    const world = new ProvisioningWorld(undefined, { writeMillis: 1000 });
    world.start(world.kube, { settings: { planMillis: 5000 } });
    world.pods(apart(100));
    await world.clock.advance(40_000);
    expect(world.heldPods()).toHaveLength(100);
    expect(world.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('is given up while it is planned, and planned again', async () => {
    const world = new ProvisioningWorld();
    let asked = 0;
    const aroundPlanner = (planner: Planner): Planner => ({
      plan: (question, signal) =>
        ++asked === 1 ? new Promise<never>(() => undefined) : planner.plan(question, signal),
      disrupt: (question, signal) => planner.disrupt(question, signal),
      close: () => planner.close(),
    });
    world.start(world.kube, { aroundPlanner, settings: { planMillis: 5000 } });
    world.pods(apart(1));
    await world.clock.advance(5000);
    expect(world.claims()).toEqual([]);
    await world.clock.advance(5000);
    expect(world.heldPods()).toEqual(['uid-default-web-0']);
  });

  test('ends with its process, in the middle of its writes', async () => {
    const world = new ProvisioningWorld(undefined, { writeMillis: 1000 });
    const life = world.start();
    world.pods(apart(100));
    await world.clock.advance(6000);
    await life.stop();
    const { length } = world.claims();
    expect(length).toBeGreaterThan(0);
    await world.clock.advance(20_000);
    expect(world.claims()).toHaveLength(length);
  });
});

/** An API server that refuses every write of this kind for good. */
function refusing(kube: KubeWriter, method: keyof KubeWriter): KubeWriter {
  return around(kube, method, () => Promise.reject(new Error('refused')));
}

/** An API server that carries these writes out so much later. */
function late({ kube, instances }: BurstWorld, method: keyof KubeWriter, millis: number): KubeWriter {
  return around(kube, method, async (write) => {
    if (millis === Infinity) return new Promise<never>(() => undefined);
    await instances.clock.sleep(millis);
    return write();
  });
}

function around(
  kube: KubeWriter,
  method: keyof KubeWriter,
  act: (write: () => Promise<unknown>) => Promise<unknown>,
): KubeWriter {
  return new Proxy(kube, {
    get: (target, name): unknown => {
      const known = Reflect.get(target, name) as (...args: readonly unknown[]) => Promise<unknown>;
      if (name !== method) return known.bind(target);
      return (...args: readonly unknown[]) => act(() => known.apply(target, [...args]));
    },
  });
}

/** `berth uninstall` in the simulated world: both ways, without a leader, and killed at each of its requests. */
import { kubeObjects, type KubeObjects } from '../../src/app/handover/kube-objects.js';
import { uninstall, type UninstallWay } from '../../src/app/uninstall/uninstall.js';
import { KubeClient } from '../../src/adapters/kube/transport/index.js';
import { staticConnection } from '../support/static-connection.js';
import { deployment, nodeClass, nodePool } from '../scenario/objects.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';
import { wireSend } from './wire-send.js';

const FINALIZER = 'berth.sh/termination';

interface Started {
  readonly world: SimulatedWorld;
  readonly objects: KubeObjects;
  readonly told: string[];
}

async function withNodes(): Promise<Started> {
  const world = await SimulatedWorld.start();
  const scenario = new Scenario(world);
  await scenario.given(nodeClass(), nodePool());
  await scenario.whenApplied(deployment({ name: 'web', replicas: 3 }));
  await scenario.expectScheduled({ app: 'web', pods: 3 });
  const client = new KubeClient({
    connection: staticConnection({ server: 'http://127.0.0.1:1' }),
    ...{ clock: world.clock, userAgent: 'test', qps: 1e6, burst: 1e6 },
    send: wireSend(world.api.handle, world.clock),
  });
  return { world, objects: kubeObjects(client), told: [] };
}

async function removed(
  { world, told, objects }: Started,
  way: UninstallWay,
  own = objects,
): Promise<unknown> {
  const { clock } = world;
  let outcome: unknown;
  const run = { way, namespace: 'berth-system', objects: own, clock, timeoutMillis: 3_600_000 };
  void uninstall({ ...run, tell: (text) => told.push(text) }).then(
    () => (outcome = 'done'),
    (error: unknown) => (outcome = error),
  );
  await clock.runUntil(() => outcome !== undefined, { limitMillis: 4_000_000 });
  return outcome;
}

async function left({ world }: Started): Promise<object> {
  const nodes = await world.nodes();
  const held = world.api
    .list('nodes')
    .filter(({ metadata }) => (metadata.finalizers ?? []).includes(FINALIZER));
  return {
    claims: (await world.claims()).length,
    held: held.length,
    nodes: nodes.length > 0,
    running: world.instances().some(({ state }) => state === 'running'),
    webhooks: world.api.list('mutatingwebhookconfigurations.admissionregistration.k8s.io').length,
  };
}

test('with --drain every node is drained and terminated, with progress', async () => {
  const started = await withNodes();
  expect(await removed(started, 'drain')).toBe('done');
  expect(await left(started)).toEqual({ claims: 0, held: 0, nodes: false, running: false, webhooks: 0 });
  expect(started.told[0]).toBe('Deleted MutatingWebhookConfiguration berth-mutate-pods');
  expect(started.told.filter((text) => text.includes('left to drain'))).not.toEqual([]);
  await started.world.close();
});

test('with --keep-nodes nodes stay, and nothing of Berth is on them', async () => {
  const started = await withNodes();
  expect(await removed(started, 'keep')).toBe('done');
  await started.world.quietFor(600);
  expect(await left(started)).toEqual({ claims: 0, held: 0, nodes: true, running: true, webhooks: 0 });
  await started.world.close();
});

test('with --keep-nodes and no replica, finalizers are removed by the command', async () => {
  const started = await withNodes();
  await started.world.stopBerth();
  await started.world.quietFor(60);
  expect(await removed(started, 'keep')).toBe('done');
  expect(await left(started)).toEqual({ claims: 0, held: 0, nodes: true, running: true, webhooks: 0 });
  expect(started.told.join('\n')).toContain('keep the tag berth.sh/cluster');
  await started.world.close();
});

test('with --drain and no replica nothing is changed', async () => {
  const started = await withNodes();
  await started.world.stopBerth();
  await started.world.quietFor(60);
  expect(String(await removed(started, 'drain'))).toContain('no replica of Berth leads');
  expect(await left(started)).toMatchObject({ nodes: true, running: true, webhooks: 1 });
  await started.world.close();
});

class Killed extends Error {}

/** Fails at its nth request that changes something, before or after it is done. */
function mortal(objects: KubeObjects, nth: number, isDone: boolean): KubeObjects {
  let count = 0;
  const die = async <T>(work: () => Promise<T>): Promise<T> => {
    count++;
    if (count < nth) return work();
    if (isDone) await work();
    throw new Killed('killed');
  };
  return {
    ...objects,
    merge: (kind, object, change) => die(() => objects.merge(kind, object, change)),
    remove: (kind, object) => die(() => objects.remove(kind, object)),
  };
}

test('killed at each of its writes and run again, it ends the same', async () => {
  for (const isDone of [false, true]) {
    const started = await withNodes();
    await started.world.stopBerth();
    await started.world.quietFor(60);
    for (let nth = 1; ; nth++) {
      const outcome = await removed(started, 'keep', mortal(started.objects, nth, isDone));
      if (outcome === 'done') break;
      expect(outcome).toBeInstanceOf(Killed);
      if (nth > 50) throw new Error('it does not end');
    }
    expect(await left(started)).toEqual({ claims: 0, held: 0, nodes: true, running: true, webhooks: 0 });
    await started.world.close();
  }
});

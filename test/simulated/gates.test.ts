/** Pods with Berth's scheduling gate in the simulated world: level L1, from the webhook to the kubelet. */
import { deployment, nodeClass, policy } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

const GATED = policy('gated', {
  apiVersion: 'berth.sh/v1',
  kind: 'PodDefaults',
  metadata: { name: 'gated' },
  spec: { schedulingGate: true },
});
/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };

async function gatedWorld(): Promise<{ readonly world: SimulatedWorld; readonly scenario: Scenario }> {
  const world = await SimulatedWorld.start();
  const scenario = new Scenario(world);
  await scenario.given(nodeClass(), new OwnPool('gated').manifest({ spec: { limits: { cpu: '6' } } }), GATED);
  await world.quietFor(5);
  return { world, scenario };
}

test('pods with the gate are planned when they are created, and bound where they were planned', async () => {
  const { world, scenario } = await gatedWorld();
  const wanted = new OwnPool('gated').wanted();
  await scenario.whenApplied(deployment({ requests: ALONE, replicas: 2, pod: wanted }));
  await scenario.expectScheduled({ app: 'web', pods: 2, whereFirstPlanned: true });
  for (const pod of world.api.list('pods')) {
    expect(pod['spec']).toMatchObject({
      nodeSelector: { 'kubernetes.io/hostname': expect.any(String) as string },
    });
    expect(pod['spec']).not.toHaveProperty('schedulingGates');
  }
  await world.close();
});

test('pods beyond the limit are let go to kube-scheduler, which says why they fit nowhere', async () => {
  const { world, scenario } = await gatedWorld();
  const wanted = new OwnPool('gated').wanted();
  await scenario.whenApplied(deployment({ requests: ALONE, replicas: 5, pod: wanted }));
  const refused = await world.until(
    '3 pods are bound, and the others Unschedulable',
    async () => {
      const pods = world.api.list('pods');
      const reasons = pods.map(({ status }) => JSON.stringify(status));
      const refused = reasons.filter((text) => text.includes('"Unschedulable"')).length;
      const bound = (await world.pods()).filter(({ nodeName }) => nodeName !== undefined).length;
      return bound === 3 && refused === 2 && refused;
    },
    30,
  );
  expect(refused).toBe(2);
  await world.close();
});

test('what is not let go when Berth stops waits until it is back, and goes where it was planned', async () => {
  const { world, scenario } = await gatedWorld();
  const wanted = new OwnPool('gated').wanted();
  await scenario.whenApplied(deployment({ requests: ALONE, replicas: 2, pod: wanted }));
  await world.until('its instances are launched', () => Promise.resolve(world.instances().length === 2), 10);
  await world.stopBerth();
  await world.quietFor(300);
  expect((await world.pods()).filter(({ nodeName }) => nodeName !== undefined)).toEqual([]);
  world.startBerth();
  await scenario.expectScheduled({ app: 'web', pods: 2, whereFirstPlanned: true });
  expect(world.instances()).toHaveLength(2);
  await world.close();
});

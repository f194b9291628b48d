/** What the cloud says of instances: which nodes go for it, and what is not launched for a while. */
import type { Interruption } from '../../../../src/ports/interruption-queue.js';
import { instanceID } from '../../../../src/domain/nodes/node-claim.js';
import type { DisruptionWorld } from '../../../controllers/disruption/disruption-world.js';
import { counted, oneNode } from '../../../controllers/interruption/one-node.js';
import type { Suite } from '../fact.js';

type Scene = Awaited<ReturnType<typeof oneNode>>;

/** What a message says, but for the instance that it is about. */
type Said = Interruption extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'instanceIDs'>
    : never
  : never;

/** The message about the instance of the node, and so many seconds later. */
async function told({ world, instance }: Scene, message: Said, seconds: number): Promise<void> {
  world.queue.send({ ...message, instanceIDs: [instance] });
  await world.pass(seconds);
}

/** After how many seconds the claim is gone. */
function untilGone({ world, name }: Scene): Promise<number> {
  return world.until(() => world.claim(name) === undefined);
}

/** Several nodes more, and a message about each, which comes twice: names of the claims. */
async function tellAll(world: DisruptionWorld): Promise<readonly string[]> {
  world.deploy('more', 3, { requests: { cpu: '3500m' } });
  await world.until(() => world.unbound().length === 0);
  await world.pass(5);
  for (const { status } of world.claims())
    world.queue.send({ kind: 'ScheduledChange', instanceIDs: [instanceID(status.providerID ?? '')] }, 2);
  return world
    .claims()
    .map(({ name }) => name)
    .sort();
}

/** Whether nothing is launched as the claim's instance was, or as said. */
function isOut(
  { world }: Scene,
  offering: readonly [type: string, zone: string, capacityType: 'spot' | 'on-demand'],
): boolean {
  return world.unavailableOfferings.isUnavailable(...offering, world.clock.now());
}

function offeringOf({ world, name }: Scene): readonly [string, string, 'spot' | 'on-demand'] {
  const { instanceType = '', zone = '', capacityType } = world.claim(name)?.status ?? {};
  return [instanceType, zone, capacityType === 'on-demand' ? 'on-demand' : 'spot'];
}

/** Whether pods run on the node of the claim. */
function hasPods({ world, name }: Scene): boolean {
  const nodeName = world.claim(name)?.status.nodeName;
  return nodeName !== undefined && world.pods('web').some((pod) => pod.nodeName === nodeName);
}

/** PodDisruptionBudgets forbid to evict the pods. */
function protect(world: DisruptionWorld): void {
  world.protect('web', 0);
  for (const { namespace, name } of world.pods('web')) world.kube.protectedPods.add(`${namespace}/${name}`);
}

export const INTERRUPTION: Suite = {
  name: 'Interruption',
  facts: [
    {
      fact: 'deletes the NodeClaim of an instance with a spot interruption warning at once, whatever budgets say',
      differs:
        'its replacement is launched first, and the NodeClaim is deleted once that is ready, within the two minutes: the pods have a place to go',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        const { world, name } = scene;
        await told(scene, { kind: 'SpotInterruption' }, 5);
        expect(world.claimsWith('Interrupted')).toEqual([name]);
        expect(world.claims().length).toBeGreaterThan(1);
        expect(world.claim(name)?.deletionTimestamp).toBeUndefined();
        expect(await untilGone(scene)).toBeLessThan(115);
        await world.pass(5);
        expect(world.unbound()).toEqual([]);
      },
    },
    {
      fact: 'waits for PodDisruptionBudgets when it drains a spot node, though its instance is taken meanwhile',
      differs:
        'pods are deleted before the two minutes are over, since their containers would be killed without a grace period then',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        protect(scene.world);
        await told(scene, { kind: 'SpotInterruption' }, 80);
        expect(hasPods(scene)).toBe(true);
        await scene.world.pass(35);
        expect(hasPods(scene)).toBe(false);
        expect(scene.world.writes('deletePod').length).toBeGreaterThan(0);
      },
    },
    {
      fact: 'launches no such instance in the zone for three minutes after a spot interruption',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        const [type, zone, capacityType] = offeringOf(scene);
        await told(scene, { kind: 'SpotInterruption' }, 3);
        expect(isOut(scene, [type, zone, capacityType])).toBe(true);
        expect(isOut(scene, [type, 'another-zone', capacityType])).toBe(false);
        expect(isOut(scene, ['another-type', zone, capacityType])).toBe(false);
        await scene.world.pass(160);
        expect(isOut(scene, [type, zone, capacityType])).toBe(true);
        await scene.world.pass(30);
        expect(isOut(scene, [type, zone, capacityType])).toBe(false);
      },
    },
    {
      fact: 'takes a node whose instance has a scheduled change, and launches such instances as before',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        const offering = offeringOf(scene);
        await told(scene, { kind: 'ScheduledChange' }, 5);
        expect(isOut(scene, offering)).toBe(false);
        expect(await untilGone(scene)).toBeLessThan(180);
      },
    },
    {
      fact: 'takes a node whose instance stops or terminates',
      run: async (): Promise<void> => {
        for (const state of ['stopping', 'stopped', 'shutting-down', 'terminated']) {
          const scene = await oneNode();
          await told(scene, { kind: 'StateChange', state }, 3);
          expect(scene.world.claim(scene.name)?.deletionTimestamp).toBeDefined();
          expect(scene.world.queue.size).toBe(0);
        }
      },
    },
    {
      fact: 'keeps a node whose instance enters another state, and deletes the message',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        await told(scene, { kind: 'StateChange', state: 'pending' }, 10);
        expect(scene.world.claim(scene.name)?.deletionTimestamp).toBeUndefined();
        expect(scene.world.claimsWith('Interrupted')).toEqual([]);
        expect(scene.world.queue.size).toBe(0);
        expect(await counted(scene.world, 'no_op')).toBe(1);
      },
    },
    {
      fact: 'reports a rebalance recommendation, and keeps the node and its offering',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        const { world, name } = scene;
        await told(scene, { kind: 'RebalanceRecommendation' }, 60);
        expect(world.reasons()).toContain('SpotRebalanceRecommendation');
        expect(world.claimsWith('Interrupted')).toEqual([]);
        expect(world.claim(name)?.deletionTimestamp).toBeUndefined();
        expect(isOut(scene, offeringOf(scene))).toBe(false);
      },
    },
    {
      fact: 'takes every node that messages are about, each once',
      run: async (): Promise<void> => {
        const { world } = await oneNode();
        const all = await tellAll(world);
        expect(all.length).toBeGreaterThan(2);
        await world.pass(4);
        expect([...world.claimsWith('Interrupted')].sort()).toEqual(all);
        expect(world.reasons().filter((reason) => reason === 'ScheduledChange')).toHaveLength(all.length);
      },
    },
    {
      fact: 'keeps all nodes where the instance is of no NodeClaim, and deletes the message',
      run: async (): Promise<void> => {
        const { world, name } = await oneNode();
        world.queue.send({ kind: 'SpotInterruption', instanceIDs: ['i-of-others'] });
        await world.pass(10);
        expect(world.claimsWith('Interrupted')).toEqual([]);
        expect(world.claim(name)?.deletionTimestamp).toBeUndefined();
        expect(world.queue.size).toBe(0);
      },
    },
    {
      fact: 'deletes a message that cannot be read',
      run: async (): Promise<void> => {
        const { world, name } = await oneNode();
        world.queue.send({ kind: 'Malformed', problem: 'no JSON', instanceIDs: [] });
        await world.pass(10);
        expect([world.queue.size, world.claim(name)?.deletionTimestamp]).toEqual([0, undefined]);
      },
    },
    {
      fact: 'keeps a message in the queue until what it says has been done',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        const { world, name } = scene;
        world.kube.fail({ method: 'putNodeClaimStatus', code: 'Unavailable', name, times: 1 });
        await told(scene, { kind: 'ScheduledChange' }, 5);
        expect([world.claimsWith('Interrupted'), world.queue.size]).toEqual([[], 1]);
        await world.pass(35);
        expect([world.claimsWith('Interrupted'), world.queue.size]).toEqual([[name], 0]);
      },
    },
    {
      fact: 'ends an instance whose status check fails without a drain, whatever PodDisruptionBudgets say',
      run: async (): Promise<void> => {
        const scene = await oneNode();
        const { world } = scene;
        protect(world);
        await told(scene, { kind: 'FailedStatusCheck', check: 'system' }, 1);
        expect(await untilGone(scene)).toBeLessThan(30);
        expect(world.reasons()).toContain('InstanceUnhealthy');
      },
    },
  ],
};

import fc from 'fast-check';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import type { Fault } from '../../support/in-memory/in-memory-kube.js';
import { mortalWriter } from '../../support/in-memory/mortal-writer.js';
import { ProvisioningWorld } from './provisioning-world.js';

/** Three claims or more, and one node that has room for two. */
function burst(): readonly ObservedPod[] {
  return [
    ...unschedulableReplicas(9, { name: 'web', requests: { cpu: '1', memory: '1Gi' } }),
    ...unschedulableReplicas(2, { name: 'small', requests: { cpu: '800m' } }),
  ];
}

function worldWithPods(): { readonly world: ProvisioningWorld; readonly uids: readonly string[] } {
  const world = new ProvisioningWorld();
  world.kube.objects.put('Node', observedNode({ name: 'node-1' }));
  const pods = burst();
  world.pods(pods);
  return { world, uids: pods.map(({ uid }) => uid).sort() };
}

function claimsWithoutRoom(world: ProvisioningWorld): readonly string[] {
  const held = world.held();
  return world
    .claims()
    .map(({ name }) => name)
    .filter((name) => held[name] === undefined);
}

async function writesOfOneBatch(): Promise<number> {
  const { world } = worldWithPods();
  world.start();
  await world.clock.advance(5000);
  return world.kube.writes.length;
}

describe('a batch that is cut off', () => {
  test('killed after any write, it ends as if it had not been: every pod has room once, nothing is bought twice', async () => {
    const writes = await writesOfOneBatch();
    expect(writes).toBeGreaterThan(5);
    for (let killedAfter = 0; killedAfter <= writes; killedAfter++) {
      const { world, uids } = worldWithPods();
      const mortal = mortalWriter(world.kube, killedAfter);
      world.start(mortal.kube);
      await world.clock.advance(5000);
      expect({ killedAfter, isDead: mortal.isDead() }).toEqual({ killedAfter, isDead: true });
      world.start();
      await world.clock.advance(5000);
      expect({ killedAfter, held: world.heldPods() }).toEqual({ killedAfter, held: uids });
      expect({ killedAfter, unused: claimsWithoutRoom(world) }).toEqual({ killedAfter, unused: [] });
    }
  });

  test('killed again and again, it still comes to its end', async () => {
    const { world, uids } = worldWithPods();
    for (let life = 0; life < 20; life++) {
      world.start(mortalWriter(world.kube, 1).kube);
      await world.clock.advance(3000);
    }
    expect(world.heldPods()).toEqual(uids);
    expect(claimsWithoutRoom(world)).toEqual([]);
  });

  test('whatever the API server refuses or leaves unanswered, each pod gets room once, and only lost answers leave a claim unused', async () => {
    const fault: fc.Arbitrary<Fault> = fc.record({
      method: fc.constantFrom('createNodeClaim', 'putReservation'),
      code: fc.constantFrom('Conflict', 'Unavailable', 'TimedOut', 'RateLimited', 'AlreadyExists'),
      times: fc.integer({ min: 1, max: 3 }),
      applied: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 6 }), fc.boolean(), async (faults, isSlow) => {
        const { world, uids } = worldWithPods();
        for (const planted of faults) world.kube.fail(planted);
        world.start();
        if (isSlow) {
          await world.clock.settle();
          world.kube.objects.hold();
          await world.clock.advance(4000);
          world.kube.objects.release();
        }
        await world.clock.advance(400_000);
        const lost = faults
          .filter(({ method, applied }) => method === 'createNodeClaim' && applied)
          .reduce((sum, { times = 1 }) => sum + times, 0);
        expect(world.heldPods()).toEqual(uids);
        expect(claimsWithoutRoom(world).length).toBeLessThanOrEqual(lost);
      }),
      { numRuns: 30 },
    );
  });
});

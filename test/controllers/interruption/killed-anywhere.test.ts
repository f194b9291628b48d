/** Berth may be killed at any write between a spot interruption warning and the end of the instance. */
import { instanceID } from '../../../src/domain/nodes/node-claim.js';
import { mortalWriter } from '../../support/in-memory/mortal-writer.js';
import { DisruptionWorld } from '../disruption/disruption-world.js';

interface End {
  /** When the claim was gone, in seconds after the warning. */
  readonly goneAfter: number;
  readonly unbound: number;
  readonly messages: number;
  readonly instances: number;
  readonly reservations: number;
}

async function story(killedAfter: number): Promise<{ readonly end: End; readonly died: boolean }> {
  const world = new DisruptionWorld({ disruption: { consolidateAfter: 'Never' } });
  const first = world.start();
  world.deploy('web', 1, { requests: { cpu: '1500m' } });
  await world.until(() => world.claimsWith('Initialized').length === 1 && world.unbound().length === 0);
  await world.pass(15);
  first.kill();
  const mortal = mortalWriter(world.kube, killedAfter);
  const second = world.start(mortal.kube);
  const [claim] = world.claims();
  world.queue.send({
    kind: 'SpotInterruption',
    instanceIDs: [instanceID(claim?.status.providerID ?? '')],
  });
  let seconds = 0;
  for (; seconds < 60 && !mortal.isDead(); seconds++) await world.pass(1);
  second.kill();
  world.start();
  seconds += await world.until(() => world.claim(claim?.name ?? '') === undefined);
  await world.pass(150);
  return {
    died: mortal.isDead(),
    end: {
      goneAfter: seconds,
      unbound: world.unbound().length,
      messages: world.queue.size,
      instances: world.instances.liveInstances().length,
      reservations: world.objects.list('Reservation').length,
    },
  };
}

test('killed after any write, the node is drained in time and its pod has a place', async () => {
  const failures: object[] = [];
  let writes = 1;
  for (let died = true; died && writes < 100; writes++) {
    const told = await story(writes);
    died = told.died;
    const { goneAfter, ...rest } = told.end;
    const isGood =
      JSON.stringify(rest) === JSON.stringify({ unbound: 0, messages: 0, instances: 1, reservations: 0 });
    if (!isGood || goneAfter > 150) failures.push({ writes, ...told.end });
  }
  expect(failures).toEqual([]);
  expect(writes).toBeGreaterThan(10);
});

/** Berth may be killed at any write of a disruption: the next process goes on or takes back, and nothing is left behind. */
import { mortalWriter } from '../../support/in-memory/mortal-writer.js';
import { DisruptionWorld } from './disruption-world.js';

const POOL = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };

interface End {
  readonly instanceTypes: readonly (string | undefined)[];
  readonly unbound: number;
  readonly marked: number;
  readonly tainted: number;
  readonly reservations: number;
  readonly instances: number;
  readonly nodes: number;
  /** Pods that were ever without a node for longer than it takes to bind them, in seconds. */
  readonly longestWait: number;
}

/** One node too large for its pods, and one without any. */
async function oversized(): Promise<{ readonly world: DisruptionWorld; readonly kill: () => void }> {
  const world = new DisruptionWorld(POOL);
  // Killed between two moves, the second is made all the same.
  world.policies(POOL, { consolidation: { moveAgainAfter: '0s' } });
  const { kill } = world.start();
  world.deploy('web', 2, { requests: { cpu: '400m' } });
  world.deploy('big', 1, { requests: { cpu: '2500m' } });
  world.deploy('idle', 1, { requests: { cpu: '3500m' } });
  await world.until(() => world.claimsWith('Initialized').length === 2 && world.unbound().length === 0);
  return { world, kill };
}

async function story(
  killedAfter: number | undefined,
): Promise<{ readonly end: End; readonly died: boolean }> {
  const { world, kill } = await oversized();
  kill();
  const mortal = mortalWriter(world.kube, killedAfter ?? Infinity);
  const second = world.start(mortal.kube);
  world.scale('big', 0);
  world.scale('idle', 0);
  let waiting = 0;
  let longestWait = 0;
  const watch = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed++) {
      await world.pass(1);
      waiting = world.unbound().length > 0 ? waiting + 1 : 0;
      longestWait = Math.max(longestWait, waiting);
    }
  };
  for (let step = 0; step < 90 && !mortal.isDead(); step++) await watch(1);
  second.kill();
  const died = mortal.isDead();
  world.start();
  await watch(200);
  return {
    died,
    end: {
      instanceTypes: world.instanceTypes(),
      unbound: world.unbound().length,
      marked: world.claims().filter(({ status }) => status.disruption !== undefined).length,
      tainted: world.tainted().length,
      reservations: world.objects.list('Reservation').length,
      instances: world.instances.liveInstances().length,
      nodes: world.nodes().length,
      longestWait,
    },
  };
}

const GOOD_END = {
  instanceTypes: ['c5.large'],
  unbound: 0,
  marked: 0,
  tainted: 0,
  reservations: 0,
  instances: 1,
  nodes: 1,
};

test('undisturbed, the empty node goes and the other is replaced', async () => {
  const { end } = await story(undefined);
  expect(end).toMatchObject(GOOD_END);
  expect(end.longestWait).toBeLessThan(10);
});

test('killed after any write, the end is the same and no pod waits for an instance', async () => {
  const failures: object[] = [];
  let writes = 0;
  for (let died = true; died && writes < 200; writes++) {
    const told = await story(writes);
    died = told.died;
    const { longestWait, ...rest } = told.end;
    const isGood = JSON.stringify(rest) === JSON.stringify(GOOD_END) && longestWait < 10;
    if (!isGood) failures.push({ writes, ...told.end });
  }
  expect(failures).toEqual([]);
  expect(writes).toBeGreaterThan(20);
}, 300_000);

test('a process that dies between the mark and the taint: the next one taints the node before it continues', async () => {
  const { world, kill } = await oversized();
  kill();
  const mortal = mortalWriter(world.kube, Infinity);
  world.kube.fail({ method: 'patchNode', code: 'Unavailable', times: Infinity });
  const { kill: killSecond } = world.start(mortal.kube);
  const [claim] = world.claims();
  const name = claim?.name ?? '';
  const conditions = [
    ...(claim?.status.conditions ?? []),
    {
      type: 'Interrupted',
      status: 'True' as const,
      reason: 'Maintenance',
      message: '',
      lastTransitionTime: world.clock.now(),
    },
  ];
  if (claim !== undefined)
    world.objects.put('NodeClaim', { ...claim, status: { ...claim.status, conditions } });
  await world.until(() => world.claim(name)?.status.disruption !== undefined);
  killSecond();
  expect(world.tainted()).toEqual([]);
  world.kube.mend();
  world.start();
  await world.until(() => world.tainted().length > 0);
  expect(world.claim(name)?.deletionTimestamp).toBeUndefined();
  expect(await world.until(() => world.claim(name) === undefined)).toBeLessThan(300);
});

test('a process that dies with its replacement on the way is gone on with, not begun again', async () => {
  const { world, kill } = await oversized();
  kill();
  const { kill: killSecond } = world.start();
  world.scale('big', 0);
  world.scale('idle', 0);
  const isReplacing = (): boolean =>
    world.claims().some(({ annotations }) => annotations.has('berth.sh/replaces'));
  expect(await world.until(isReplacing)).toBeLessThan(120);
  await world.pass(2);
  killSecond();
  const replacement = world.claims().find(({ annotations }) => annotations.has('berth.sh/replaces'));
  await world.pass(5);
  world.start();
  await world.pass(200);
  expect(world.claims().map(({ name }) => name)).toEqual([replacement?.name]);
  expect(world.unbound()).toEqual([]);
});

/** Berth may be killed at any write while proposals wait and are carried out: nothing is proposed, bought or removed twice, or lost. */
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import { mortalWriter } from '../../support/in-memory/mortal-writer.js';
import { DisruptionWorld } from '../disruption/disruption-world.js';

const POOL = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };
const BIG = { requests: { cpu: '3500m' } };
/** What approval is about; other tests kill at all other writes. */
const COUNTED: readonly (keyof KubeWriter)[] = [
  'createDecision',
  'putDecisionStatus',
  'createNodeClaim',
  'putReservation',
  'deleteNodeClaim',
];

interface End {
  readonly pods: number;
  readonly unbound: number;
  readonly live: number;
  readonly bought: number;
  readonly marked: number;
  readonly tainted: number;
  /** Proposals by phase, in order. */
  readonly proposals: readonly string[];
}

/** Two nodes are proposed, approved and launched; one is empty then, and its removal is proposed and approved. */
async function story(killedAfter: number): Promise<{ readonly end: End; readonly died: boolean }> {
  const world = new DisruptionWorld(POOL);
  world.approval = {};
  const mortal = mortalWriter(world.kube, killedAfter, COUNTED);
  const first = world.start(mortal.kube);
  const bought = new Set<string>();
  let isRestarted = false;
  const watch = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += 5) {
      await world.pass(5);
      world.say('approved');
      for (const { id } of world.instances.liveInstances()) bought.add(id);
      if (isRestarted || !mortal.isDead()) continue;
      first.kill();
      world.start();
      isRestarted = true;
    }
  };
  world.deploy('web', 2, BIG);
  await watch(200);
  world.scale('web', 1);
  await watch(240);
  return {
    died: mortal.isDead(),
    end: {
      pods: world.pods().length,
      unbound: world.unbound().length,
      live: world.instances.liveInstances().length,
      bought: bought.size,
      marked: world.claims().filter(({ status }) => status.disruption !== undefined).length,
      tainted: world.tainted().length,
      proposals: world
        .proposals()
        .map(({ spec, progress }) => `${spec.proposal.act} ${progress?.phase ?? ''}`),
    },
  };
}

const GOOD_END: End = {
  pods: 1,
  unbound: 0,
  live: 1,
  bought: 2,
  marked: 0,
  tainted: 0,
  proposals: ['Launch CarriedOut', 'Disruption CarriedOut'],
};

test('killed after any write that approval is about, the end is the same', async () => {
  const failures: object[] = [];
  let writes = 0;
  for (let died = true; died && writes < 100; writes++) {
    const told = await story(writes);
    died = told.died;
    if (JSON.stringify(told.end) !== JSON.stringify(GOOD_END)) failures.push({ writes, ...told.end });
  }
  expect(failures).toEqual([]);
  expect(writes).toBeGreaterThan(10);
}, 300_000);

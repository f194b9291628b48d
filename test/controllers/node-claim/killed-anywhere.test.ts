/** Berth may be killed at any call: in the end every claim had exactly one instance, and nothing is left behind. */
import fc from 'fast-check';
import { TERMINATION_FINALIZER, UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { ClaimWorld } from './claim-world.js';
import type { Death } from './mortal-ports.js';
import { Succession } from './succession.js';

const NAMES = ['general-1', 'general-2', 'general-3'];

interface Story {
  readonly calls: readonly string[];
  readonly instancesPerClaim: readonly number[];
  readonly ready: number;
  readonly liveInstances: number;
  /** Instances ever launched. */
  readonly bought: number;
  readonly unregisteredNodes: number;
  readonly left: { readonly claims: number; readonly nodes: number; readonly instances: number };
}

/** Three claims of one group, of which the first attempt gets two: born, used, deleted. */
async function live(
  deaths: readonly Death[],
  {
    lostAnswers = 0,
    consistencyMillis = 2000,
  }: { readonly lostAnswers?: number; readonly consistencyMillis?: number } = {},
): Promise<Story> {
  const world = new ClaimWorld({ stock: 0, consistencyMillis });
  world.cloud.faults.next('launch', { kind: 'answer-lost' }, lostAnswers);
  world.cloud.stock.set({ instanceType: 'm6i.large', zone: 'eu-west-3a', capacityType: 'spot' }, 2);
  world.cloud.stock.set({ instanceType: 'm5.large', capacityType: 'on-demand' }, 5);
  const succession = new Succession(world, deaths);
  await world.launchGroup(NAMES);
  await succession.seconds(150);
  const claims = world.claims();
  const story = {
    instancesPerClaim: claims.map(
      ({ status }) =>
        world.liveInstances().filter(({ providerID }) => providerID === status.providerID).length,
    ),
    ready: claims.filter(({ status }) =>
      status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    ).length,
    liveInstances: world.liveInstances().length,
    bought: world.cloud.fleet().length,
    unregisteredNodes: world
      .nodes()
      .filter(({ taints }) => taints.some(({ key }) => key === UNREGISTERED_TAINT.key)).length,
  };
  for (const node of world.nodes())
    world.kube.objects.put(
      'Pod',
      observedPod({ name: `on-${node.name}`, uid: node.name, nodeName: node.name }),
    );
  for (const claim of world.claims()) await world.kube.deleteNodeClaim(claim);
  await succession.seconds(150);
  return {
    ...story,
    calls: succession.calls,
    left: {
      claims: world.claims().length,
      nodes: world.nodes().filter(({ finalizers }) => finalizers.includes(TERMINATION_FINALIZER)).length,
      instances: world.liveInstances().length,
    },
  };
}

const GOOD_END = {
  instancesPerClaim: [1, 1, 1],
  ready: 3,
  liveInstances: 3,
  bought: 3,
  unregisteredNodes: 0,
  left: { claims: 0, nodes: 0, instances: 0 },
};

test('undisturbed, three claims live and go in fewer than a hundred calls', async () => {
  const { calls, ...end } = await live([]);
  expect(end).toEqual(GOOD_END);
  expect(new Set(calls)).toEqual(
    new Set([
      'resolveNodeClass',
      'prepareLaunch',
      'putNodeClaimStatus',
      'launch',
      'tagInstances',
      'patchNode',
      'evictPod',
      'terminate',
      'instances',
      'deleteNode',
      'releaseNodeClaim',
    ]),
  );
  expect(calls.length).toBeLessThan(100);
});

test.each(['before', 'after'] as const)(
  'killed %s any call, nothing is lost and nothing is left',
  async (when) => {
    const { calls } = await live([]);
    const failures: object[] = [];
    for (let atCall = 1; atCall <= calls.length; atCall++) {
      const { calls: own, ...end } = await live([{ atCall, when }]);
      if (JSON.stringify(end) !== JSON.stringify(GOOD_END))
        failures.push({ atCall, killer: calls[atCall - 1], end, own: own.length });
    }
    expect(failures).toEqual([]);
  },
);

test('killed again and again, with answers lost and instances seen late, it is the same', async () => {
  const death = fc.record({
    atCall: fc.integer({ min: 1, max: 25 }),
    when: fc.constantFrom('before', 'after'),
  });
  const deaths = fc.array(death, { minLength: 2, maxLength: 6 });
  const trouble = fc.record({
    lostAnswers: fc.integer({ min: 0, max: 3 }),
    consistencyMillis: fc.constantFrom(0, 5000, 30_000, 50_000),
  });
  await fc.assert(
    fc.asyncProperty(deaths, trouble, async (several, faults) => {
      const { calls, ...end } = await live(several, faults);
      expect(calls.length).toBeGreaterThan(0);
      expect(end).toEqual(GOOD_END);
    }),
    { numRuns: 60, seed: 20260101 },
  );
});

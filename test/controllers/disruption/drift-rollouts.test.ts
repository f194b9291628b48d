import { DriftBackOff } from '../../../src/controllers/disruption/rollout/drift-back-off.js';
import { DriftRollouts } from '../../../src/controllers/disruption/rollout/drift-rollouts.js';
import type { Condition } from '../../../src/domain/values/condition.js';
import type { NodeLife } from '../../../src/planning/disrupt/question/disruption.js';
import type { DriftHold } from '../../../src/planning/disrupt/question/drift-hold.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { managedNode, withClaimCondition } from '../../support/builders/disruption-input.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { RESUME_DRIFT_ANNOTATION } from '../../../src/domain/policies/drift-rollout.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { DisruptionWorld } from './disruption-world.js';

const BIG = { requests: { cpu: '3500m' } };
const SOAK = { canary: '1', soak: '5m' };

/** The spec of the pool, whose nodes drift when the label changes. */
function pool(version: string, nodes = '100%'): JsonObject {
  return {
    template: {
      metadata: { labels: { version } },
      spec: {
        requirements: [],
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      },
    },
    disruption: { consolidateAfter: 'Never', budgets: [{ nodes }] },
  };
}

/** Three nodes, which drift now. */
async function drifting(driftRollout: object | undefined, nodes?: string): Promise<DisruptionWorld> {
  const world = new DisruptionWorld();
  const berth = driftRollout && { driftRollout };
  world.policies(pool('one', nodes), berth);
  world.start();
  world.deploy('web', 3, BIG);
  expect(await world.until(() => world.claimsWith('Initialized').length === 3)).toBeLessThan(60);
  expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(30);
  await world.pass(30);
  world.policies(pool('two', nodes), berth);
  return world;
}

/** Names of claims that are what the pool asks for now. */
function renewed(world: DisruptionWorld): readonly string[] {
  return world
    .claims()
    .filter(({ labels }) => labels.get('version') === 'two')
    .map(({ name }) => name);
}

function refusals(world: DisruptionWorld, code: string): readonly string[] {
  return world.told.decisions.filter(({ reason }) => reason === code).map(({ message }) => message);
}

/** Until the first of the three is replaced. */
async function canaried(world: DisruptionWorld): Promise<string> {
  const isDone = (): boolean => world.claims().length === 3 && renewed(world).length === 1;
  expect(await world.until(isDone)).toBeLessThan(180);
  await world.pass(20);
  return renewed(world)[0] ?? '';
}

async function expectAllRenewed(world: DisruptionWorld): Promise<void> {
  const isDone = (): boolean => world.claims().length === 3 && renewed(world).length === 3;
  expect(await world.until(isDone)).toBeLessThan(300);
}

describe('drifted nodes of a pool with berth.driftRollout', () => {
  test('wait until the first that replaced one of them has soaked, and say so', async () => {
    const world = await drifting(SOAK);
    await canaried(world);
    expect(refusals(world, 'DriftSoaking')).toContainEqual(
      expect.stringMatching(/1 node of what the NodePool asks for now soaks until/),
    );
    await world.rest(200);
    expect(renewed(world)).toHaveLength(1);
    await expectAllRenewed(world);
  });

  test('are not staged where the pool does not say so', async () => {
    const world = await drifting(undefined);
    await expectAllRenewed(world);
    expect(refusals(world, 'DriftSoaking')).toEqual([]);
  });

  test('stay when the first new node is not ready any more, also once that is gone, until the roll-out is resumed', async () => {
    const world = await drifting({ ...SOAK, pauseOn: { notReadyNodes: 1 } });
    const canary = await canaried(world);
    const node = world.nodes().find(({ name }) => name === world.claim(canary)?.status.nodeName);
    if (node === undefined) throw new Error('the new claim has no node');
    world.objects.put('Node', { ...node, ready: false });
    await world.pass(20);
    world.objects.put('Node', { ...node, ready: true });
    const [paused] = refusals(world, 'DriftPaused').filter((text) => text.includes(RESUME_DRIFT_ANNOTATION));
    expect(paused).toMatch(/is paused: 1 new node not ready/);
    await world.rest(900);
    expect(renewed(world)).toEqual([canary]);
    const [, target = ''] = /resume-drift=([0-9a-f]{12})$/.exec(paused ?? '') ?? [];
    const status = world.objects.get('PolicyStatus', 'nodepool.general');
    if (status === undefined) throw new Error('the pool has no PolicyStatus');
    world.objects.put('PolicyStatus', {
      ...status,
      annotations: new Map([[RESUME_DRIFT_ANNOTATION, target]]),
    });
    await expectAllRenewed(world);
  });

  test('stay when the containers of a pod restart on the first new node', async () => {
    const world = await drifting({ ...SOAK, pauseOn: { podRestarts: 3 } });
    const canary = await canaried(world);
    const pod = world.pods('web').find(({ nodeName }) => nodeName === world.claim(canary)?.status.nodeName);
    if (pod === undefined) throw new Error('the new node has no pod');
    world.objects.put('Pod', { ...pod, restarts: 3 });
    await world.pass(20);
    expect(refusals(world, 'DriftPaused')).toContainEqual(
      expect.stringMatching(/containers of pod default\/web-\d+ on new node .* restarted 3 times/),
    );
    await world.rest(600);
    expect(renewed(world)).toEqual([canary]);
  });

  test('are replaced in stages anew when what the pool asks for changes while the roll-out is paused', async () => {
    const world = await drifting({ ...SOAK, pauseOn: { podRestarts: 3 } });
    const canary = await canaried(world);
    const pod = world.pods('web').find(({ nodeName }) => nodeName === world.claim(canary)?.status.nodeName);
    if (pod === undefined) throw new Error('the new node has no pod');
    world.objects.put('Pod', { ...pod, restarts: 3 });
    await world.pass(20);
    world.policies(pool('three'), { driftRollout: SOAK });
    const latest = (): number =>
      world.claims().filter(({ labels }) => labels.get('version') === 'three').length;
    expect(await world.until(() => latest() === 1 && world.claims().length === 3)).toBeLessThan(180);
    await world.rest(200);
    expect(latest()).toBe(1);
    expect(await world.until(() => latest() === 3 && world.claims().length === 3)).toBeLessThan(400);
  });
});

describe('drifted nodes of a pool whose replacements fail', () => {
  test('wait for longer and longer, and say so, and the roll-out pauses after as many as the pool says', async () => {
    const world = await drifting({ ...SOAK, pauseOn: { failedReplacements: 2 } });
    world.instances.cloud.stock.set({}, 0);
    expect(await world.until(() => refusals(world, 'DriftBackOff').length > 0)).toBeLessThan(300);
    expect(refusals(world, 'DriftBackOff')[0]).toMatch(
      /1 replacement of drifted nodes of NodePool general failed/,
    );
    expect(await world.until(() => refusals(world, 'DriftPaused').length > 0)).toBeLessThan(500);
    expect(renewed(world)).toEqual([]);
  });

  test('wait also where the pool has no stages, and go once launches succeed', async () => {
    const world = await drifting(undefined, '1');
    world.instances.cloud.stock.set({}, 0);
    expect(await world.until(() => refusals(world, 'DriftBackOff').length > 0)).toBeLessThan(200);
    world.instances.cloud.stock.set({}, Infinity);
    expect(await world.until(() => renewed(world).length === 3 && world.claims().length === 3)).toBeLessThan(
      600,
    );
  });
});

describe('the roll-out as a new leader finds it', () => {
  const drifted: Partial<NodeLife> = {
    ...{ name: 'old', nodePool: 'general' },
    ...withClaimCondition('Drifted'),
  };
  const paused: Condition = {
    ...{ type: 'DriftRolledOut', status: 'False', reason: 'Paused', lastTransitionTime: 0 },
    message: 'target f00: 1 new node not ready: gone',
  };

  function led(): { readonly rollouts: DriftRollouts; readonly hold: () => DriftHold | undefined } {
    const cluster = new Cluster();
    const document = { ...nodePoolDocument('general'), berth: { driftRollout: SOAK } };
    const accepted = acceptedPolicy(document);
    cluster.put('PolicyStatus', policyStatus({ lastAccepted: accepted, conditions: [paused] }));
    const { logger } = recordingLogger();
    const { recorder } = recordedDecisions();
    const clock = new VirtualClock();
    const known = { cluster, clock, logger, recorder, random: seededRandom(1), metrics: createMetrics() };
    const rollouts = new DriftRollouts(known);
    const value = accepted.value;
    const pools = value?.kind === 'NodePool' ? [{ pool: value.nodePool, instanceTypes: [] }] : [];
    const nodes = (): readonly NodeLife[] => [managedNode(drifted)];
    return {
      rollouts,
      hold: () => {
        rollouts.look(pools, nodes);
        return rollouts.holds(pools, nodes).get('general');
      },
    };
  }

  test('stays paused, also when what paused it is gone', () => {
    const { rollouts, hold } = led();
    rollouts.aim('general', 'f00');
    expect(hold()).toMatchObject({
      room: 0,
      refusal: { code: 'DriftPaused', why: '1 new node not ready: gone' },
    });
    expect(rollouts.condition('general')).toMatchObject({ reason: 'Paused', message: paused.message });
  });

  test('begins nothing and stays as it was until it is known what is rolled out', () => {
    const { rollouts, hold } = led();
    expect(hold()).toMatchObject({ room: 0, refusal: { code: 'DriftSoaking' } });
    expect(rollouts.condition('general')).toEqual(paused);
  });

  test('is not paused when something else is rolled out by now', () => {
    const { rollouts, hold } = led();
    rollouts.aim('general', 'ba2');
    expect(hold()).toMatchObject({ room: 1, refusal: { code: 'DriftSoaking' } });
    expect(rollouts.condition('general')).toMatchObject({ reason: 'Canary' });
  });
});

test('the back-off of a pool doubles from a minute to ten, of which half is chance, until a replacement succeeds', async () => {
  const clock = new VirtualClock();
  const most = new DriftBackOff({ clock, random: { ...seededRandom(1), next: () => 1 } });
  const least = new DriftBackOff({ clock, random: { ...seededRandom(1), next: () => 0 } });
  const fail = (backOff: DriftBackOff): number => {
    backOff.failed('general');
    return ((backOff.until('general') ?? NaN) - clock.now()) / 1000;
  };
  const waits: (readonly number[])[] = [];
  for (let round = 0; round < 6; round++) {
    waits.push([fail(least), fail(most)]);
    // Those that were launched with it fail, too.
    fail(most);
    await clock.advance(600_000);
  }
  expect(waits).toEqual([
    [30, 60],
    [60, 120],
    [120, 240],
    [240, 480],
    [300, 600],
    [300, 600],
  ]);
  expect([least.failures('general'), most.failures('general')]).toEqual([6, 12]);
  expect(most.until('general')).toBeUndefined();
  most.forget('general');
  expect([most.failures('general'), fail(most)]).toEqual([0, 60]);
});

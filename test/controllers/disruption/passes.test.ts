/** When passes are made, and what comes before them. */
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import { withClaimCondition } from '../../support/builders/disruption-input.js';
import { DisruptionWorld } from './disruption-world.js';

const OPEN = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };

/** Pods come and go for so long, one change every five seconds. */
async function churn(world: DisruptionWorld, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    world.scale('web', passed % 10 === 0 ? 3 : 2);
    await world.pass(5);
  }
}

function passesBegun({ questions }: DisruptionWorld): number {
  return questions.filter((question) => question === 'disrupt').length;
}

test('a batch of pods does not wait for a pass of disruption', async () => {
  const world = new DisruptionWorld(OPEN);
  world.start();
  world.deploy('web', 2, { requests: { cpu: '500m' } });
  await world.until(() => world.unbound().length === 0);
  world.passMillis = 60_000;
  await world.until(() => world.passes < passesBegun(world));
  world.deploy('api', 2, { requests: { cpu: '1500m' } });
  expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(20);
  // The same look goes on after it.
  expect(world.questions.slice(-2)).toEqual(['plan', 'disrupt']);
});

test('a pass for a node that is about to be taken back does not give way', async () => {
  const world = new DisruptionWorld(OPEN);
  world.start();
  world.deploy('web', 2, { requests: { cpu: '500m' } });
  await world.until(() => world.unbound().length === 0);
  const [claim] = world.claims();
  if (claim === undefined) throw new Error('no node came');
  world.passMillis = 10_000;
  const { conditions: interrupted } = withClaimCondition('Interrupted', world.clock.now());
  const conditions = [...claim.status.conditions, ...interrupted];
  world.objects.put('NodeClaim', { ...claim, status: { ...claim.status, conditions } });
  const { passes } = world;
  await world.until(() => passes < passesBegun(world));
  world.deploy('api', 2, { requests: { cpu: '1500m' } });
  await world.until(() => world.questions.at(-1) === 'plan');
  expect(world.passes).toBe(passes + 1);
});

test('a pass that has given way twice is finished, though batches come all the time', async () => {
  const world = new DisruptionWorld(OPEN);
  world.start();
  world.deploy('first', 1, { requests: { cpu: '1' } });
  await world.until(() => world.unbound().length === 0);
  world.passMillis = 15_000;
  const before = world.passes;
  for (let batch = 0; batch < 20; batch++) {
    world.deploy(`more-${String(batch)}`, 1, { requests: { cpu: '3' } });
    await world.pass(6);
  }
  expect(world.passes - before).toBeGreaterThanOrEqual(2);
  await world.pass(60);
  expect(world.unbound()).toEqual([]);
});

test('a batch waits until nodes that go are marked, so that no plan gives room on them away', async () => {
  const world = new DisruptionWorld(OPEN);
  world.start();
  world.deploy('web', 1, { requests: { cpu: '500m' } });
  await world.until(() => world.unbound().length === 0);
  let begun = false;
  let asked: readonly string[] | undefined;
  const { kube, clock } = world;
  const write = kube.putNodeClaimStatus.bind(kube);
  kube.putNodeClaimStatus = async (claim, status, signal) => {
    if (status.disruption !== undefined && !begun) {
      begun = true;
      const { length } = world.questions;
      await clock.sleep(20_000, signal);
      asked = world.questions.slice(length);
    }
    return write(claim, status, signal);
  };
  world.scale('web', 0);
  await world.until(() => begun);
  world.deploy('api', 1, { requests: { cpu: '3' } });
  await world.until(() => asked !== undefined);
  expect(asked).not.toContain('plan');
  expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(60);
});

test.each([
  ['budgets allow none', { consolidateAfter: '0s', budgets: [{ nodes: '0' }] }],
  ['consolidateAfter is Never', { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] }],
  ['no node is quiet for long enough', { consolidateAfter: '1h', budgets: [{ nodes: '100%' }] }],
])('where %s a pass is made once a minute, however much changes', async (_what, disruption) => {
  const world = new DisruptionWorld({ disruption });
  world.start();
  world.deploy('web', 2, { requests: { cpu: '500m' } });
  await world.until(() => world.unbound().length === 0);
  await world.pass(60);
  const before = world.passes;
  await churn(world, 300);
  expect(world.passes - before).toBeGreaterThanOrEqual(4);
  expect(world.passes - before).toBeLessThanOrEqual(6);
  world.policies(OPEN);
  world.scale('web', 0);
  expect(await world.until(() => world.claims().length === 0)).toBeLessThan(60);
});

/** A kubelet says that its node is as it was: decoded anew, with another version. */
function beat(world: DisruptionWorld, change: Partial<ObservedNode> = {}): void {
  for (const node of world.nodes())
    world.objects.put('Node', {
      ...node,
      labels: new Map(node.labels),
      taints: node.taints.map((taint) => ({ ...taint })),
      allocatable: new Map(node.allocatable),
      conditions: node.conditions.map((condition) => ({ ...condition })),
      ...change,
    });
}

test('heartbeats of kubelets are no reason for passes: they are made once a minute while nothing else changes', async () => {
  const world = new DisruptionWorld(OPEN);
  world.start();
  world.deploy('web', 2, { requests: { cpu: '500m' } });
  await world.until(() => world.unbound().length === 0);
  await world.pass(120);
  const before = world.passes;
  for (let passed = 0; passed < 300; passed += 10) {
    beat(world, { annotations: new Map([['csi.volume.kubernetes.io/nodeid', String(passed)]]) });
    await world.pass(10);
  }
  expect(world.passes - before).toBeGreaterThanOrEqual(4);
  expect(world.passes - before).toBeLessThanOrEqual(6);
});

test('a taint that comes to a node is reason for a pass at the next look', async () => {
  const world = new DisruptionWorld(OPEN);
  world.start();
  world.deploy('web', 2, { requests: { cpu: '500m' } });
  await world.until(() => world.unbound().length === 0);
  await world.pass(120);
  const { passes } = world;
  await world.until(() => world.passes > passes);
  beat(world, { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] });
  await world.pass(15);
  expect(world.passes).toBeGreaterThan(passes + 1);
});

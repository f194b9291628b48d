/** Pods that kube-scheduler has not tried yet are planned with those that it found no node for. */
import type { CarryOutOptions } from '../../../src/controllers/provisioning/carry-out.js';
import { unschedulablePod, unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import { ProvisioningWorld } from './provisioning-world.js';

/** What kube-scheduler was answered: nodes for the pods with these UIDs. */
function ledgerWith(onTheirWay: ReadonlySet<string>): NonNullable<CarryOutOptions['ledger']> {
  return { isOnItsWay: (uid) => onTheirWay.has(uid), awaitRoom: () => () => undefined };
}

test('a burst that kube-scheduler is slow with is planned whole, and the first verdict on it is enough', async () => {
  const world = new ProvisioningWorld();
  world.start();
  await world.clock.settle();
  const [first, ...others] = unschedulableReplicas(10, {
    name: 'web',
    requests: { cpu: '1', memory: '1Gi' },
  });
  world.pods(others.map((pod) => ({ ...pod, scheduled: undefined })));
  await world.clock.advance(20_000);
  expect(world.heldPods()).toEqual([]);
  if (first !== undefined) world.pods([first]);
  await world.clock.advance(2000);
  expect(world.heldPods()).toHaveLength(10);
  expect(await world.metrics.registry.metrics()).toMatch(/^berth_early_pods_total 9$/m);
});

test('a pod that kube-scheduler has not tried is not refused where no pool can hold it', async () => {
  const world = new ProvisioningWorld();
  world.start();
  await world.clock.settle();
  const huge = { owner: { kind: 'ReplicaSet', name: 'huge' }, requests: { cpu: '4000' } };
  world.pods([
    unschedulablePod({ name: 'tried', uid: 'tried', ...huge }),
    { ...unschedulablePod({ name: 'untried', uid: 'untried', ...huge }), scheduled: undefined },
  ]);
  await world.clock.advance(2000);
  const refused = world.told.decisions.filter(({ action }) => action === 'Refuse');
  expect(refused.map(({ subject }) => subject.name)).toEqual(['tried']);
});

test('no room is planned for a pod that kube-scheduler was answered nodes for, until it is not bound after all', async () => {
  const world = new ProvisioningWorld();
  const onTheirWay = new Set(['bound', 'forgotten']);
  world.start(world.kube, { ledger: ledgerWith(onTheirWay) });
  await world.clock.settle();
  const [bound, forgotten, other] = ['bound', 'forgotten', 'other'].map((name) =>
    unschedulablePod({ name, uid: name, requests: { cpu: '1', memory: '1Gi' } }),
  );
  if (bound === undefined || forgotten === undefined || other === undefined)
    throw new Error('not three pods');
  world.pods([bound, forgotten, other]);
  await world.clock.advance(3000);
  expect(world.heldPods()).toEqual(['other']);
  world.pods([{ ...bound, nodeName: 'a', phase: 'Running' }]);
  onTheirWay.clear();
  await world.clock.advance(6000);
  expect(world.heldPods()).toEqual(['forgotten', 'other']);
});

test('a pod that kube-scheduler was answered nodes for while it was planned gets no claim', async () => {
  const world = new ProvisioningWorld();
  const onTheirWay = new Set<string>();
  world.start(world.kube, {
    ledger: ledgerWith(onTheirWay),
    aroundPlanner: (planner) => ({
      ...planner,
      plan: async (question, signal) => {
        const answer = await planner.plan(question, signal);
        onTheirWay.add('late');
        return answer;
      },
    }),
  });
  await world.clock.settle();
  world.pods([unschedulablePod({ name: 'late', uid: 'late' })]);
  await world.clock.advance(4000);
  expect(world.claims()).toEqual([]);
  onTheirWay.clear();
});

test('a pod is not let go elsewhere while its place is written, and is again when that fails', async () => {
  const world = new ProvisioningWorld(undefined, { writeMillis: 2000 });
  const waiting = new Set<string>();
  const awaitRoom = (uids: readonly string[]): (() => void) => {
    for (const uid of uids) waiting.add(uid);
    return () => {
      for (const uid of uids) waiting.delete(uid);
    };
  };
  world.start(world.kube, { ledger: { isOnItsWay: () => false, awaitRoom } });
  await world.clock.settle();
  world.pods([unschedulablePod({ name: 'early', uid: 'early' })]);
  await world.clock.advance(3000);
  expect([...waiting]).toEqual(['early']);
  expect(world.heldPods()).toEqual([]);
  await world.clock.advance(3000);
  expect([...waiting]).toEqual([]);
  expect(world.heldPods()).toEqual(['early']);

  world.kube.fail({ method: 'createNodeClaim', code: 'Forbidden' });
  world.pods([unschedulablePod({ name: 'refused', uid: 'refused', requests: { cpu: '3' } })]);
  const states: string[] = [];
  for (let step = 0; step < 60; step++) {
    await world.clock.advance(200);
    const state = [...waiting].join();
    if (state !== states.at(-1)) states.push(state);
  }
  expect(states.slice(0, 4)).toEqual(['', 'refused', '', 'refused']);
});

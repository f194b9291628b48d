/** Pods that kube-scheduler has not tried yet are planned with those that it found no node for. */
import type { CarryOutOptions } from '../../../src/controllers/provisioning/carry-out.js';
import type { UnwrittenRoom } from '../../../src/state/ledger/room-ledger.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { unschedulablePod, unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import { ProvisioningWorld } from './provisioning-world.js';

/** What kube-scheduler was answered: nodes for the pods with these UIDs. */
function ledgerWith(onTheirWay: ReadonlySet<string>): NonNullable<CarryOutOptions['ledger']> {
  return {
    isOnItsWay: (uid) => onTheirWay.has(uid),
    holdUnwritten: () => ({ hasGuests: () => false, end: () => undefined }),
  };
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

/** Remembers whose room is held while it is written. */
class Holding {
  readonly pods = new Set<string>();
  guests = 0;

  isOnItsWay(): boolean {
    return false;
  }

  holdUnwritten(pods: readonly { readonly uid: string }[]): UnwrittenRoom {
    for (const { uid } of pods) this.pods.add(uid);
    return {
      hasGuests: () => this.guests > 0,
      end: () => {
        for (const { uid } of pods) this.pods.delete(uid);
      },
    };
  }
}

test('the room of a pod is held while it is written, and no longer when that fails', async () => {
  const world = new ProvisioningWorld(undefined, { writeMillis: 2000 });
  const ledger = new Holding();
  world.start(world.kube, { ledger });
  await world.clock.settle();
  world.pods([unschedulablePod({ name: 'early', uid: 'early' })]);
  await world.clock.advance(3000);
  expect([...ledger.pods]).toEqual(['early']);
  expect(world.heldPods()).toEqual([]);
  await world.clock.advance(3000);
  expect([...ledger.pods]).toEqual([]);
  expect(world.heldPods()).toEqual(['early']);

  world.kube.fail({ method: 'createNodeClaim', code: 'Forbidden' });
  world.pods([unschedulablePod({ name: 'refused', uid: 'refused', requests: { cpu: '3' } })]);
  const states: string[] = [];
  for (let step = 0; step < 60; step++) {
    await world.clock.advance(200);
    const state = [...ledger.pods].join();
    if (state !== states.at(-1)) states.push(state);
  }
  expect(states.slice(0, 4)).toEqual(['', 'refused', '', 'refused']);
});

test('a pod gets no room into which another is bound meanwhile, but is planned again', async () => {
  const world = new ProvisioningWorld();
  const ledger = new Holding();
  world.kube.objects.put(
    'Node',
    observedNode({ name: 'small', allocatable: { cpu: '2', memory: '4Gi', pods: '10' } }),
  );
  world.start(world.kube, { ledger });
  await world.clock.settle();
  ledger.guests = 1;
  world.pods([unschedulablePod({ name: 'late', uid: 'late', requests: { cpu: '2' } })]);
  await world.clock.advance(2000);
  expect(world.held()).toEqual({});
  world.pods([
    observedPod({ name: 'guest', uid: 'guest', nodeName: 'small', phase: 'Running', requests: { cpu: '1' } }),
  ]);
  ledger.guests = 0;
  await world.clock.advance(500);
  expect(world.held()).toEqual({});
  await world.clock.advance(5000);
  expect(world.claims()).toHaveLength(1);
  expect(world.heldPods()).toEqual(['late']);
  expect(world.held()).not.toHaveProperty('small');
});

test('a pod that may be on its way into planned room is waited for no longer than five seconds', async () => {
  const world = new ProvisioningWorld();
  const ledger = new Holding();
  world.kube.objects.put('Node', observedNode({ name: 'small' }));
  world.start(world.kube, { ledger });
  await world.clock.settle();
  ledger.guests = 1;
  world.pods([unschedulablePod({ name: 'late', uid: 'late', requests: { cpu: '1' } })]);
  await world.clock.advance(5000);
  expect(world.held()).toEqual({});
  await world.clock.advance(2000);
  expect(world.held()).toEqual({ small: ['late'] });
});

test('pods that may be on their way into a batch’s rooms delay the whole of it by five seconds, however many rooms it has', async () => {
  const world = new ProvisioningWorld();
  const ledger = new Holding();
  for (let index = 0; index < 80; index++)
    world.kube.objects.put(
      'Node',
      observedNode({ name: `small-${String(index)}`, allocatable: { cpu: '2', memory: '4Gi', pods: '10' } }),
    );
  world.start(world.kube, { ledger });
  await world.clock.settle();
  ledger.guests = 1;
  world.pods(unschedulableReplicas(80, { name: 'web', requests: { cpu: '2' } }));
  await world.clock.advance(8000);
  expect(world.heldPods()).toHaveLength(80);
  expect(world.claims()).toEqual([]);
});

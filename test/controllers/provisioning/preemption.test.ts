/** More important pods where a limit leaves no room: what is told to kube-scheduler, and who gives way in flight. */
import type { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { REFUSED_ANNOTATION } from '../../../src/planning/placement/preempt.js';
import { nodePoolDocument } from '../../support/builders/policy-status.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { unschedulablePod, unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import { ProvisioningWorld } from './provisioning-world.js';

const BATCH_MILLIS = 1100;
const FULL = nodePoolDocument('general', { limits: { cpu: '0' } });
/** Its instances have 4 cores or more; one of them may be launched. */
const ONE_NODE = nodePoolDocument('general', { limits: { cpu: '4' } });

function writesOf({ kube }: ProvisioningWorld): readonly string[] {
  return kube.writes.map(({ method, name }) => `${method} ${name}`);
}

/** A node that a pod of this priority fills. */
function runFull(world: ProvisioningWorld, priority: number): void {
  const whole = { cpu: '1' };
  world.kube.objects.put('Node', observedNode({ name: 'full', allocatable: whole }));
  const running = { name: 'running', nodeName: 'full', phase: 'Running' as const };
  world.pods([observedPod({ ...running, priority, requests: whole })]);
}

describe('pods that a plan has no place for', () => {
  const requests = { cpu: '1' };

  test('are marked and woken once where they are more important than one that runs, the most important by a nomination', async () => {
    const world = new ProvisioningWorld([FULL]);
    runFull(world, 0);
    const nominated = new Set<string>();
    world.start().cluster.pods.subscribe(({ after }) => {
      if (after?.nominatedNodeName !== undefined) nominated.add(after.nominatedNodeName);
    });
    world.pods([
      unschedulablePod({ name: 'equal', priority: 0, requests }),
      unschedulablePod({ name: 'high', priority: 10, requests }),
      unschedulablePod({ name: 'higher', priority: 20, requests }),
    ]);
    await world.clock.advance(60_000);
    expect(writesOf(world)).toEqual([
      'annotatePod default/higher',
      'annotatePod default/high',
      'nominatePod default/higher',
      'nominatePod default/higher',
    ]);
    const pods = world.kube.objects.list('Pod');
    const marked = pods.filter(({ annotations }) => annotations.has(REFUSED_ANNOTATION));
    expect(marked.map(({ name }) => name).sort()).toEqual(['high', 'higher']);
    expect(pods.filter(({ nominatedNodeName }) => nominatedNodeName !== undefined)).toEqual([]);
    // No node is called that, so that no room is kept for the pod meanwhile.
    expect([...nominated]).toEqual(['none.berth.sh']);
  });

  test('lose the scheduling gate with the mark in the same write, and are kube-scheduler’s then', async () => {
    const world = new ProvisioningWorld([FULL]);
    world.start();
    const scheduled = { status: false, reason: 'SchedulingGated', message: '' };
    world.pods([observedPod({ name: 'gated', awaitsPlace: true, scheduled, requests })]);
    await world.clock.advance(BATCH_MILLIS);
    expect(writesOf(world)).toEqual(['ungatePod default/gated']);
    const [pod] = world.kube.objects.list('Pod');
    expect(pod).toMatchObject({ awaitsPlace: false, pinnedTo: undefined });
    expect(pod?.annotations.has(REFUSED_ANNOTATION)).toBe(true);
  });

  test('are left alone where there is no pod that could be preempted', async () => {
    const world = new ProvisioningWorld([FULL]);
    runFull(world, 10);
    world.start();
    world.pods([unschedulablePod({ name: 'high', priority: 10, requests })]);
    await world.clock.advance(30_000);
    expect(writesOf(world)).toEqual([]);
  });

  test('are marked and woken while Berth is paused, too', async () => {
    const world = new ProvisioningWorld();
    runFull(world, 0);
    const pause = { reason: 'incident 42', by: '', since: undefined };
    const breaker = { problem: () => undefined };
    const safeguards = { pause: () => pause, breaker } as unknown as Safeguards;
    world.start(world.kube, { safeguards });
    world.pods([unschedulablePod({ name: 'high', priority: 10, requests })]);
    await world.clock.advance(30_000);
    expect(writesOf(world)).toEqual([
      'annotatePod default/high',
      'nominatePod default/high',
      'nominatePod default/high',
    ]);
  });

  test('lose a nomination to no node that a process before did not take back', async () => {
    const world = new ProvisioningWorld([FULL]);
    world.start();
    world.pods([unschedulablePod({ name: 'left', nominatedNodeName: 'none.berth.sh' })]);
    await world.clock.advance(BATCH_MILLIS);
    expect(writesOf(world)).toEqual(['nominatePod default/left']);
    expect(world.kube.objects.list('Pod')[0]?.nominatedNodeName).toBeUndefined();
  });
});

describe('room that is on its way', () => {
  const requests = { cpu: '1' };
  const low = unschedulableReplicas(3, { name: 'low', requests });

  async function inFlight(...pods: readonly ObservedPod[]): Promise<ProvisioningWorld> {
    const world = new ProvisioningWorld([ONE_NODE]);
    world.start();
    world.pods(pods);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.heldPods()).toEqual(pods.map(({ uid }) => uid).sort());
    return world;
  }

  test('goes to more important pods at the limit; those that give way get what is left, and nothing more is bought', async () => {
    const world = await inFlight(...low);
    const high = unschedulableReplicas(2, { name: 'high', requests, priority: 10 });
    world.pods(high);
    await world.clock.advance(2 * BATCH_MILLIS);
    expect(world.claims()).toHaveLength(1);
    expect(world.heldPods()).toHaveLength(3);
    expect(world.heldPods()).toEqual(expect.arrayContaining(high.map(({ uid }) => uid)));
    const refused = world.told.decisions.filter(({ action }) => action === 'Refuse');
    expect(new Set(refused.map(({ subject }) => subject.name.replace(/-\d$/, '')))).toEqual(new Set(['low']));
  });

  test('stays with pods that are as important', async () => {
    const world = await inFlight(...low);
    world.pods(unschedulableReplicas(2, { name: 'equal', requests }));
    await world.clock.advance(2 * BATCH_MILLIS);
    expect(world.heldPods()).toEqual(low.map(({ uid }) => uid));
  });

  test('stays with the members of a gang, which are of use together only', async () => {
    const gang = { key: 'PodGroup default/train', minMembers: 3 };
    const members = low.map((pod) => ({ ...pod, gang }));
    const world = await inFlight(...members);
    world.pods(unschedulableReplicas(2, { name: 'high', requests, priority: 10 }));
    await world.clock.advance(2 * BATCH_MILLIS);
    expect(world.heldPods()).toEqual(low.map(({ uid }) => uid));
  });

  test('stays where it is once its node is usable', async () => {
    const world = await inFlight(...low);
    const [claim] = world.claims();
    if (claim === undefined) throw new Error('no claim');
    const providerID = 'test:///a';
    const status = { ...claim.status, providerID, nodeName: 'up' };
    world.kube.objects.put('NodeClaim', { ...claim, status });
    world.kube.objects.put(
      'Node',
      observedNode({
        name: 'up',
        providerID,
        nodePool: 'general',
        type: instanceType({ name: 'c5.xlarge', vcpu: 4 }),
      }),
    );
    world.pods(unschedulableReplicas(2, { name: 'high', requests, priority: 10 }));
    await world.clock.advance(2 * BATCH_MILLIS);
    expect(world.heldPods()).toEqual(low.map(({ uid }) => uid));
  });

  test('goes to the most important of those that want it, from one to the next', async () => {
    const whole = (name: string, priority: number): ObservedPod =>
      unschedulablePod({ name, priority, requests: { cpu: '3' } });
    const world = await inFlight(whole('low', 0));
    world.pods([whole('medium', 5), whole('high', 10)]);
    await world.clock.advance(3 * BATCH_MILLIS);
    expect(world.heldPods()).toEqual(['uid-default-high']);
    world.pods([whole('highest', 20)]);
    await world.clock.advance(3 * BATCH_MILLIS);
    expect(world.heldPods()).toEqual(['uid-default-highest']);
    expect(world.claims()).toHaveLength(1);
  });
});

test('a pod that kube-scheduler made room for and does not bind there is planned once the last victim is gone', async () => {
  const world = new ProvisioningWorld();
  runFull(world, 0);
  const { cluster } = world.start();
  await world.clock.settle();
  const [victim] = cluster.podsOn('full');
  if (victim === undefined) throw new Error('no pod runs');
  world.pods([
    { ...victim, terminating: true },
    unschedulablePod({
      name: 'high',
      uid: 'high',
      priority: 10,
      nominatedNodeName: 'full',
      requests: { cpu: '1' },
    }),
  ]);
  await world.clock.advance(60_000);
  expect(world.heldPods()).toEqual([]);
  world.kube.objects.remove('Pod', 'default/running');
  world.pods([observedPod({ name: 'other', nodeName: 'full', phase: 'Running', requests: { cpu: '1' } })]);
  await world.clock.advance(2000);
  expect(world.heldPods()).toEqual(['high']);
  expect(world.claims()).toHaveLength(1);
});

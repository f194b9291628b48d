/** The limits of rate and size, each at the place where it is enforced. */
import type { Metrics } from '../../../src/runtime/metrics/metrics.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { taint } from '../../support/builders/constraints.js';
import { policyStatus } from '../../support/builders/policy-status.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { ClaimWorld, TYPES, type Berth } from '../node-claim/claim-world.js';

async function hits({ registry }: Metrics, limit: string): Promise<number> {
  const metric = await registry.getSingleMetric('berth_safety_limit_hits_total')?.get();
  return metric?.values.find(({ labels }) => labels['limit'] === limit)?.value ?? 0;
}

const names = (count: number, first = 1): readonly string[] =>
  Array.from({ length: count }, (_, index) => `general-${String(first + index)}`);

describe('--max-nodes-per-minute', () => {
  test('launches so many at once and the others in their turn; claims and their pods get the reason', async () => {
    const world = new ClaimWorld({ limits: { nodesPerMinute: 6 } });
    const { metrics } = world.start();
    world.kube.objects.put('Pod', observedPod({ name: 'web', uid: 'pod-of-general-9' }));
    await world.launchGroup(names(10));
    await world.seconds(8);
    expect(world.liveInstances()).toHaveLength(6);
    expect(await hits(metrics, 'max-nodes-per-minute')).toBeGreaterThan(0);
    const told = world.told.decisions.filter(({ reason }) => reason === 'LaunchRateLimited');
    expect(told.map(({ subject }) => subject.kind)).toContain('NodeClaim');
    expect(told.find(({ subject }) => subject.kind === 'Pod')?.event?.reason).toBe('FailedScheduling');
    await world.seconds(22);
    expect(world.liveInstances().length).toBeLessThanOrEqual(9);
    await world.seconds(60);
    expect(world.liveInstances()).toHaveLength(10);
  });

  test('with its default leaves a burst of 100 instances alone', async () => {
    const world = new ClaimWorld({ stock: 200 });
    const { metrics } = world.start();
    await world.launchGroup(names(100));
    await world.seconds(15);
    expect(world.liveInstances()).toHaveLength(100);
    expect(await hits(metrics, 'max-nodes-per-minute')).toBe(0);
  });
});

describe('--max-hourly-cost', () => {
  test('launches what it pays for, and nothing more, also over several groups', async () => {
    const limits = { hourlyCost: 0.25 };
    const world = new ClaimWorld({ limits });
    const { metrics } = world.start();
    await world.launchGroup(names(4), {}, 'group-1');
    await world.launchGroup(names(4, 5), {}, 'group-2');
    await world.seconds(60);
    const cost = world.claims().reduce((sum, { status }) => sum + (status.hourlyPrice ?? 0), 0);
    expect(cost).toBeGreaterThan(0.1);
    expect(cost).toBeLessThanOrEqual(limits.hourlyCost);
    expect(world.reasons()).toContain('HourlyCostLimited');
    expect(await hits(metrics, 'max-hourly-cost')).toBeGreaterThan(0);
  });
});

describe('--max-concurrent-terminations', () => {
  test('lets so many claims be drained and ended at a time, and the others after them', async () => {
    const world = new ClaimWorld({ limits: { concurrentTerminations: 2 } });
    const { metrics } = world.start();
    await world.launchGroup(names(5));
    await world.seconds(40);
    expect(world.liveInstances()).toHaveLength(5);
    let least = 5;
    for (const claim of world.claims()) await world.kube.deleteNodeClaim(claim);
    await world.seconds(2);
    least = Math.min(least, world.liveInstances().length);
    expect(least).toBeGreaterThanOrEqual(3);
    expect(world.reasons()).toContain('TerminationsLimited');
    expect(await hits(metrics, 'max-concurrent-terminations')).toBeGreaterThan(0);
    await world.seconds(400);
    expect([world.claims(), world.liveInstances()]).toEqual([[], []]);
  });
});

describe('instances without a NodeClaim', () => {
  async function orphaned(
    orphans: number,
    kept: number,
    limits: ConstructorParameters<typeof ClaimWorld>[0],
  ): Promise<{ readonly world: ClaimWorld; readonly metrics: Metrics }> {
    const world = new ClaimWorld(limits);
    const first = world.start();
    await world.launchGroup(names(orphans + kept));
    await world.seconds(60);
    expect(world.liveInstances()).toHaveLength(orphans + kept);
    first.kill();
    for (const name of names(orphans)) world.kube.objects.remove('NodeClaim', name);
    const { metrics } = world.start();
    return { world, metrics };
  }

  test('are ended a few at a time', async () => {
    const { world, metrics } = await orphaned(4, 16, { limits: { orphansPerRound: 3 } });
    await world.seconds(50);
    expect(world.liveInstances()).toHaveLength(17);
    expect(world.reasons()).toContain('OrphansLimited');
    expect(await hits(metrics, 'max-orphans-per-round')).toBe(1);
    await world.seconds(180);
    expect(world.liveInstances()).toHaveLength(16);
  });

  test('are left alone when they are a large share of all: rather the claims were lost', async () => {
    const { world, metrics } = await orphaned(12, 4, {});
    await world.seconds(600);
    expect(world.liveInstances()).toHaveLength(16);
    expect(world.reasons()).toContain('OrphansBraked');
    expect(await hits(metrics, 'max-orphan-percent')).toBeGreaterThan(0);
  });
});

describe('--max-registration-failures', () => {
  interface FailedWorld {
    readonly world: ClaimWorld;
    readonly berth: ReturnType<ClaimWorld['start']>;
  }

  /** A world whose kubelets fail so, after three of their instances were given up. */
  async function failedWorld(how: 'deaf' | 'neverReady'): Promise<FailedWorld> {
    const world = new ClaimWorld({ limits: { registrationFailures: 3 } });
    for (const type of TYPES) world[how].add(type);
    const berth = world.start();
    await world.launchGroup(names(3));
    await world.seconds(1000);
    return { world, berth };
  }

  const deafWorld = (): Promise<FailedWorld> => failedWorld('deaf');

  test('stops launches of a NodePool whose instances never register', async () => {
    const { world, berth } = await deafWorld();
    expect(world.reasons()).toContain('RegistrationStopped');
    expect(await hits(berth.metrics, 'max-registration-failures')).toBe(1);
    expect(berth.safeguards.breaker.problem('general')).toMatch(/3 consecutive instances failed to register/);
    expect(berth.safeguards.breaker.condition('general')).toMatchObject({
      status: 'False',
      reason: 'RegistrationFailed',
    });
    expect(berth.safeguards.breaker.problem('other')).toBeUndefined();
    const launched = world.cloud.fleet().length;
    await world.launchGroup(names(2, 10), {}, 'later');
    await world.seconds(60);
    expect(world.cloud.fleet()).toHaveLength(launched);
  });

  test('then launches one on trial, and waits twice as long when it fails', async () => {
    const { world, berth } = await deafWorld();
    const { breaker } = berth.safeguards;
    await world.seconds(300);
    expect(breaker.problem('general')).toBeUndefined();
    const launched = world.cloud.fleet().length;
    await world.launchGroup(names(4, 20), {}, 'trial');
    await world.seconds(30);
    expect(world.cloud.fleet()).toHaveLength(launched + 1);
    expect(breaker.problem('general')).toMatch(/is the current trial launch/);
    await world.seconds(900);
    expect(world.cloud.fleet()).toHaveLength(launched + 1);
    await world.seconds(400);
    expect(breaker.problem('general')).toMatch(/the next trial launch is at/);
    await world.seconds(300);
    expect(breaker.problem('general')).toBeUndefined();
  });

  test('closes with the first instance that registers', async () => {
    const { world, berth } = await deafWorld();
    world.deaf.clear();
    await world.seconds(300);
    await world.launchGroup(names(4, 20), {}, 'trial');
    await world.seconds(60);
    expect(world.reasons()).toContain('RegistrationRecovered');
    expect(berth.safeguards.breaker.condition('general')).toMatchObject({ status: 'True' });
    expect(world.liveInstances()).toHaveLength(4);
  });

  describe('of instances that register and are never Ready', () => {
    const neverReadyWorld = (): Promise<FailedWorld> => failedWorld('neverReady');

    test('stops launches as well, and says what they fail to become', async () => {
      const { world, berth } = await neverReadyWorld();
      const { breaker } = berth.safeguards;
      expect(world.claims()).toEqual([]);
      expect(breaker.problem('general')).toMatch(/3 consecutive instances registered but were never Ready/);
      expect(breaker.condition('general')).toMatchObject({ status: 'False', reason: 'InitializationFailed' });
    });

    test('resumes them once the trial is Ready, and not when it has registered', async () => {
      const { world, berth } = await neverReadyWorld();
      const { breaker } = berth.safeguards;
      await world.seconds(300);
      await world.launchGroup(names(4, 20), {}, 'trial');
      await world.seconds(60);
      expect(breaker.problem('general')).toMatch(/is the current trial launch/);
      await world.seconds(900);
      expect(breaker.problem('general')).toMatch(/the next trial launch is at/);
      world.neverReady.clear();
      await world.seconds(600);
      await world.launchGroup(names(3, 40), {}, 'next trial');
      await world.seconds(60);
      expect(world.liveInstances()).toHaveLength(3);
      expect(breaker.condition('general')).toMatchObject({ status: 'True' });
    });

    test('are on trial no longer than until they are Ready, whatever they wait for then', async () => {
      const { world, berth } = await neverReadyWorld();
      const { breaker } = berth.safeguards;
      await world.seconds(300);
      world.neverReady.clear();
      await world.launchGroup(names(1, 20), { startupTaints: [taint('cni', 'starting')] }, 'trial');
      await world.seconds(60);
      expect(breaker.condition('general')).toMatchObject({ status: 'False' });
      expect(breaker.problem('general')).toBeUndefined();
    });

    test('are on trial until they are Ready, also after a restart', async () => {
      const { world, berth } = await neverReadyWorld();
      writeCondition(world, berth.safeguards.breaker.condition('general'));
      await world.seconds(300);
      await world.launchGroup(names(1, 20), {}, 'trial');
      await world.seconds(60);
      berth.kill();
      const { safeguards } = world.start();
      await world.launchGroup(names(3, 30), {}, 'others');
      await world.seconds(30);
      expect(safeguards.breaker.problem('general')).toMatch(/general-20 is the current trial launch/);
    });
  });

  /** As the controller of policies does. */
  function writeCondition(
    world: ClaimWorld,
    condition: ReturnType<Berth['safeguards']['breaker']['condition']>,
  ): void {
    if (condition === undefined) throw new Error('the breaker has no condition');
    const written = { ...condition, lastTransitionTime: 0 };
    world.kube.objects.put('PolicyStatus', policyStatus({ conditions: [written] }));
  }

  describe('after a restart', () => {
    /** Another process after three failures in a row; all that it knows of them is the condition of the PolicyStatus. */
    async function restarted(): Promise<FailedWorld> {
      const { world, berth } = await deafWorld();
      writeCondition(world, berth.safeguards.breaker.condition('general'));
      berth.kill();
      return { world, berth: world.start() };
    }

    test('launches one on trial, although a claim of the NodePool registered long ago', async () => {
      const { world, berth } = await restarted();
      const conditions = [
        { type: 'Registered', status: 'True', reason: 'Registered', message: '', lastTransitionTime: 0 },
      ] as const;
      const status = { providerID: 'aws:///eu-west-3a/i-0', conditions };
      world.kube.objects.put('NodeClaim', nodeClaim({ name: 'old', status }));
      berth.kill();
      const { safeguards } = world.start();
      const launched = world.cloud.fleet().length;
      await world.launchGroup(names(4, 20), {}, 'trial');
      await world.seconds(60);
      expect(world.cloud.fleet()).toHaveLength(launched + 1);
      expect(safeguards.breaker.condition('general')).toMatchObject({ status: 'False' });
      expect(safeguards.breaker.problem('general')).toMatch(/is the current trial launch/);
    });

    test('takes the claim that was on trial before for the trial', async () => {
      const { world, berth } = await restarted();
      await world.launchGroup(names(1, 20), {}, 'trial');
      await world.seconds(30);
      const launched = world.cloud.fleet().length;
      berth.kill();
      const { safeguards } = world.start();
      await world.launchGroup(names(3, 30), {}, 'others');
      await world.seconds(30);
      expect(safeguards.breaker.problem('general')).toMatch(
        /NodeClaim general-20 is the current trial launch/,
      );
      expect(world.cloud.fleet()).toHaveLength(launched);
      await world.seconds(900);
      expect(safeguards.breaker.problem('general')).toMatch(/the next trial launch is at/);
    });

    test('continues as usual where the condition is True', async () => {
      const { world, berth } = await deafWorld();
      world.deaf.clear();
      writeCondition(world, {
        type: 'NodeRegistrationHealthy',
        status: 'True',
        reason: 'Registered',
        message: '',
      });
      berth.kill();
      world.start();
      await world.launchGroup(names(4, 20), {}, 'after');
      await world.seconds(60);
      expect(world.liveInstances()).toHaveLength(4);
    });
  });
});

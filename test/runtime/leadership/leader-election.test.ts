import fc from 'fast-check';
import { InMemoryLeaseStore } from '../../support/in-memory/in-memory-lease-store.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { Replica, type ReplicaOptions } from '../replica.js';

interface Scene {
  readonly clock: VirtualClock;
  readonly leases: InMemoryLeaseStore;
  readonly replica: (name: string, overrides?: Partial<ReplicaOptions>) => Replica;
}

function scene(): Scene {
  const clock = new VirtualClock();
  const leases = new InMemoryLeaseStore();
  const replica = (name: string, overrides: Partial<ReplicaOptions> = {}): Replica =>
    new Replica({ name, clock, leases, ...overrides });
  return { clock, leases, replica };
}

/** How long until it leads, in steps of 10 milliseconds; at most a minute. */
async function timeUntilLeading(clock: VirtualClock, replica: Replica): Promise<number> {
  const start = clock.monotonic();
  while (!replica.election.isLeader() && clock.monotonic() < start + 60_000) await clock.advance(10);
  return clock.monotonic() - start;
}

const MINUTES = 60_000;

describe('LeaderElection', () => {
  test('the first replica leads at once, and says so in the lease', async () => {
    const { clock, leases, replica } = scene();
    const a = replica('a');
    void a.start();
    expect(await timeUntilLeading(clock, a)).toBeLessThan(200);
    expect(leases.get('berth')).toMatchObject({
      holder: a.election.holder,
      durationSeconds: 15,
      transitions: 0,
    });
    expect(a.election.holder).toMatch(/^a_[0-9a-f]{8}$/);
    expect(a.leading).toBe(1);
  });

  test('a leader stays the leader, renewing about every two seconds', async () => {
    const { clock, leases, replica } = scene();
    const [a, b] = [replica('a'), replica('b', { seed: 2 })];
    void a.start();
    await clock.advance(100);
    void b.start();
    const before = leases.writes;
    await clock.advance(10 * MINUTES);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([true, false]);
    expect(leases.writes - before).toBeGreaterThanOrEqual(290);
    expect(leases.writes - before).toBeLessThanOrEqual(400);
    expect(b.leading).toBe(0);
  });

  test('when the leader dies, another leads in less than 20 seconds', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, replica } = scene();
      const [a, b] = [replica('a', { seed }), replica('b', { seed: seed + 100 })];
      void a.start();
      await clock.advance(100);
      void b.start();
      await clock.advance(5000 + seed * 100);
      a.pause();
      const time = await timeUntilLeading(clock, b);
      expect(time).toBeLessThan(20_000);
      expect(time).toBeGreaterThan(10_000);
    }
  });

  test('a leader that is asked to stop gives the lease back when its work has ended, and another leads in less than 3 seconds', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, leases, replica } = scene();
      const [a, b] = [replica('a', { seed }), replica('b', { seed: seed + 100 })];
      const ended = a.start(500);
      await clock.advance(100);
      void b.start();
      await clock.advance(5000 + seed * 100);
      a.stop();
      expect(a.election.isLeader()).toBe(false);
      expect(await timeUntilLeading(clock, b)).toBeLessThan(3000);
      await expect(ended).resolves.toBeUndefined();
      expect(leases.get('berth')).toMatchObject({ holder: b.election.holder, transitions: 1 });
    }
  });

  test('an empty holder stands in the lease that was given back', async () => {
    const { clock, leases, replica } = scene();
    const a = replica('a');
    const ended = a.start();
    await clock.advance(1000);
    a.stop();
    await clock.advance(1000);
    await ended;
    expect(leases.get('berth')).toMatchObject({ holder: '' });
    expect(clock.pending).toBe(0);
  });

  test('a leader that cannot renew stops leading in 10 seconds, before another replica may lead', async () => {
    const { clock, replica } = scene();
    const [a, b] = [replica('a'), replica('b', { seed: 2 })];
    void a.start();
    await clock.advance(100);
    void b.start();
    await clock.advance(6000);
    a.isCutOff = true;
    const start = clock.monotonic();
    while (a.leading > 0) await clock.advance(10);
    expect(clock.monotonic() - start).toBeLessThanOrEqual(10_010);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([false, false]);
    expect(await timeUntilLeading(clock, b)).toBeGreaterThan(1000);
  });

  test('a process that was stopped for a minute knows before it does anything else that it no longer leads', async () => {
    const { clock, replica } = scene();
    const [a, b] = [replica('a'), replica('b', { seed: 2 })];
    void a.start();
    await clock.advance(100);
    void b.start();
    await clock.advance(5000);
    a.pause();
    await clock.advance(60_000);
    expect(b.election.isLeader()).toBe(true);
    const atFirst: boolean[] = [];
    await a.resume(() => atFirst.push(a.election.isLeader()));
    expect(atFirst).toEqual([false]);
    expect(a.leading).toBe(0);
    await clock.advance(60_000);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([false, true]);
  });

  test('a process that was stopped for too long leads again at once, if no other replica leads', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, replica } = scene();
      const a = replica('a', { seed });
      void a.start();
      await clock.advance(5000 + seed * 100);
      a.pause();
      await clock.advance(40_000);
      await a.resume();
      expect(await timeUntilLeading(clock, a)).toBeLessThan(300);
      expect(a.mostLeading).toBe(1);
    }
  });

  test('a virtual machine that stood still is noticed by the time of day', async () => {
    const { clock, replica } = scene();
    const a = replica('a');
    void a.start();
    await clock.advance(1000);
    clock.stepWall(11_000);
    expect(a.election.isLeader()).toBe(false);
    expect(await timeUntilLeading(clock, a)).toBeLessThan(5000);
    expect(a.mostLeading).toBe(1);
  });

  test.each([-10, 10])('does not care that the clocks of replicas differ by %d minutes', async (minutes) => {
    const { clock, replica } = scene();
    const [a, b] = [replica('a'), replica('b', { seed: 2, skew: minutes * MINUTES })];
    void a.start();
    await clock.advance(100);
    void b.start();
    await clock.advance(10 * MINUTES);
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([true, false]);
    a.pause();
    const time = await timeUntilLeading(clock, b);
    expect(time).toBeGreaterThan(10_000);
    expect(time).toBeLessThan(20_000);
  });

  test('keeps the lead when another client only touches the lease, or deletes it', async () => {
    const { clock, leases, replica } = scene();
    const a = replica('a');
    void a.start();
    await clock.advance(3000);
    const lease = leases.get('berth');
    expect(lease).toBeDefined();
    if (lease !== undefined) leases.put(lease);
    await clock.advance(5000);
    leases.delete('berth');
    await clock.advance(5000);
    expect(a.election.isLeader()).toBe(true);
    expect(leases.get('berth')).toMatchObject({ holder: a.election.holder });
    expect(a.mostLeading).toBe(1);
  });

  test('stops at once when another replica has the lease', async () => {
    const { clock, leases, replica } = scene();
    const a = replica('a');
    void a.start();
    await clock.advance(3000);
    const lease = leases.get('berth');
    if (lease !== undefined) leases.put({ ...lease, holder: 'usurper' });
    await clock.advance(2100);
    expect([a.election.isLeader(), a.leading]).toEqual([false, 0]);
    expect(leases.get('berth')).toMatchObject({ holder: 'usurper' });
  });

  test('two processes that were given the same name are still two', async () => {
    const { clock, replica } = scene();
    const [a, b] = [replica('a', { seed: 1 }), replica('a', { seed: 2 })];
    void a.start();
    void b.start();
    for (let i = 0; i < 600; i++) {
      await clock.advance(100);
      expect(a.election.isLeader() && b.election.isLeader()).toBe(false);
    }
  });

  test('contends again after leading failed', async () => {
    const { clock, replica } = scene();
    const a = replica('a');
    let calls = 0;
    void a.start(0, () => (++calls === 1 ? Promise.reject(new Error('no catalogue')) : Promise.resolve()));
    await clock.advance(10_000);
    expect([calls, a.election.isLeader()]).toEqual([2, true]);
    expect(a.lines.find(({ level }) => level === 'error')).toMatchObject({ message: 'Controllers failed' });
  });

  test('gives up when leading does not end after it had to, and keeps the lease from others until it runs out', async () => {
    const { clock, leases, replica } = scene();
    const a = replica('a');
    const ended = a
      .start(0, () => new Promise(() => undefined))
      .then(
        () => 'ended',
        (error: unknown) => String(error),
      );
    await clock.advance(1000);
    a.stop();
    await clock.advance(15_000);
    expect(await ended).toContain(
      'lease berth: the controllers did not stop within 15000 milliseconds after the term ended',
    );
    expect(leases.get('berth')).toMatchObject({ holder: a.election.holder });
  });

  test('says once why it cannot contend, however often it tries', async () => {
    const { clock, replica } = scene();
    const a = replica('a', { faults: 0 });
    a.isCutOff = true;
    void a.start();
    await clock.advance(MINUTES);
    expect(a.lines.map(({ message }) => message)).toEqual(['Failed to contend for leadership']);
  });
});

const NAMES = ['a', 'b', 'c'];

/** One thing that happens to one replica. */
const event = fc.record({
  who: fc.nat(NAMES.length - 1),
  what: fc.constantFrom('pause', 'resume', 'cut off', 'heal', 'nothing'),
  millis: fc.integer({ min: 10, max: 12_000 }),
});
const history = fc.record({
  seed: fc.nat(),
  faults: fc.constantFrom(0, 0.1, 0.4),
  latency: fc.constantFrom(20, 2000, 6000),
  skews: fc.array(fc.integer({ min: -10 * MINUTES, max: 10 * MINUTES }), { minLength: 3, maxLength: 3 }),
  windDown: fc.constantFrom(0, 300, 4000),
  events: fc.array(event, { minLength: 5, maxLength: 30 }),
});

function leaders(replicas: readonly Replica[]): readonly Replica[] {
  return replicas.filter(({ isPaused, election }) => !isPaused && election.isLeader());
}

async function happen(replica: Replica, what: string, all: readonly Replica[]): Promise<number> {
  let most = 0;
  if (what === 'pause') replica.pause();
  if (what === 'resume') await replica.resume(() => (most = leaders(all).length));
  if (what === 'cut off') replica.isCutOff = true;
  if (what === 'heal') replica.isCutOff = false;
  return most;
}

test('there are never two leaders, and soon one when all goes well again, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ seed, faults, latency, skews, windDown, events }) => {
      const { clock, replica } = scene();
      const all = NAMES.map((name, i) =>
        replica(name, { seed: seed + i, faults, latency, skew: skews[i] ?? 0 }),
      );
      for (const one of all) void one.start(windDown);
      let most = 0;
      const pass = async (millis: number): Promise<void> => {
        const end = clock.monotonic() + millis;
        while (clock.monotonic() < end) {
          await clock.advance(Math.min(250, end - clock.monotonic()));
          most = Math.max(most, leaders(all).length);
        }
      };
      for (const { who, what, millis } of events) {
        const one = all[who];
        if (one !== undefined) most = Math.max(most, await happen(one, what, all));
        await pass(millis);
      }
      for (const one of all) {
        one.isCutOff = false;
        one.faults = 0;
        one.latency = 20;
        await one.resume();
      }
      await pass(60_000);
      expect(most).toBe(1);
      expect(leaders(all)).toHaveLength(1);
      expect(all.map(({ mostLeading }) => mostLeading).filter((count) => count > 1)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

/** The world's time over a socket: what a process that follows it sees, and what the world waits for. */
import { connect } from 'node:net';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { followTime, type FollowedTime } from '../../../src/runtime/time/follow-time.js';
import { freePorts } from '../../controlplane/fixture/process/free-port.js';
import { serveTime } from '../../../world/clock/serve-time.js';
import { WorldTime } from '../../../world/clock/world-time.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { letPass } from './let-pass.js';

const HOST = '127.0.0.1';

interface Served {
  readonly wall: VirtualClock;
  readonly time: WorldTime;
  readonly port: number;
}

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function servedWorld(): Promise<Served> {
  const wall = new VirtualClock();
  const time = new WorldTime({ wall, start: wall.now() - 3_600_000, speed: 10 });
  const [port = 0] = await freePorts(1);
  const served = await serveTime({ time, host: HOST, port });
  const life = new AbortController();
  const running = time.run(life.signal);
  closers.push(async () => {
    life.abort();
    await running;
    await served.close();
  });
  return { wall, time, port };
}

async function following({ port }: Served): Promise<FollowedTime> {
  const followed = await followTime({ host: HOST, port, wall: systemClock });
  closers.push(() => {
    followed.close();
  });
  return followed;
}

/** Sockets take a moment that no clock of the test knows: the host's time passes until it has come. */
async function until({ wall }: Served, holds: () => boolean): Promise<void> {
  while (!holds()) await letPass(wall, 5);
}

describe('a followed time', () => {
  test("shows the world's moment, and moves with it", async () => {
    const world = await servedWorld();
    const { clock } = await following(world);
    expect(clock.now()).toBe(world.time.clock.now());
    await until(world, () => clock.monotonic() >= 500);
    expect(clock.now() - clock.monotonic()).toBe(world.time.start);
    expect(world.time.clock.monotonic() - clock.monotonic()).toBeLessThanOrEqual(150);
  });

  test('runs timers at their moment, before the world moves on', async () => {
    const world = await servedWorld();
    const { clock } = await following(world);
    const seen: number[] = [];
    const worldsMoments: number[] = [];
    for (const millis of [700, 300, 500])
      clock.timer(millis, () => {
        seen.push(clock.monotonic());
        worldsMoments.push(world.time.clock.monotonic());
      });
    await until(world, () => seen.length === 3);
    expect(seen).toEqual([300, 500, 700]);
    worldsMoments.forEach((moment, index) => {
      expect(Math.abs(moment - (seen[index] ?? 0))).toBeLessThanOrEqual(150);
    });
  });

  test('has the world wait for what is computed outside of it', async () => {
    const world = await servedWorld();
    const { clock, holds } = await following(world);
    let answer: () => void = () => undefined;
    const work = new Promise<void>((resolve) => (answer = resolve));
    const answered = holds.during({ what: 'the planner', allowanceMillis: 200 }, work);
    await until(world, () => clock.monotonic() >= 200);
    await letPass(world.wall, 30_000);
    // The step during which the wait began was granted before the world knew of it.
    expect(world.time.clock.monotonic()).toBeLessThanOrEqual(350);
    expect(world.time.report().waitedMillis.get('the planner')).toBeGreaterThan(29_000);
    answer();
    await answered;
    await until(world, () => world.time.clock.monotonic() > 1000);
  });

  test('is lost when the world is gone, and not waited for when the follower is', async () => {
    const world = await servedWorld();
    const first = await following(world);
    await until(world, () => first.clock.monotonic() > 0);
    first.close();
    await until(world, () => world.time.clock.monotonic() > 2000);
    const other = await following(world);
    await closers[0]?.();
    await expect(other.lost).resolves.toBeUndefined();
  });

  test('fails where nothing is served, and the error names the address', async () => {
    const [port = 0] = await freePorts(1);
    await expect(followTime({ host: HOST, port, wall: systemClock })).rejects.toThrow(
      `cannot follow the time of the embedded world at ${HOST}:${String(port)}`,
    );
  });

  test('does not wait for a client that does not say where it is', async () => {
    const world = await servedWorld();
    const stranger = connect({ host: HOST, port: world.port });
    const isClosed = new Promise((resolve) => stranger.once('close', resolve));
    stranger.write('GET / HTTP/1.1\r\n\r\n');
    stranger.resume();
    await isClosed;
    await letPass(world.wall, 100);
    expect(world.time.clock.monotonic()).toBe(1000);
  });
});

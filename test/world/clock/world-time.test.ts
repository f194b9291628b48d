/** A world's time with followers that answer when the test has them answer, on a host whose clock the test moves. */
import { PATIENCE_MILLIS } from '../../../world/clock/pace.js';
import { WorldTime, type Follower } from '../../../world/clock/world-time.js';
import type { Horizon } from '../../../src/runtime/time/holds.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { letPass } from './let-pass.js';

const HOUR_MILLIS = 3_600_000;
const SPEED = 14;

let wall: VirtualClock;
let life: AbortController;
let running: Promise<void> | undefined;

beforeEach(() => {
  wall = new VirtualClock();
  life = new AbortController();
});

afterEach(async () => {
  life.abort();
  await running;
});

function startedWorld({ beganMillisAgo = HOUR_MILLIS } = {}): WorldTime {
  const time = new WorldTime({ wall, start: wall.now() - beganMillisAgo, speed: SPEED });
  running = time.run(life.signal);
  return time;
}

/** Follows at once, unless it is busy. */
class ObedientFollower implements Follower {
  horizon: Horizon | undefined;
  isBusy = false;
  readonly moments: number[] = [];
  #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  follow(monotonic: number): void {
    this.moments.push(monotonic);
    if (!this.isBusy) this.#at = monotonic;
    this.horizon = this.isBusy ? { at: this.#at, what: 'Berth' } : undefined;
  }
}

describe("a world's time", () => {
  test('runs at its speed while all keep up', async () => {
    const time = startedWorld();
    time.join(new ObedientFollower(0));
    await letPass(wall, 1000);
    expect(time.clock.monotonic()).toBe(1000 * SPEED);
  });

  test('stands while a follower has not followed, and runs on from there when it has', async () => {
    const time = startedWorld();
    const berth = new ObedientFollower(0);
    time.join(berth);
    await letPass(wall, 100);
    berth.isBusy = true;
    await letPass(wall, 10);
    const stood = time.clock.monotonic();
    await letPass(wall, 30_000);
    expect(time.clock.monotonic()).toBe(stood);
    berth.isBusy = false;
    await letPass(wall, 1000);
    expect(time.clock.monotonic()).toBeGreaterThan(stood + 990 * SPEED);
    expect(time.clock.monotonic()).toBeLessThanOrEqual(stood + 1000 * SPEED);
  });

  test('has no timer of the world fire while an answer to it is computed, however long the host takes', async () => {
    const time = startedWorld();
    let isLate = false;
    time.clock.timer(2000, () => (isLate = true));
    let answer: () => void = () => undefined;
    const hold = { what: 'an answer', allowanceMillis: 500 };
    const answered = time.holds.during(hold, new Promise<void>((resolve) => (answer = resolve)));
    await letPass(wall, PATIENCE_MILLIS / 2);
    expect(time.clock.monotonic()).toBe(500);
    expect(isLate).toBe(false);
    answer();
    await answered;
    await letPass(wall, 200);
    expect(isLate).toBe(true);
  });

  test('continues where a timer is set for what is left of a fraction of a millisecond', async () => {
    const time = startedWorld();
    const { clock } = time;
    const since = clock.monotonic() + 0.1;
    const watch = (): void => {
      const left = 1000.2 - (clock.monotonic() - since);
      if (left > 0) clock.timer(left, watch);
    };
    watch();
    await letPass(wall, 200);
    expect(clock.monotonic()).toBe(200 * SPEED);
    expect(clock.pending).toBe(0);
  });

  test('continues without a follower that has left', async () => {
    const time = startedWorld();
    const berth = new ObedientFollower(0);
    const leave = time.join(berth);
    berth.isBusy = true;
    await letPass(wall, 1000);
    const stood = time.clock.monotonic();
    leave();
    await letPass(wall, 100);
    expect(time.clock.monotonic()).toBe(stood + 100 * SPEED);
  });

  test('stands until a follower that is awaited has come, or will not come', async () => {
    const time = startedWorld();
    const ended = new AbortController();
    void time.awaitFollower('Berth to start', ended.signal);
    await letPass(wall, 5000);
    expect(time.clock.monotonic()).toBe(0);
    time.join(new ObedientFollower(0));
    await letPass(wall, 100);
    expect(time.clock.monotonic()).toBe(100 * SPEED);
    void time.awaitFollower('Berth to start', ended.signal);
    await letPass(wall, 100);
    expect(time.clock.monotonic()).toBe(100 * SPEED);
    ended.abort();
    await letPass(wall, 100);
    expect(time.clock.monotonic()).toBe(200 * SPEED);
  });

  test("catches up with the host's time of day in steps, and goes with it from then on", async () => {
    const time = startedWorld({ beganMillisAgo: 20_000 });
    const berth = new ObedientFollower(0);
    time.join(berth);
    const caughtUp = time.catchUp(life.signal);
    await letPass(wall, 1500);
    await caughtUp;
    expect(Math.abs(time.clock.now() - wall.now())).toBeLessThanOrEqual(5);
    await letPass(wall, 10_000);
    expect(Math.abs(time.clock.now() - wall.now())).toBeLessThanOrEqual(5);
    const steps = berth.moments.map((moment, index) => moment - (berth.moments[index - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(150);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
  });

  test("does not get ahead of the host's time of day at any speed", async () => {
    const time = startedWorld({ beganMillisAgo: 10_000 });
    await letPass(wall, 60_000);
    expect(Math.abs(time.clock.now() - wall.now())).toBeLessThanOrEqual(5);
  });
});

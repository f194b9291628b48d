import { ScaledClock } from '../../src/runtime/scaled-clock.js';
import { ManualClock } from '../support/manual-clock.js';

describe('ScaledClock', () => {
  test('shows the same time as the other clock at the epoch, and runs so many times as fast', async () => {
    const wall = new ManualClock(1_000_000);
    const clock = new ScaledClock({ clock: wall, speed: 30, epochMillis: 1_000_000 });
    expect(clock.now()).toBe(1_000_000);
    await wall.advance(2_000);
    expect(clock.now()).toBe(1_060_000);
    expect(clock.monotonic()).toBe(60_000);
  });

  test('a process that starts later shows the same time', async () => {
    const wall = new ManualClock(0);
    const first = new ScaledClock({ clock: wall, speed: 10, epochMillis: 500 });
    await wall.advance(12_345);
    expect(new ScaledClock({ clock: wall, speed: 10, epochMillis: 500 }).now()).toBe(first.now());
  });

  test('a timer and a sleeper wait for scaled time', async () => {
    const wall = new ManualClock(0);
    const clock = new ScaledClock({ clock: wall, speed: 10, epochMillis: 0 });
    const done: string[] = [];
    clock.timer(1_000, () => done.push('timer'));
    const cancel = clock.timer(1_000, () => done.push('cancelled'));
    void clock.sleep(2_000).then(() => done.push('sleeper'));
    cancel();
    await wall.advance(99);
    expect(done).toEqual([]);
    await wall.advance(1);
    expect(done).toEqual(['timer']);
    await wall.advance(100);
    expect(done).toEqual(['timer', 'sleeper']);
  });

  test.each([0, -1, NaN, Infinity])('refuses a speed of %s', (speed) => {
    expect(() => new ScaledClock({ clock: new ManualClock(), speed, epochMillis: 0 })).toThrow(
      /expected a number/,
    );
  });
});

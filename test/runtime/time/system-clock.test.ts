import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { systemRandom } from '../../../src/runtime/process/system-random.js';

describe('systemClock', () => {
  test('durations never go back', () => {
    const first = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
  });

  test('refuses to sleep when the signal is aborted already', async () => {
    await expect(systemClock.sleep(1e9, AbortSignal.abort())).rejects.toMatchObject({ code: 'Cancelled' });
  });

  test('wakes a sleeper whose signal is aborted', async () => {
    const stop = new AbortController();
    const sleeping = systemClock.sleep(1e9, stop.signal);
    stop.abort();
    await expect(sleeping).rejects.toMatchObject({ code: 'Cancelled' });
  });

  test('sleeps for no time, and calls back after none', async () => {
    await expect(systemClock.sleep(0)).resolves.toBeUndefined();
    const rang = new Promise<void>((resolve) => systemClock.timer(-5, resolve));
    await expect(rang).resolves.toBeUndefined();
  });

  test('does not ring early for a time that is longer than a timer can hold, nor after it is stopped', async () => {
    let rang = 0;
    const stops = [2 ** 31 + 5, 0].map((millis) => systemClock.timer(millis, () => rang++));
    stops[1]?.();
    await systemClock.sleep(0);
    await systemClock.sleep(1);
    stops[0]?.();
    expect(rang).toBe(0);
  });
});

describe('systemRandom', () => {
  test('is at least 0 and less than 1, and does not repeat itself', () => {
    const numbers = Array.from({ length: 100 }, () => systemRandom.next());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBe(100);
  });

  test('gives as many hexadecimal digits as asked for', () => {
    expect([0, 1, 7, 32].map((length) => systemRandom.hex(length).replace(/[0-9a-f]/g, 'x'))).toEqual(
      [0, 1, 7, 32].map((length) => 'x'.repeat(length)),
    );
  });
});

import fc from 'fast-check';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('VirtualClock', () => {
  test('timers run at their moment, in order of time and then of arming', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ due: fc.nat(500), cancelled: fc.boolean() }), { maxLength: 200 }),
        async (timers) => {
          const clock = new VirtualClock({ start: 0 });
          const seen: (readonly [number, number])[] = [];
          timers.forEach(({ due, cancelled }, index) => {
            const cancel = clock.timer(due, () => seen.push([clock.now(), index]));
            if (cancelled) cancel();
          });
          await clock.advance(500);
          const expected = timers
            .map(({ due, cancelled }, index) => ({ due, cancelled, index }))
            .filter(({ cancelled }) => !cancelled)
            .sort((a, b) => a.due - b.due || a.index - b.index)
            .map(({ due, index }) => [due, index]);
          expect(seen).toEqual(expected);
          expect(clock.pending).toBe(0);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('what follows from a timer without waiting happens before the next timer', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.timer(10, () => {
      void Promise.resolve()
        .then(() => new Promise((resolve) => setImmediate(resolve)))
        .then(() => seen.push('follows'));
    });
    clock.timer(10, () => seen.push('next'));
    await clock.advance(10);
    expect(seen).toEqual(['follows', 'next']);
  });

  test('timers that timers set run too, within the time that passes', async () => {
    const clock = new VirtualClock({ start: 0 });
    const seen: number[] = [];
    const tick = (): void => {
      seen.push(clock.now());
      clock.timer(100, tick);
    };
    clock.timer(100, tick);
    await clock.advance(350);
    expect(seen).toEqual([100, 200, 300]);
    expect(clock.now()).toBe(350);
  });

  test('what became due while it was frozen happens with the next moment, late', async () => {
    const clock = new VirtualClock({ start: 0 });
    const seen: number[] = [];
    clock.timer(100, () => seen.push(clock.now()));
    clock.freeze(250);
    await clock.settle();
    expect(seen).toEqual([]);
    await clock.advance(0);
    expect(seen).toEqual([250]);
  });

  test('the time of day can be put forward and back, which no duration notices', async () => {
    const clock = new VirtualClock({ start: 1000 });
    const seen: number[] = [];
    clock.timer(100, () => seen.push(clock.monotonic()));
    clock.stepWall(-600);
    expect([clock.now(), clock.monotonic()]).toEqual([400, 0]);
    clock.stepWall(5000);
    await clock.advance(100);
    expect(seen).toEqual([100]);
    expect(clock.now()).toBe(5500);
  });

  test('time stands still while a tracked call is in flight', async () => {
    const clock = new VirtualClock({ start: 0 });
    let answer = (): void => undefined;
    const call = new Promise<void>((resolve) => (answer = resolve));
    const seen: string[] = [];
    clock.timer(5, () => {
      void clock.track(call).then(() => seen.push(`answered at ${String(clock.now())}`));
    });
    clock.timer(50, () => seen.push('later'));
    const passing = clock.advance(100);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
    answer();
    await passing;
    expect(seen).toEqual(['answered at 5', 'later']);
  });

  test('a sleeper whose signal is aborted fails, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const sleeping = clock.sleep(1_000, abort.signal);
    abort.abort();
    await expect(sleeping).rejects.toMatchObject({ code: 'Cancelled' });
    expect(clock.pending).toBe(0);
  });

  test('runUntil stops at the first moment at which the condition holds', async () => {
    const clock = new VirtualClock({ start: 0 });
    let count = 0;
    const tick = (): void => {
      count++;
      clock.timer(10, tick);
    };
    tick();
    expect(await clock.runUntil(() => count === 4, { limitMillis: 1_000 })).toBe(true);
    expect(clock.now()).toBe(30);
    expect(await clock.runUntil(() => count === 400, { limitMillis: 100 })).toBe(false);
    expect(clock.now()).toBe(130);
  });

  test('runUntilQuiet ends when nothing is due soon', async () => {
    const clock = new VirtualClock({ start: 0 });
    clock.timer(10, () => clock.timer(20, () => undefined));
    clock.timer(10_000, () => undefined);
    expect(await clock.runUntilQuiet({ quietMillis: 1_000, limitMillis: 60_000 })).toBe(true);
    expect(clock.now()).toBe(30);
  });

  test('ten thousand timers, nearly all of them cancelled, leave the others in order', async () => {
    const clock = new VirtualClock({ start: 0 });
    const seen: number[] = [];
    for (let index = 0; index < 10_000; index++) {
      const cancel = clock.timer((index * 7919) % 10_007, () => seen.push(clock.now()));
      if (index % 100 !== 0) cancel();
    }
    expect(clock.pending).toBe(100);
    await clock.advance(10_007);
    expect(seen).toHaveLength(100);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test('whoever waits again and again for what is left of a time, however little, comes to its end', async () => {
    const clock = new VirtualClock();
    await clock.advance(8_399_999.7);
    let left = 1e-10;
    const wait = (): void => {
      const since = clock.monotonic();
      clock.timer(left, () => {
        left -= clock.monotonic() - since;
        if (left > 0) wait();
      });
    };
    wait();
    for (let timers = 0; timers < 20 && clock.runNext(Infinity); timers++) await clock.settle();
    expect(left).toBeLessThanOrEqual(0);
  });
});

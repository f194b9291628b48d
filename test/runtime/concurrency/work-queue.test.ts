import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { PortError } from '../../../src/ports/port-error.js';
import { createMetrics, type Metrics } from '../../../src/runtime/metrics/metrics.js';
import { WorkQueue, type WorkQueueOptions } from '../../../src/runtime/concurrency/work-queue.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger, type LogLine } from '../../support/recording-logger.js';
import { constantRandom } from '../../support/constant-random.js';
import { seededRandom } from '../../../world/seeded-random.js';

interface Scene {
  readonly clock: VirtualClock;
  readonly queue: WorkQueue;
  readonly metrics: Metrics;
  readonly lines: readonly LogLine[];
  readonly stop: () => void;
  readonly stopped: Promise<void>;
}

function running(overrides: Partial<WorkQueueOptions> & Pick<WorkQueueOptions, 'handle'>): Scene {
  const clock = new VirtualClock();
  const metrics = createMetrics();
  const { logger, lines } = recordingLogger();
  const queue = new WorkQueue({
    name: 'test',
    clock,
    random: constantRandom(0.999_999_999),
    concurrency: 1,
    baseDelayMillis: 100,
    maxDelayMillis: 10_000,
    timeoutMillis: 60_000,
    logger,
    metrics,
    ...overrides,
  });
  const controller = new AbortController();
  const stopped = queue.run(controller.signal);
  return {
    clock,
    queue,
    metrics,
    lines,
    stop: () => {
      controller.abort();
    },
    stopped,
  };
}

/** A queue whose work takes 100 ms, and what was worked on when. */
function slow(overrides: Partial<WorkQueueOptions> = {}): Scene & { readonly log: readonly string[] } {
  const log: string[] = [];
  const scene: Scene = running({
    handle: async (key, signal) => {
      log.push(`${key} at ${String(scene.clock.monotonic())}`);
      await scene.clock.sleep(100, signal);
      return undefined;
    },
    ...overrides,
  });
  return { ...scene, log };
}

describe('WorkQueue', () => {
  test('works on keys in the order in which they came, each once however often it was added', async () => {
    const { queue, clock, log } = slow();
    for (const key of ['a', 'b', 'c', 'b', 'd', 'c']) queue.add(key);
    await clock.advance(1000);
    expect(log).toEqual(['a at 0', 'b at 100', 'c at 200', 'd at 300']);
  });

  test('leaves the thread to others after eight milliseconds of work, and continues in the next turn', async () => {
    const log: string[] = [];
    const scene: Scene = running({
      concurrency: 10,
      handle: (key) => {
        log.push(key);
        scene.clock.freeze(5);
        return Promise.resolve(undefined);
      },
    });
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) scene.queue.add(key);
    expect(log).toEqual(['a', 'b']);
    await nextTurn();
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    await nextTurn();
    expect(log).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    scene.stop();
    await scene.stopped;
  });

  test('works again on a key that was added while it was worked on, once, and not at the same time', async () => {
    const { queue, clock, log } = slow({ concurrency: 4 });
    queue.add('a');
    await clock.advance(50);
    queue.add('a');
    queue.add('a');
    await clock.advance(1000);
    expect(log).toEqual(['a at 0', 'a at 100']);
  });

  test('works on as many keys at once as it may', async () => {
    const { queue, clock, log } = slow({ concurrency: 2 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(1000);
    expect(log).toEqual(['a at 0', 'b at 0', 'c at 100']);
  });

  test('tries again later and later what fails, and forgets the failures with a success', async () => {
    const times: number[] = [];
    const { queue, clock } = running({
      handle: () => {
        times.push(Math.round(clock.monotonic()));
        return times.length % 5 === 4 ? Promise.resolve(undefined) : Promise.reject(new Error('no'));
      },
    });
    queue.add('a');
    await clock.advance(701);
    queue.add('a');
    await clock.advance(150);
    expect(times).toEqual([0, 100, 300, 700, 701, 801]);
  });

  test('waits as long as the other side asked it to', async () => {
    const times: number[] = [];
    const { queue, clock } = running({
      handle: () => {
        times.push(clock.monotonic());
        const details = { operation: 'evict', message: 'too many', retryAfterMillis: 3000 };
        return Promise.reject(new PortError('RateLimited', details));
      },
    });
    queue.add('a');
    await clock.advance(6500);
    expect(times).toEqual([0, 3000, 6000]);
  });

  test('tries at the longest delay what cannot succeed as it stands, and complains and counts', async () => {
    const times: number[] = [];
    const scene = running({
      handle: () => {
        times.push(scene.clock.monotonic());
        return Promise.reject(new PortError('Forbidden', { operation: 'create nodeclaims', message: 'no' }));
      },
    });
    scene.queue.add('a');
    await scene.clock.advance(15_000);
    expect(times).toEqual([0, 10_000]);
    expect(scene.lines[0]).toMatchObject({
      level: 'error',
      message: 'Reconcile failed',
      fields: { queue: 'test', key: 'a' },
    });
    const text = await scene.metrics.registry.metrics();
    expect(text).toContain('berth_api_errors_total{operation="test",code="Forbidden"} 2');
    expect(text).toContain('workqueue_retries_total{name="test",controller="test"} 2');
  });

  test('comes back to a key after the time that its work asked for', async () => {
    const times: number[] = [];
    const { queue, clock } = running({
      handle: () => {
        times.push(clock.monotonic());
        return Promise.resolve(times.length < 3 ? { requeueAfterMillis: 1000 } : undefined);
      },
    });
    queue.add('a');
    await clock.advance(10_000);
    expect(times).toEqual([0, 1000, 2000]);
    expect(clock.pending).toBe(0);
  });

  test('of several delays of a key the soonest counts', async () => {
    const { queue, clock, log } = slow();
    queue.addAfter('a', 500);
    queue.addAfter('a', 200);
    queue.addAfter('a', 900);
    await clock.advance(2000);
    expect(log).toEqual(['a at 200']);
  });

  test('forget makes the next failure count as the first', async () => {
    const times: number[] = [];
    const { queue, clock } = running({
      handle: () => {
        times.push(Math.round(clock.monotonic()));
        return Promise.reject(new Error('no'));
      },
    });
    queue.add('a');
    await clock.advance(200);
    queue.forget('a');
    await clock.advance(250);
    expect(times).toEqual([0, 100, 300, 400]);
  });

  test('logs little of work that another client was faster with', async () => {
    const scene = running({
      handle: () => Promise.reject(new PortError('Conflict', { operation: 'x', message: 'changed' })),
    });
    scene.queue.add('a');
    await scene.clock.advance(50);
    expect(scene.lines).toMatchObject([{ level: 'debug', message: 'Reconcile failed; it will be retried' }]);
  });

  test('aborts work that takes too long and tries it again', async () => {
    const reasons: unknown[] = [];
    const scene = running({
      timeoutMillis: 1000,
      handle: async (_key, signal) => {
        await scene.clock.sleep(1e9, signal).finally(() => reasons.push(signal.reason));
        return undefined;
      },
    });
    scene.queue.add('a');
    await scene.clock.advance(1200);
    expect(reasons).toMatchObject([{ code: 'TimedOut' }]);
    expect(scene.lines.map(({ message }) => message)).toEqual([
      'Reconcile timed out',
      'Reconcile failed; it will be retried',
    ]);
    await scene.clock.advance(1000);
    expect(reasons).toHaveLength(2);
  });

  test('keeps a key to one worker even if that one does not heed its time-out', async () => {
    let active = 0;
    let release: () => void = () => undefined;
    const { queue, clock } = running({
      concurrency: 2,
      timeoutMillis: 1000,
      handle: async () => {
        active++;
        await new Promise<void>((resolve) => (release = resolve));
        active--;
        return undefined;
      },
    });
    queue.add('a');
    await clock.advance(5000);
    queue.add('a');
    await clock.advance(5000);
    expect(active).toBe(1);
    release();
    await clock.settle();
    expect(active).toBe(1);
  });

  test('stops: aborts what is in work, waits for it to end, starts nothing more', async () => {
    const events: string[] = [];
    const scene = running({
      handle: async (key, signal) => {
        events.push(`${key} begins`);
        await scene.clock.sleep(1e9, signal).catch(() => scene.clock.sleep(50));
        events.push(`${key} ends`);
        return undefined;
      },
    });
    scene.queue.add('a');
    scene.queue.add('b');
    await scene.clock.settle();
    scene.stop();
    void scene.stopped.then(() => events.push('stopped'));
    await scene.clock.advance(49);
    expect(events).toEqual(['a begins']);
    await scene.clock.advance(1);
    expect(events).toEqual(['a begins', 'a ends', 'stopped']);
  });

  test('what was left at a stop is worked on when it runs again, also what the stop interrupted', async () => {
    const scene = slow();
    scene.queue.add('a');
    scene.queue.add('b');
    await scene.clock.advance(50);
    scene.stop();
    await scene.stopped;
    expect(scene.lines).toEqual([]);
    void scene.queue.run(new AbortController().signal);
    await scene.clock.advance(1000);
    expect(scene.log).toEqual(['a at 0', 'b at 50', 'a at 150']);
  });

  test('does not run twice at once', async () => {
    const { queue } = slow();
    await expect(queue.run(new AbortController().signal)).rejects.toThrow(
      'work queue test is already running',
    );
  });

  test('makes no signal and no timer for a key that is done at once, but one signal for each worker', async () => {
    const signals = new Set<AbortSignal>();
    const scene = running({
      concurrency: 4,
      handle: (_key, signal) => {
        signals.add(signal);
        return Promise.resolve(undefined);
      },
    });
    let timers = 0;
    const timer = scene.clock.timer.bind(scene.clock);
    scene.clock.timer = (millis, callback) => {
      timers++;
      return timer(millis, callback);
    };
    for (let key = 0; key < 1000; key++) scene.queue.add(String(key));
    await scene.clock.settle();
    expect(scene.queue.depth).toBe(0);
    expect(signals.size).toBeLessThanOrEqual(4);
    expect(timers).toBe(0);
  });

  test('the signal of a key that took too long is not given to another', async () => {
    const signals: AbortSignal[] = [];
    const scene = running({
      timeoutMillis: 1000,
      handle: async (key, signal) => {
        signals.push(signal);
        if (key === 'deaf') await scene.clock.sleep(2000);
        return undefined;
      },
    });
    scene.queue.add('deaf');
    scene.queue.add('next');
    await scene.clock.advance(3000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test('each of several keys is aborted at its own time, with one timer for all', async () => {
    const ended: string[] = [];
    const scene = running({
      concurrency: 3,
      timeoutMillis: 1000,
      maxDelayMillis: 1e9,
      baseDelayMillis: 1e9,
      handle: async (key, signal) => {
        await scene.clock
          .sleep(key === 'quick' ? 700 : 1e9, signal)
          .finally(() => ended.push(`${key} at ${String(Math.round(scene.clock.monotonic()))}`));
        return undefined;
      },
    });
    scene.queue.add('quick');
    await scene.clock.advance(300);
    scene.queue.add('slow');
    await scene.clock.advance(300);
    scene.queue.add('late');
    await scene.clock.advance(2000);
    expect(ended).toEqual(['quick at 700', 'slow at 1300', 'late at 1600']);
  });

  test('measures depth, adds and time', async () => {
    const { queue, clock, metrics } = slow();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(50);
    const text = await metrics.registry.metrics();
    expect(text).toContain('workqueue_depth{name="test",controller="test"} 2');
    expect(text).toContain('workqueue_adds_total{name="test",controller="test"} 3');
    await clock.advance(1000);
    expect(await metrics.registry.metrics()).toContain('workqueue_depth{name="test",controller="test"} 0');
    expect(await metrics.registry.metrics()).toContain(
      'workqueue_work_duration_seconds_count{name="test",controller="test"} 3',
    );
  });

  test('whatever happens, a key is never with two workers, and the last wish for it is fulfilled', async () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), pause: fc.nat(300) });
    const input = fc.record({
      steps: fc.array(step, { maxLength: 40 }),
      concurrency: fc.integer({ min: 1, max: 4 }),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ steps, concurrency, seed }) => {
        const random = seededRandom(seed);
        const active = new Set<string>();
        const lastStart = new Map<string, number>();
        const lastWish = new Map<string, number>();
        let worst = 0;
        let order = 0;
        let overlaps = 0;
        const scene = running({
          concurrency,
          random,
          handle: async (key, signal) => {
            if (active.has(key)) overlaps++;
            active.add(key);
            worst = Math.max(worst, active.size);
            lastStart.set(key, order++);
            await scene.clock.sleep(random.next() * 200, signal);
            active.delete(key);
            if (random.next() < 0.3) throw new Error('no');
            return undefined;
          },
        });
        for (const { key, pause } of steps) {
          lastWish.set(key, order++);
          scene.queue.add(key);
          await scene.clock.advance(pause);
        }
        await scene.clock.advance(600_000);
        expect(overlaps).toBe(0);
        expect(worst).toBeLessThanOrEqual(concurrency);
        for (const [key, wish] of lastWish) expect(lastStart.get(key)).toBeGreaterThan(wish);
        expect([scene.queue.depth, scene.clock.pending]).toEqual([0, 0]);
        scene.stop();
        await scene.stopped;
      }),
      { numRuns: 40 },
    );
  });
});

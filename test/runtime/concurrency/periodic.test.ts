import { periodic } from '../../../src/runtime/concurrency/periodic.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';

describe('periodic', () => {
  test('does it at once and after every pause, until the signal is aborted', async () => {
    const clock = new VirtualClock();
    const { logger, lines } = recordingLogger();
    const stop = new AbortController();
    const times: number[] = [];
    const done = periodic({
      everyMillis: 1000,
      clock,
      signal: stop.signal,
      logger,
      task: async (signal) => {
        times.push(clock.monotonic());
        await clock.sleep(200, signal);
      },
    });
    await clock.advance(3000);
    stop.abort();
    await expect(done).resolves.toBeUndefined();
    expect(times).toEqual([0, 1200, 2400]);
    expect([lines, clock.pending]).toEqual([[], 0]);
  });

  test('continues after a run that fails or hangs, and logs it', async () => {
    const clock = new VirtualClock();
    const { logger, lines } = recordingLogger();
    const stop = new AbortController();
    let runs = 0;
    const task = (): Promise<void> => {
      runs++;
      return runs === 1 ? Promise.reject(new Error('no')) : new Promise(() => undefined);
    };
    const options = { everyMillis: 1000, timeoutMillis: 5000, clock, signal: stop.signal, logger, task };
    void periodic({ ...options, name: 'garbage collection' });
    await clock.advance(7000);
    stop.abort();
    expect(runs).toBe(3);
    expect(lines.map(({ level, fields }) => [level, fields['task']])).toEqual([
      ['error', 'garbage collection'],
      ['error', 'garbage collection'],
    ]);
  });
});

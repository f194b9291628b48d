import { hasCode } from '../../../src/ports/port-error.js';
import { BatchWindow } from '../../../src/runtime/concurrency/batch-window.js';
import { VirtualClock } from '../../support/virtual-clock.js';

interface Scene {
  readonly clock: VirtualClock;
  readonly window: BatchWindow;
  /** When the batches closed. */
  readonly closings: readonly number[];
}

function watched(): Scene {
  const clock = new VirtualClock();
  const window = new BatchWindow({ idleMillis: 1000, maxMillis: 10_000, clock });
  const closings: number[] = [];
  const follow = async (): Promise<void> => {
    for (;;) {
      await window.next(new AbortController().signal);
      closings.push(clock.monotonic());
    }
  };
  void follow();
  return { clock, window, closings };
}

describe('BatchWindow', () => {
  test('closes when nothing has come for the idle time', async () => {
    const { clock, window, closings } = watched();
    window.add();
    await clock.advance(900);
    window.add();
    await clock.advance(900);
    window.add();
    await clock.advance(20_000);
    expect(closings).toEqual([2800]);
  });

  test('closes after the longest time even if more keeps coming, and the rest is the next batch', async () => {
    const { clock, window, closings } = watched();
    for (let i = 0; i < 24; i++) {
      window.add();
      await clock.advance(500);
    }
    await clock.advance(5000);
    expect(closings).toEqual([10_000, 12_500]);
  });

  test('closes at once when all have come', async () => {
    const { clock, window, closings } = watched();
    window.add();
    await clock.advance(10);
    window.close();
    await clock.advance(20_000);
    expect(closings).toEqual([10]);
    expect(clock.pending).toBe(0);
  });

  test('stays open forever as long as nothing comes, also when told to close', async () => {
    const { clock, window, closings } = watched();
    window.close();
    await clock.advance(100_000);
    expect(closings).toEqual([]);
  });

  test('keeps a batch that closes while no caller waits', async () => {
    const clock = new VirtualClock();
    const window = new BatchWindow({ idleMillis: 1000, maxMillis: 10_000, clock });
    window.add();
    await clock.advance(5000);
    window.add();
    let isClosed = false;
    void window.next(new AbortController().signal).then(() => (isClosed = true));
    await clock.settle();
    expect(isClosed).toBe(true);
  });

  test('stops waiting when the signal is aborted, and loses nothing by it', async () => {
    const clock = new VirtualClock();
    const window = new BatchWindow({ idleMillis: 1000, maxMillis: 10_000, clock });
    const stop = new AbortController();
    const waiting = window.next(stop.signal).catch((error: unknown) => error);
    window.add();
    stop.abort();
    expect(hasCode(await waiting, 'Cancelled')).toBe(true);
    await clock.advance(1000);
    await expect(window.next(new AbortController().signal)).resolves.toBeUndefined();
  });
});

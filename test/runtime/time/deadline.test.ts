import { PortError } from '../../../src/ports/port-error.js';
import { withDeadline } from '../../../src/runtime/time/deadline.js';
import { VirtualClock } from '../../support/virtual-clock.js';

function never(): Promise<never> {
  return new Promise(() => undefined);
}

describe('withDeadline', () => {
  test('answers what the work answers and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const answer = await withDeadline({ clock, millis: 100, operation: 'count' }, () => Promise.resolve(7));
    expect([answer, clock.pending]).toEqual([7, 0]);
  });

  test('ends with TimedOut and aborts the work, even if the work does not care', async () => {
    const clock = new VirtualClock();
    let given: AbortSignal | undefined;
    const result = withDeadline({ clock, millis: 100, operation: 'count sheep' }, (signal) => {
      given = signal;
      return never();
    }).catch((error: unknown) => error);
    await clock.advance(100);
    expect(await result).toMatchObject({ code: 'TimedOut', retryable: true });
    expect(given?.aborted).toBe(true);
  });

  test('ends with Cancelled when the caller no longer wants it', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const deadline = { clock, millis: 100, signal: stop.signal, operation: 'count sheep' };
    const result = withDeadline(deadline, never).catch((error: unknown) => error);
    stop.abort();
    expect(await result).toMatchObject({ code: 'Cancelled' });
    expect(clock.pending).toBe(0);
  });

  test('does not begin when the signal is aborted already', async () => {
    let hasBegun = false;
    const deadline = {
      clock: new VirtualClock(),
      millis: 1,
      signal: AbortSignal.abort(),
      operation: 'begin',
    };
    const result = withDeadline(deadline, () => {
      hasBegun = true;
      return Promise.resolve();
    }).catch((error: unknown) => error);
    expect(await result).toMatchObject({ code: 'Cancelled' });
    expect(hasBegun).toBe(false);
  });

  test('lets an error of the work through as it is', async () => {
    const error = new PortError('Conflict', { operation: 'replace', message: 'somebody was faster' });
    const result = withDeadline({ clock: new VirtualClock(), millis: 1, operation: 'replace' }, () =>
      Promise.reject(error),
    );
    await expect(result).rejects.toBe(error);
  });
});

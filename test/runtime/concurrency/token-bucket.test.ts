import fc from 'fast-check';
import { hasCode } from '../../../src/ports/port-error.js';
import { TokenBucket } from '../../../src/runtime/concurrency/token-bucket.js';
import { VirtualClock } from '../../support/virtual-clock.js';

function bucket(capacity: number, refillPerSecond: number): { clock: VirtualClock; tokens: TokenBucket } {
  const clock = new VirtualClock();
  return { clock, tokens: new TokenBucket({ capacity, refillPerSecond, clock }) };
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => (hasCode(error, 'Cancelled', 'Invalid') ? error.code : error),
  );
}

describe('TokenBucket', () => {
  test('gives what it holds at once, then at the rate', async () => {
    const { clock, tokens } = bucket(3, 2);
    const times: number[] = [];
    for (let i = 0; i < 6; i++) void tokens.take().then(() => times.push(clock.monotonic()));
    await clock.advance(10_000);
    expect(times).toEqual([0, 0, 0, 500, 1000, 1500]);
  });

  test('never holds more than its capacity', async () => {
    const { clock, tokens } = bucket(2, 10);
    await clock.advance(60_000);
    expect([1, 2, 3].map(() => tokens.tryTake())).toEqual([true, true, false]);
  });

  test('does not let a small wish pass one that waits', async () => {
    const { clock, tokens } = bucket(5, 1);
    expect(tokens.tryTake(5)).toBe(true);
    const served: string[] = [];
    void tokens.take(4).then(() => served.push('four'));
    void tokens.take(1).then(() => served.push('one'));
    await clock.advance(3000);
    expect(tokens.tryTake(1)).toBe(false);
    await clock.advance(2000);
    expect(served).toEqual(['four', 'one']);
  });

  test('lets callers go first that come within the patience of others, and none that come later', async () => {
    const { clock, tokens } = bucket(1, 1);
    tokens.tryTake();
    const served: string[] = [];
    const wish = (name: string, patienceMillis?: number): void => {
      void tokens.take(1, undefined, patienceMillis).then(() => served.push(name));
    };
    wish('late', 2000);
    wish('usual');
    wish('last', -Infinity);
    await clock.advance(500);
    wish('soon');
    await clock.advance(1000);
    wish('in time');
    await clock.advance(1000);
    wish('too late');
    wish('first', -Infinity);
    await clock.advance(10_000);
    expect(served).toEqual(['last', 'usual', 'first', 'soon', 'in time', 'late', 'too late']);
  });

  test('serves the next one when the first gives up', async () => {
    const { clock, tokens } = bucket(5, 1);
    tokens.tryTake(5);
    const first = new AbortController();
    const gaveUp = codeOf(tokens.take(5, first.signal));
    let isServed = false;
    void tokens.take(1).then(() => (isServed = true));
    await clock.advance(1000);
    expect(isServed).toBe(false);
    first.abort();
    await clock.settle();
    expect([await gaveUp, isServed]).toEqual(['Cancelled', true]);
    expect(clock.pending).toBe(0);
  });

  test('refuses a wish that can never come true, and one whose signal is aborted already', async () => {
    const { tokens } = bucket(2, 1);
    expect(await codeOf(tokens.take(3))).toBe('Invalid');
    expect(await codeOf(tokens.take(1, AbortSignal.abort()))).toBe('Cancelled');
    expect(tokens.tryTake(2)).toBe(true);
  });

  test('gives no more in any stretch of time than capacity and rate allow', async () => {
    const wishes = fc.array(fc.record({ pause: fc.nat(2000), tokens: fc.integer({ min: 1, max: 5 }) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(wishes, async (all) => {
        const { clock, tokens } = bucket(5, 3);
        const given: { at: number; tokens: number }[] = [];
        for (const wish of all) {
          await clock.advance(wish.pause);
          void tokens
            .take(wish.tokens)
            .then(() => given.push({ at: clock.monotonic(), tokens: wish.tokens }));
        }
        await clock.advance(60_000);
        expect(given).toHaveLength(all.length);
        for (const [i, first] of given.entries()) {
          let sum = 0;
          for (const { at, tokens: count } of given.slice(i)) {
            sum += count;
            expect(sum).toBeLessThanOrEqual(5 + ((at - first.at) * 3) / 1000 + 1e-6);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});

import { Mutex } from '../../../src/runtime/concurrency/mutex.js';
import { VirtualClock } from '../../../world/clock/virtual-clock.js';

const never = new AbortController().signal;

test('works are done one after the other, in the order of asking, also when one fails', async () => {
  const clock = new VirtualClock();
  const mutex = new Mutex();
  const told: string[] = [];
  const work = (name: string, millis: number) => async (): Promise<void> => {
    told.push(`${name} begins`);
    await clock.sleep(millis);
    told.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
  };
  const first = mutex.runExclusive(never, work('a', 100));
  const second = mutex.runExclusive(never, work('b', 10));
  const failure = first.catch((error: unknown) => error);
  await clock.advance(200);
  expect(await failure).toMatchObject({ message: 'a failed' });
  await second;
  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a caller that stops waiting leaves the queue, and delays no other', async () => {
  const clock = new VirtualClock();
  const mutex = new Mutex();
  const impatient = new AbortController();
  const first = mutex.runExclusive(never, () => clock.sleep(100));
  const second = mutex.runExclusive(impatient.signal, () => Promise.resolve('second'));
  const third = mutex.runExclusive(never, () => Promise.resolve('third'));
  impatient.abort();
  await expect(second).rejects.toMatchObject({ code: 'Cancelled' });
  await clock.advance(100);
  await first;
  await expect(third).resolves.toBe('third');
});

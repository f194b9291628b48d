import { INTERRUPTED, Mutex } from '../../../src/runtime/concurrency/mutex.js';
import { VirtualClock } from '../../support/virtual-clock.js';

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

test('what comes first runs before all that waits, and does not disturb what runs', async () => {
  const clock = new VirtualClock();
  const mutex = new Mutex();
  const told: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    await clock.sleep(10);
    told.push(name);
  };
  const works = [
    mutex.runExclusive(never, work('running')),
    mutex.runExclusive(never, work('waiting')),
    mutex.runFirst(never, work('first')),
    mutex.runFirst(never, work('second')),
  ];
  await clock.advance(100);
  await Promise.all(works);
  expect(told).toEqual(['running', 'first', 'second', 'waiting']);
});

test('interruptible work is told to end when other work comes first, and not by work that may wait', async () => {
  const clock = new VirtualClock();
  const mutex = new Mutex();
  const long = mutex.runInterruptibly(never, (own) => clock.sleep(1000, own));
  const waiting = mutex.runExclusive(never, () => Promise.resolve(clock.monotonic()));
  await clock.advance(100);
  const first = mutex.runFirst(never, () => Promise.resolve(clock.monotonic()));
  await clock.settle();
  expect(await Promise.all([long, first, waiting])).toEqual([INTERRUPTED, 100, 100]);
});

test('interruptible work that ends well all the same has its answer, and what stops it is thrown', async () => {
  const clock = new VirtualClock();
  const mutex = new Mutex();
  const stop = new AbortController();
  const deaf = mutex.runInterruptibly(never, () => clock.sleep(50).then(() => 'done'));
  const first = mutex.runFirst(never, () => Promise.resolve('first'));
  const stopped = mutex
    .runInterruptibly(stop.signal, (own) => clock.sleep(1000, own))
    .catch((error: unknown) => error);
  await clock.advance(100);
  stop.abort();
  expect(await Promise.all([deaf, first, stopped])).toMatchObject(['done', 'first', { code: 'Cancelled' }]);
  await expect(mutex.runExclusive(never, () => Promise.resolve('free'))).resolves.toBe('free');
});

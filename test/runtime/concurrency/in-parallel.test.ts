import { inParallel, tryInParallel } from '../../../src/runtime/concurrency/in-parallel.js';

/** Work that ends when the test says so, and knows how much of it goes on at once. */
function gauged() {
  const open: (() => void)[] = [];
  let most = 0;
  const act = (item: number): Promise<void> =>
    new Promise((resolve, reject) => {
      open.push(() => {
        if (item < 0) reject(new Error(`item ${String(item)}`));
        else resolve();
      });
      most = Math.max(most, open.length);
    });
  const finish = async (): Promise<void> => {
    while (open.length > 0) {
      open.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { act, finish, most: () => most };
}

describe('tryInParallel', () => {
  test('works on as many items at once as it may, and on all', async () => {
    const { act, finish, most } = gauged();
    const done = tryInParallel([1, 2, 3, 4, 5], act, { atOnce: 2 });
    await finish();
    await expect(done).resolves.toEqual([]);
    expect(most()).toBe(2);
  });

  test('continues after failures, and answers them', async () => {
    const { act, finish } = gauged();
    const done = tryInParallel([1, -2, 3, -4], act, { atOnce: 1 });
    await finish();
    expect((await done).map(String)).toEqual(['Error: item -2', 'Error: item -4']);
  });

  test('begins nothing more once the signal is aborted', async () => {
    const stop = new AbortController();
    const begun: number[] = [];
    const act = (item: number): Promise<void> => {
      begun.push(item);
      if (item === 2) stop.abort();
      return Promise.resolve();
    };
    await tryInParallel([1, 2, 3, 4], act, { atOnce: 1, signal: stop.signal });
    expect(begun).toEqual([1, 2]);
  });
});

describe('inParallel', () => {
  test('throws the first failure when everything is done', async () => {
    const done: number[] = [];
    const act = (item: number): Promise<void> => {
      if (item < 0) return Promise.reject(new Error(`item ${String(item)}`));
      done.push(item);
      return Promise.resolve();
    };
    await expect(inParallel([1, -2, 3, -4], act)).rejects.toThrow('item -2');
    expect(done).toEqual([1, 3]);
  });
});

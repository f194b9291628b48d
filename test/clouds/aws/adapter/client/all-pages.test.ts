import fc from 'fast-check';
import { allPages } from '../../../../../src/clouds/aws/adapter/client/all-pages.js';

interface Page {
  readonly items: readonly number[];
  readonly next: string | undefined;
}

function pager(pages: readonly (readonly number[])[]) {
  const asked: (string | undefined)[] = [];
  return {
    asked,
    fetch: (token: string | undefined): Promise<Page> => {
      asked.push(token);
      const index = Number(token ?? 0);
      const next = index + 1 < pages.length ? String(index + 1) : undefined;
      return Promise.resolve({ items: pages[index] ?? [], next });
    },
  };
}

test('all pages come, in order, each asked for once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.integer()), { minLength: 1, maxLength: 20 }), async (pages) => {
      const { asked, fetch } = pager(pages);
      const found = await allPages({ operation: 'test', fetch, next: ({ next }) => next });
      expect(found.flatMap(({ items }) => items)).toEqual(pages.flat());
      expect(asked).toHaveLength(pages.length);
    }),
  );
});

test('an empty token ends the list', async () => {
  const fetch = () => Promise.resolve({ items: [1], next: '' });
  await expect(allPages({ operation: 'test', fetch, next: ({ next }) => next })).resolves.toHaveLength(1);
});

test('a list that goes round in circles is given up', async () => {
  const fetch = () => Promise.resolve({ items: [1], next: 'again' });
  await expect(allPages({ operation: 'test', fetch, next: ({ next }) => next })).rejects.toMatchObject({
    code: 'Unavailable',
  });
});

test('a list without an end is given up', async () => {
  let count = 0;
  const fetch = () => Promise.resolve({ items: [1], next: String(count++) });
  await expect(allPages({ operation: 'test', fetch, next: ({ next }) => next })).rejects.toThrow(
    /1000 pages/,
  );
});

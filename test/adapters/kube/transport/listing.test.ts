/** How a reflector comes to know what is there: by a watch that begins with it, by one answer, or page by page. */
import { eventually } from '../../../controlplane/fixture/eventually.js';
import { FakeApiServer, json, reset, status, type Answer } from './fake-api-server.js';
import { expectAtLeastApart, Following, valuesOf } from './following.js';

/** Half a list, and then nothing more. */
const half: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"kind":"ThingList","metadata":{"resourceVersion":"5"},"items":[');
};

/** Half a list, and then the end of the connection. */
const cut: Answer = (response, request) => {
  half(response, request);
  response.write('{"metadata":{"name":"ghost","resourceVersion":"4"}},', () => {
    reset(response);
  });
};

describe('Reflector', () => {
  let server: FakeApiServer;
  let following: Following;

  beforeEach(async () => {
    server = await FakeApiServer.start();
    following = new Following(server);
  });

  afterEach(async () => {
    await following.stop();
    await server.stop();
  });

  function fill(count: number, value: unknown = 'x'): void {
    for (let index = 0; index < count; index += 1) server.put(`thing-${String(index)}`, { value });
  }

  function same(): Promise<boolean> {
    const wanted = (): string => JSON.stringify(sorted(valuesOf(server)));
    return eventually('the same things', () => JSON.stringify(sorted(following.values)) === wanted(), {
      everyMillis: 2,
    });
  }

  function requests(verb: 'list' | 'watch' | 'watch-list', count: number): Promise<boolean> {
    return eventually(`${String(count)} × ${verb}`, () => server.count(verb) >= count, { everyMillis: 2 });
  }

  function queries(verb: 'list' | 'watch' | 'watch-list'): readonly URLSearchParams[] {
    return server.requests.filter((request) => request.verb === verb).map(({ query }) => query);
  }

  describe('at a server with watch-lists', () => {
    beforeEach(() => {
      server.hasWatchLists = true;
    });

    test('asks once, is told what is there, then that this was all, then every change', async () => {
      server.put('a', { value: 1 });
      server.put('b', { value: 2 });
      await following.begin();
      expect(following.told).toEqual(['put thing/a', 'put thing/b', 'synced']);
      server.delete('a');
      await same();
      expect(following.told.slice(3)).toEqual(['delete thing/a']);
      expect(server.requests.map(({ verb }) => verb)).toEqual(['watch-list']);
      const [query] = queries('watch-list');
      expect(query?.get('resourceVersionMatch')).toBe('NotOlderThan');
      expect(query?.get('allowWatchBookmarks')).toBe('true');
      // The latest state, and not what a cache has, however old.
      expect(query?.has('resourceVersion')).toBe(false);
    });

    test('resumes from the bookmark that ended the list', async () => {
      fill(3);
      await following.begin();
      const { version } = server;
      server.watches[0]?.reset();
      server.put('late');
      await same();
      expect(queries('watch')[0]?.get('resourceVersion')).toBe(version);
      expect(following.count('lists')).toBe(1);
    });

    test('is not synced, and takes nothing for deleted, by a list that breaks; it reads another one instead', async () => {
      fill(3);
      await following.begin();
      server.answerNext('watch', status(410, { reason: 'Expired' }));
      server.cutNext(100);
      server.watches[0]?.reset();
      server.delete('thing-1');
      await requests('watch', 1);
      await following.pass(3000);
      await same();
      expect(following.told.slice(4)).toEqual(['delete thing/thing-1']);
      expect(server.count('watch-list')).toBe(2);
      expect(server.count('list')).toBe(1);
      expectAtLeastApart(following.listedAt, 1000);
    });

    test('learns from a second one what was deleted meanwhile', async () => {
      fill(3);
      await following.begin();
      server.answerNext('watch', status(410, { reason: 'Expired' }));
      server.watches[0]?.reset();
      await requests('watch', 1);
      server.delete('thing-2');
      server.compact();
      await following.pass(2000);
      await same();
      expect(following.told.slice(4)).toEqual(['delete thing/thing-2']);
      expect(server.count('list')).toBe(0);
      expect(following.count('relists')).toBe(1);
    });

    test('reads a list from a server that does not end its initial events', async () => {
      server.put('a', { value: 1 });
      const endless: Answer = (response) => {
        const object = { metadata: { name: 'a', resourceVersion: '5' } };
        response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
      };
      server.answerNext('watch-list', endless);
      following.start();
      await requests('watch-list', 1);
      await following.pass(3000);
      await same();
      expect(following.told).toEqual(['put thing/a', 'synced']);
      expect(server.count('list')).toBe(1);
    });

    test('reads a list from a server that is silent', async () => {
      server.put('a', { value: 1 });
      server.withholds = true;
      following.start();
      await eventually('a watch', () => server.watches.length === 1);
      server.withholds = false;
      await following.pass(80_000);
      await same();
      expect(following.count('stalls')).toBe(1);
      expect(following.reflector.health()).toMatchObject({ synced: true, watching: true });
    });

    test('lists, when it may not watch', async () => {
      server.put('a', { value: 1 });
      server.answerNext('watch-list', status(403, { reason: 'Forbidden' }));
      await following.begin();
      expect(following.told).toEqual(['put thing/a', 'synced']);
    });
  });

  describe('at a server without them', () => {
    test('asks only once for one', async () => {
      server.put('a', { value: 1 });
      await following.begin();
      server.compact();
      server.watches[0]?.end();
      await requests('watch', 2);
      await following.pass(3000);
      await following.watching();
      expect(following.count('relists')).toBe(1);
      expect(server.count('watch-list')).toBe(1);
      expect(server.count('list')).toBe(2);
    });

    test('reads a long list in one answer of one moment, as new as its first page, whatever happens meanwhile', async () => {
      fill(1234);
      const { version } = server;
      following.start();
      await requests('list', 2);
      server.put('late', { value: 'late' });
      server.delete('thing-1233');
      await same();
      const [page, whole] = queries('list');
      expect(page?.get('limit')).toBe('100');
      expect(page?.has('resourceVersion')).toBe(false);
      expect(whole?.has('limit')).toBe(false);
      expect(whole?.get('resourceVersion')).toBe(version);
      expect(whole?.get('resourceVersionMatch')).toBe('NotOlderThan');
      expect(queries('watch')[0]?.get('resourceVersion')).toBe(version);
      expect(following.told).toContain('delete thing/thing-1233');
      expect(following.told.filter((line) => line === 'put thing/thing-1')).toHaveLength(1);
    });

    test.each([
      ['breaks', cut],
      ['is behind', status(504, { reason: 'Timeout' })],
    ])('reads pages of one moment when that answer %s', async (_, answer) => {
      fill(1234);
      server.answerNext('list', (response, request) => {
        server.answerNext('list', answer);
        json(200, { metadata: { resourceVersion: server.version, continue: 'more' }, items: [{}] })(
          response,
          request,
        );
      });
      following.start();
      await requests('list', 2);
      await following.pass(3000);
      await same();
      const limits = queries('list').map((query) => query.get('limit'));
      expect(limits).toEqual(['100', null, '500', '500', '500']);
      expect(following.told.filter((line) => line === 'synced')).toHaveLength(1);
      expect(following.told.filter((line) => line === 'delete thing/ghost').length).toBeLessThanOrEqual(1);
      expect(following.things.has('thing/ghost')).toBe(false);
    });

    test('gives up that answer when nothing more of it comes', async () => {
      fill(300);
      following.start();
      server.answerNext('list', (response, request) => {
        server.answerNext('list', half);
        json(200, { metadata: { resourceVersion: server.version, continue: 'more' }, items: [{}] })(
          response,
          request,
        );
      });
      await requests('list', 2);
      await eventually('the guard', () => following.clock.pending > 0);
      await following.clock.advance(31_000);
      await following.pass(3000);
      await same();
      expect(following.count('relists')).toBe(1);
    });

    test('asks for smaller pages when objects are large', async () => {
      fill(250, 'x'.repeat(20_000));
      server.answerNext('list', (response, request) => {
        server.answerNext('list', reset);
        const metadata = { resourceVersion: server.version, continue: 'more' };
        json(200, { metadata, items: server.objects.slice(0, 100) })(response, request);
      });
      following.start();
      await requests('list', 2);
      await following.pass(3000);
      await same();
      const limits = queries('list').map((query) => Number(query.get('limit')));
      expect(limits[2]).toBeGreaterThanOrEqual(40);
      expect(limits[2]).toBeLessThanOrEqual(52);
    });

    test('begins a list again whose continue token has expired', async () => {
      fill(300);
      const expired: Answer = (response, request) => {
        const metadata = { resourceVersion: server.version, continue: 'gone:100' };
        json(200, { kind: 'ThingList', metadata, items: server.objects.slice(0, 100) })(response, request);
      };
      server.answerNext('list', expired, reset, expired);
      following.start();
      await requests('list', 2);
      await following.pass(1500);
      await requests('list', 4);
      server.delete('thing-5');
      expect(following.told).not.toContain('synced');
      await following.pass(3000);
      await same();
      expect(following.told).toContain('delete thing/thing-5');
      expect(following.told.filter((line) => line === 'synced')).toHaveLength(1);
      expectAtLeastApart(following.listedAt, 1000);
    });

    test('gives up a list whose pages have no end', async () => {
      const again: Answer = json(200, { metadata: { resourceVersion: '5', continue: 'again' }, items: [] });
      server.answerNext('list', again, reset, again, again);
      following.start();
      await requests('list', 2);
      await following.pass(6000);
      await following.watching();
      expect(server.count('list')).toBe(5);
    });
  });
});

function sorted(values: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
}

import { eventually } from '../../../controlplane/fixture/eventually.js';
import { FakeApiServer, reset, status, type Answer } from './fake-api-server.js';
import { decodeThing, expectAtLeastApart, Following, valuesOf, type FollowingOptions } from './following.js';

describe('Reflector', () => {
  let server: FakeApiServer;
  let following: Following;

  beforeEach(async () => {
    server = await FakeApiServer.start();
  });

  afterEach(async () => {
    await following.stop();
    await server.stop();
  });

  function follow(options: FollowingOptions = {}): Promise<Following> {
    following = new Following(server, options);
    return following.begin();
  }

  /** Waits until the sink knows what the server has. */
  function same(): Promise<boolean> {
    const wanted = (): string => JSON.stringify(sorted(valuesOf(server)));
    return eventually('the same things', () => JSON.stringify(sorted(following.values)) === wanted(), {
      everyMillis: 2,
    });
  }

  function requests(verb: 'list' | 'watch', count: number): Promise<boolean> {
    return eventually(`${String(count)} × ${verb}`, () => server.count(verb) >= count, { everyMillis: 2 });
  }

  function lastWatch(): URLSearchParams | undefined {
    return server.requests.filter(({ verb }) => verb === 'watch').at(-1)?.query;
  }

  describe('following', () => {
    test('reports what exists, then that the list is complete, then every change', async () => {
      server.put('a', { value: 1 });
      server.put('b', { value: 2 });
      await follow();
      expect(following.told).toEqual(['put thing/a', 'put thing/b', 'synced']);

      server.put('a', { value: 3 });
      server.put('c', { value: 4 });
      server.delete('b');
      await same();
      expect(following.told.slice(3)).toEqual(['put thing/a', 'put thing/c', 'delete thing/b']);
      expect(following.values).toEqual({ a: 3, c: 4 });
    });

    test('asks for bookmarks, and for an end after five to ten minutes', async () => {
      await follow();
      expect(lastWatch()?.get('allowWatchBookmarks')).toBe('true');
      expect(Number(lastWatch()?.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300);
      expect(Number(lastWatch()?.get('timeoutSeconds'))).toBeLessThanOrEqual(600);
    });

    test('gives the decoder the same JSON from a list as from a watch', async () => {
      const metadata = { value: 1, at: '2026-01-01T00:00:00Z' };
      const listed = server.put('a', metadata);
      await follow();
      expect(following.things.get('thing/a')?.raw).toEqual(listed);
      const watched = server.put('b', metadata);
      await same();
      expect(following.things.get('thing/b')?.raw).toEqual(watched);
    });

    test('deletes what the decoder no longer wants, and what it calls by another name', async () => {
      await follow({
        decode: (raw) => {
          const { value } = decodeThing(raw);
          return value.value === 'hidden'
            ? undefined
            : { key: `${value.name}-${String(value.value)}`, value };
        },
      });
      server.put('a', { value: 'one' });
      server.put('a', { value: 'two' });
      server.put('a', { value: 'hidden' });
      server.put('a', { value: 'three' });
      server.delete('a');
      await eventually('the end', () => following.told.length === 7);
      expect(following.told).toEqual([
        'synced',
        ...['put a-one', 'delete a-one', 'put a-two', 'delete a-two'],
        ...['put a-three', 'delete a-three'],
      ]);
    });
  });

  describe('when the connection breaks', () => {
    test('resumes a watch that was reset from the last resourceVersion, without a list', async () => {
      await follow();
      const { version } = server;
      server.put('a', { value: 1 });
      await same();
      server.watches[0]?.reset();
      server.put('b', { value: 2 });
      await same();
      expect(server.count('list')).toBe(1);
      expect(lastWatch()?.get('resourceVersion')).toBe(String(Number(version) + 1));
      expect(following.count('restarts')).toBe(1);
    });

    test('resumes from a bookmark, when that was the last', async () => {
      await follow();
      server.compact();
      server.bookmark();
      const { version } = server;
      server.put('a');
      await same();
      server.watches[0]?.reset();
      server.put('b');
      await same();
      expect(server.count('list')).toBe(1);
      expect(Number(lastWatch()?.get('resourceVersion'))).toBeGreaterThan(Number(version));
    });

    test('resumes at once after a clean end, then waits up to a second while it continues', async () => {
      await follow();
      server.watches[0]?.end();
      await requests('watch', 2);

      let passed = 0;
      await following.pass(8000, () => {
        passed += 50;
        if (passed % 200 === 0) for (const watch of server.watches) watch.end();
      });
      expect(server.count('watch')).toBeGreaterThanOrEqual(8);
      expect(server.count('watch')).toBeLessThanOrEqual(25);
      expect(server.count('list')).toBe(1);
    });

    test('forgets earlier ends after a watch that was healthy', async () => {
      await follow();
      for (let round = 1; round <= 3; round += 1) {
        await following.pass(5000);
        server.watches[0]?.end();
        await requests('watch', round + 1);
        await following.watching();
      }
      expect(following.reflector.health()).toMatchObject({ watching: true, failures: 1 });
      await following.pass(5000);
      expect(following.reflector.health()).toMatchObject({ failures: 0, lastError: undefined });
    });

    test('notices silence, and that a bookmark is none', async () => {
      await follow({ timing: { stallMillis: 60_000 } });
      await following.clock.advance(59_000);
      server.bookmark();
      await eventually(
        'the bookmark',
        () => following.reflector.health().lastContactAt === following.clock.now(),
      );
      await following.clock.advance(59_000);
      expect(following.count('stalls')).toBe(0);

      server.watches[0]?.raw(Buffer.from('{"type":"ADD'));
      await eventually(
        'some bytes',
        () => following.reflector.health().lastContactAt === following.clock.now(),
      );
      await following.clock.advance(60_000);
      expect(following.count('stalls')).toBe(1);
      await requests('watch', 2);
      server.put('a', { value: 1 });
      await same();
      expect(server.count('list')).toBe(1);
    });

    test('follows on after a server that was away', async () => {
      await follow();
      server.answerNext('watch', reset, status(500), status(503), reset);
      server.answerNext('list', reset, status(500));
      server.put('a', { value: 1 });
      server.watches[0]?.reset();
      await following.pass(10_000);
      await same();
      expect(server.count('list')).toBe(1);
      expect(server.watches).toHaveLength(1);
    });
  });

  describe('when the server refuses', () => {
    test('lists again at most once a second when watches are answered with 410 in the stream', async () => {
      following = new Following(server).start();
      const gone: Answer = (response) => {
        response.end('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n');
      };
      server.answerNext('watch', ...Array.from({ length: 100 }, () => gone));
      await following.pass(8000);
      expectAtLeastApart(following.listedAt, 1000);
      expect(following.listedAt.length).toBeGreaterThanOrEqual(3);
      expect(following.count('relists')).toBe(following.listedAt.length - 1);
    });

    test('lists again when a watch is refused with 410, and tells what was deleted meanwhile', async () => {
      for (const name of ['a', 'b', 'c']) server.put(name, { value: name });
      await follow();
      server.answerNext('watch', reset, status(410, { reason: 'Expired' }));
      server.watches[0]?.reset();
      await requests('watch', 2);
      server.delete('a');
      server.delete('c');
      server.put('d', { value: 'd' });
      server.compact();
      await following.pass(5000);
      await same();
      expect(following.told.slice(4).sort()).toEqual(['delete thing/a', 'delete thing/c', 'put thing/d']);
      expect(server.count('list')).toBe(2);
    });

    test('waits as long as Retry-After says, for lists and watches', async () => {
      following = new Following(server).start();
      server.answerNext('list', status(503, {}, { 'retry-after': '7' }));
      server.answerNext('watch', status(429, {}, { 'retry-after': '9' }));
      await requests('list', 1);
      await eventually('the wait', () => following.clock.pending === 1);
      await following.pass(6900);
      expect(server.count('list')).toBe(1);
      await following.pass(200);
      expect(server.count('list')).toBe(2);
      await requests('watch', 1);
      await eventually('the wait', () => following.clock.pending === 1);
      await following.pass(8800);
      expect(server.count('watch')).toBe(1);
      await following.pass(300);
      expect(server.count('watch')).toBe(2);
    });

    test('continues where it was after other errors in the stream', async () => {
      await follow();
      const { version } = server;
      server.watches[0]?.line({
        type: 'ERROR',
        object: { kind: 'Status', code: 500, reason: 'InternalError' },
      });
      server.watches[0]?.end();
      await following.pass(3000);
      expect(server.count('list')).toBe(1);
      expect(lastWatch()?.get('resourceVersion')).toBe(version);
    });

    test('lists again when the server is behind the resourceVersion that it gave', async () => {
      await follow();
      const causes = [{ reason: 'ResourceVersionTooLarge' }];
      server.answerNext('watch', status(504, { reason: 'Timeout', details: { causes } }));
      server.watches[0]?.end();
      await following.pass(5000);
      expect(server.count('list')).toBe(2);
    });

    test('logs once what is wrong while it lasts, and reports it when asked', async () => {
      following = new Following(server).start();
      const refuse = status(403, { reason: 'Forbidden', message: 'may not list things' });
      server.answerNext('list', ...Array.from({ length: 100 }, () => refuse));
      await following.pass(20_000);
      expect(following.lines).toHaveLength(1);
      expect(following.lines[0]).toMatchObject({
        level: 'warn',
        message: 'Watch was interrupted',
        fields: {
          resource: '/api/v1/things',
          code: 'Forbidden',
          error: expect.stringContaining('may not list things') as string,
        },
      });
      expect(following.reflector.health()).toMatchObject({ synced: false, watching: false });
      expect(following.reflector.health().lastError).toContain('may not list things');
      expect(following.reflector.health().failures).toBeGreaterThan(3);
    });
  });

  describe('when what comes is strange', () => {
    test('puts characters together whose bytes come one at a time', async () => {
      await follow();
      const object = {
        value: 'Käse, 猫, 🧀',
        metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '101' },
      };
      const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`);
      for (const byte of bytes) {
        server.watches[0]?.raw(Uint8Array.of(byte));
        await following.clock.settle();
      }
      await eventually('the thing', () => following.values['a'] === 'Käse, 猫, 🧀');
      expect(following.count('malformedLines')).toBe(0);
    });

    test('counts a line that is no event, and lists again, since it may have been a change', async () => {
      await follow();
      server.watches[0]?.raw(Buffer.from('\n{"type":"ADDED","object":\n'));
      server.put('a', { value: 1 });
      await following.pass(5000);
      await same();
      expect(following.count('malformedLines')).toBe(1);
      expect(following.count('relists')).toBe(1);
    });

    test('is not stopped by a decoder or a sink that throws, and tells the next change', async () => {
      let broken = true;
      const told: string[] = [];
      server.put('a', { value: 'bad' });
      server.put('b', { value: 'good' });
      await follow({
        decode: (raw) => {
          const decoded = decodeThing(raw);
          if (decoded.value.value === 'bad') throw new Error('cannot decode');
          return decoded;
        },
        sink: {
          put: (thing) => {
            if (broken && thing.name === 'c') throw new Error('cannot put');
            told.push(`put ${thing.name}`);
          },
          delete: (key) => {
            told.push(`delete ${key}`);
            if (broken) throw new Error('cannot delete');
          },
          synced: () => {
            throw new Error('cannot be synced');
          },
        },
      });
      server.put('c', { value: 'good' });
      server.delete('b');
      await eventually('the delete', () => told.length === 2);
      broken = false;
      server.put('c', { value: 'better' });
      server.put('a', { value: 'good' });
      await eventually('the puts', () => told.length === 4);
      expect(told).toEqual(['put b', 'delete thing/b', 'put c', 'put a']);
      expect(following.count('handlerErrors')).toBe(4);
      expect(following.lines.map(({ fields }) => fields['object'])).toEqual([
        ...['ns/a', 'the end of the first list', 'ns/c', 'ns/b'],
      ]);
      expect(server.count('list')).toBe(1);
      expect(server.count('watch')).toBe(1);
    });

    test('keeps an object whose new state cannot be decoded, until it is deleted', async () => {
      server.put('a', { value: 'good' });
      await follow({
        decode: (raw) => {
          const decoded = decodeThing(raw);
          if (decoded.value.value === 'bad') throw new Error('cannot decode');
          return decoded;
        },
      });
      server.put('a', { value: 'bad' });
      await eventually('the error', () => following.count('handlerErrors') === 1);
      expect(following.values).toEqual({ a: 'good' });
      server.delete('a');
      await same();
      expect(following.told.at(-1)).toBe('delete thing/a');
    });

    test('takes no harm from events that come twice or late', async () => {
      await follow();
      const [watch] = server.watches;
      const at = (resourceVersion: string, value: number, uid = 'one'): Record<string, unknown> => ({
        value,
        metadata: { name: 'a', namespace: 'ns', uid, resourceVersion },
      });
      watch?.line({ type: 'ADDED', object: at('999', 1) });
      watch?.line({ type: 'MODIFIED', object: at('1001', 3) });
      watch?.line({ type: 'MODIFIED', object: at('1000', 2) });
      watch?.line({ type: 'MODIFIED', object: at('1001', 3) });
      watch?.line({ type: 'DELETED', object: at('1000', 2, 'zero') });
      watch?.line({
        type: 'ADDED',
        object: { ...at('1002', 0), metadata: { name: 'z', resourceVersion: '1002' } },
      });
      await eventually('the last', () => following.things.has('thing/z'));
      expect(following.told).toEqual(['synced', 'put thing/a', 'put thing/a', 'put thing/z']);
      expect(following.values).toEqual({ a: 3, z: 0 });
    });

    test('reports the end of an object that was created again under its name between two lists', async () => {
      server.put('a', { value: 'old' });
      await follow();
      server.answerNext('watch', reset);
      server.watches[0]?.reset();
      await requests('watch', 2);
      server.delete('a');
      server.put('a', { value: 'new' });
      server.compact();
      await following.pass(5000);
      await same();
      expect(following.told.slice(2)).toEqual(['delete thing/a', 'put thing/a']);
    });

    test('does not decode again in a list what has not changed', async () => {
      let decoded = 0;
      server.put('a', { value: 1 });
      server.put('b', { value: 2 });
      await follow({
        decode: (raw) => {
          decoded += 1;
          return decodeThing(raw);
        },
      });
      server.compact();
      server.watches[0]?.end();
      server.put('b', { value: 3 });
      await following.pass(5000);
      await same();
      expect(following.count('relists')).toBe(1);
      expect(decoded).toBe(3);
    });
  });

  describe('when it is stopped', () => {
    test('ends its watch, leaves no timer, and says nothing', async () => {
      await follow();
      expect(server.watches).toHaveLength(1);
      await following.stop();
      expect(following.clock.pending).toBe(0);
      await eventually('the end of the watch', () => server.watches.length === 0);
      expect(following.lines).toEqual([]);
    });

    test('ends while it waits, and while it lists', async () => {
      following = new Following(server).start();
      server.answerNext('list', status(500));
      await eventually('the wait', () => following.clock.pending === 1);
      await following.stop();
      expect(following.clock.pending).toBe(0);

      following = new Following(server).start();
      server.answerNext('list', () => undefined);
      await requests('list', 2);
      await following.stop();
      expect(following.clock.pending).toBe(0);
      expect(server.count('watch')).toBe(0);
    });
  });
});

function sorted(values: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** What servers take as a body, and what they say to everything else. */
import fc from 'fast-check';
import { once } from 'node:events';
import { connect } from 'node:net';
import { shapeOf } from '../../../src/servers/http/json-shape.js';
import { EXTENDER_SIZE, POD_REVIEW_SIZE, POLICY_REVIEW_SIZE } from '../../../src/servers/http/limits.js';
import { parseJson } from '../../../src/servers/http/parse-json.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { exchange, serve, type Serving, type ServingOptions } from './serving.js';

const open: Serving[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ listener }) => listener.close(0)));
});

async function opened(options: ServingOptions = {}): Promise<Serving> {
  const serving = await serve(options);
  open.push(serving);
  return serving;
}

async function post(
  serving: Serving,
  body: RequestInit['body'],
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await fetch(`${serving.url}/echo`, {
    method: 'POST',
    body: body ?? null,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, unknown>> };
}

describe('a body', () => {
  test('is read as JSON', async () => {
    const serving = await opened();
    const answer = await post(serving, '{"a":["ü",1,null]}', {
      'Content-Type': 'Application/JSON; charset=UTF-8',
    });
    expect(answer).toEqual({ status: 200, json: { body: { a: ['ü', 1, null] } } });
    expect(serving.refused).toEqual([]);
  });

  test('keeps keys that JavaScript treats specially harmless', async () => {
    const serving = await opened();
    const nasty =
      '{"__proto__":{"polluted":1},"\\u005f_proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const answer = await post(serving, nasty);
    expect(answer.json).toEqual({ body: { constructor: { prototype: { polluted: 1 } } } });
    expect('polluted' in {}).toBe(false);
  });

  const wrapped = (items: number, item: string): string => `[${Array(items).fill(item).join(',')}]`;
  test.each([
    ['a pod to be stamped: 950,000 empty tolerations and one escape', POD_REVIEW_SIZE, 950_000, '{}'],
    ['policies: integers to the size that is read', POLICY_REVIEW_SIZE, 700_000, '1'],
    ['an extender call: 7 MB of integers', EXTENDER_SIZE, 3_400_000, '1'],
    ['an extender call: 7 MB of empty objects', EXTENDER_SIZE, 2_300_000, '{}'],
  ])('is not parsed when it has too many values: %s', (_, { maxValues }, items, item) => {
    const bytes = Buffer.from(`["\\u0041",${wrapped(items, item)}]`);
    expect(parseJson(bytes, maxValues)).toMatchObject({ cause: 'too-many-values' });
  });

  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  test.each([
    ['not-json', 400, 'valid JSON', '{"a":'],
    ['not-json', 400, 'valid JSON', ''],
    ['not-utf8', 400, 'UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['too-deep', 400, '64 levels', deep(65)],
    ['too-deep', 400, '64 levels', '{"a":['.repeat(33)],
    ['too-large', 413, '1000 bytes', `"${'x'.repeat(999)}"`],
    ['too-many-values', 413, '400 values', `[${'1,'.repeat(400)}1]`],
  ])('is refused when it is %s', async (cause, status, words, body) => {
    const serving = await opened({ maxValues: 400 });
    const answer = await post(serving, body);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ error: { cause, message: expect.stringContaining(words) as string } });
    expect(serving.refused).toEqual([cause]);
  });

  test('may be as large and as deep as is said', async () => {
    const serving = await opened();
    expect((await post(serving, `"${'x'.repeat(998)}"`)).status).toBe(200);
    expect((await post(serving, deep(64))).status).toBe(200);
    expect((await post(serving, JSON.stringify('[{'.repeat(200)))).status).toBe(200);
  });

  test.each([
    ['content-type', { 'Content-Type': 'text/plain' }, 'text/plain'],
    ['content-type', { 'Content-Type': 'application/json; charset=latin1' }, 'latin1'],
    ['content-type', { 'Content-Type': 'application/json+x' }, 'application/json+x'],
    ['content-encoding', { 'Content-Encoding': 'gzip' }, 'gzip'],
  ])('is refused for its %s', async (cause, headers, words) => {
    const serving = await opened();
    const answer = await post(serving, '{}', headers);
    expect(answer.status).toBe(415);
    expect(answer.json).toEqual({ error: { cause, message: expect.stringContaining(words) as string } });
  });

  test('that is far too large is read to its end, so that the client sees the answer', async () => {
    const serving = await opened();
    const answer = await post(serving, Buffer.alloc(20_000_000, 0x20));
    expect(answer.status).toBe(413);
  });

  test('without its length is measured as it comes', async () => {
    const serving = await opened();
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = await exchange(serving.listener.port, `${head}${chunk}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('Connection: close');
  });

  test('that does not come in time is given up', async () => {
    const clock = new VirtualClock();
    const serving = await opened({ clock });
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a"';
    const answer = exchange(serving.listener.port, head);
    while (clock.pending === 0) await new Promise(setImmediate);
    await clock.advance(4000);
    expect(await answer).toMatch(/^HTTP\/1.1 408 [^]*"cause":"timeout"[^]*4000 milliseconds/);
    expect(serving.refused).toEqual(['timeout']);
    expect(clock.pending).toBe(0);
  });

  test('of a client that goes away is counted, and its timer ends', async () => {
    const clock = new VirtualClock();
    const serving = await opened({ clock });
    const socket = connect(serving.listener.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    );
    while (clock.pending === 0) await new Promise(setImmediate);
    socket.destroy();
    while (serving.refused.length === 0) await new Promise(setImmediate);
    expect(serving.refused[0]).toBe('aborted');
    expect(clock.pending).toBe(0);
  });
});

describe('shapeOf', () => {
  const MANY = 1_000_000;
  const tooDeep = (maxDepth: number, bytes: Buffer): boolean =>
    shapeOf(bytes, { maxDepth, maxValues: MANY }).fault === 'too-deep';

  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

  test('counts lists and objects, not brackets in texts', () => {
    const json = fc.json({
      maxDepth: 6,
      stringUnit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', 'ü'),
    });
    fc.assert(
      fc.property(json, (text) => {
        const depth = depthOf(JSON.parse(text));
        const bytes = Buffer.from(text);
        expect(tooDeep(depth, bytes)).toBe(false);
        expect(tooDeep(depth - 1, bytes)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('finds the end of long texts, whatever is escaped in them and wherever', () => {
    const pieces = fc.constantFrom('"', '\\', '[', 'x'.repeat(50), 'x'.repeat(127), 'x'.repeat(128));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const bytes = Buffer.from(JSON.stringify([parts.join(''), [parts.join('')]]));
        expect([tooDeep(2, bytes), tooDeep(1, bytes)]).toEqual([false, true]);
      }),
      { numRuns: 2000 },
    );
  });

  test('finds that a long text has no end', () => {
    for (const length of [100, 128, 129, 5000])
      for (const end of ['', '\\', '\\"'])
        expect(tooDeep(1, Buffer.from(`["[[${'x'.repeat(length)}${end}`))).toBe(false);
  });

  test('finds a hundred thousand levels without falling into them', () => {
    expect(parseJson(Buffer.from('{"a":'.repeat(100_000)), MANY)).toMatchObject({ cause: 'too-deep' });
  });

  const valuesOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const keys = Array.isArray(value) ? 0 : Object.keys(value).length;
    return Object.values(value).reduce((sum: number, child) => sum + valuesOf(child), 1 + keys);
  };

  test('never counts fewer values than there are, nor more than twice as many', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const isOver = (maxValues: number): boolean =>
          shapeOf(bytes, { maxDepth: 64, maxValues }).fault === 'too-many-values';
        const count = valuesOf(value);
        expect(isOver(Math.floor(count / 2) - 1)).toBe(true);
        expect(isOver(2 * count)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  const spelled = fc
    .array(fc.boolean(), { minLength: 9, maxLength: 9 })
    .map((escaped) =>
      Array.from('__proto__', (letter, at) =>
        escaped[at] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
      ).join(''),
    );

  test('finds a key __proto__ however it is spelled, and no other use of the word or of an escape', () => {
    const hasProto = (text: string): boolean =>
      shapeOf(Buffer.from(text), { maxDepth: 64, maxValues: MANY }).hasProto;
    fc.assert(
      fc.property(spelled, (word) => {
        expect(hasProto(`{"a":[{"${word}" : 1}]}`)).toBe(true);
        expect(hasProto(`{"a":"${word}","b${word}":1,"${word}x":"\\u003c"}`)).toBe(false);
      }),
    );
  });
});

test('parseJson answers every sequence of bytes with a value or a cause', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => new TextEncoder().encode(text)),
      ),
      (bytes) => {
        const parsed = parseJson(Buffer.from(bytes), 1000);
        expect('cause' in parsed || 'value' in parsed).toBe(true);
      },
    ),
    { numRuns: 3000 },
  );
});

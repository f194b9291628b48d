/** Whatever goes wrong on the way, in the end the sink has what the server has. */
import fc from 'fast-check';
import { eventually } from '../../../controlplane/fixture/eventually.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { FakeApiServer, reset, status, type Answer } from './fake-api-server.js';
import { Following, valuesOf } from './following.js';

/** 5xx, 429, 401 and resets of whole requests. */
const REFUSALS: readonly Answer[] = [
  status(500),
  status(503, {}, { 'retry-after': '1' }),
  status(429, {}, { 'retry-after': '1' }),
  status(401),
  reset,
];

type Step =
  | { readonly do: 'put' | 'delete'; readonly name: string; readonly value: string }
  | { readonly do: 'cut'; readonly bytes: number }
  | { readonly do: 'refuse'; readonly verb: 'list' | 'watch' | 'watch-list'; readonly refusal: number }
  | { readonly do: Disturbance };

const DISTURBANCES = ['end', 'reset', 'compact', 'bookmark', 'garbage', 'pass'] as const;
type Disturbance = (typeof DISTURBANCES)[number];

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('put' as const), name, value: fc.string({ unit: 'grapheme' }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), name, value: fc.constant('') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('cut' as const), bytes: fc.integer({ min: 1, max: 400 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('refuse' as const),
      verb: fc.constantFrom('list' as const, 'watch' as const, 'watch-list' as const),
      refusal: fc.nat({ max: REFUSALS.length - 1 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom(...DISTURBANCES) }),
  },
);

function perform(server: FakeApiServer, action: Step): void {
  switch (action.do) {
    case 'put':
      server.put(action.name, { value: action.value });
      break;
    case 'delete':
      if (server.objects.some(({ metadata }) => metadata.name === action.name)) server.delete(action.name);
      break;
    case 'cut':
      server.cutNext(action.bytes);
      break;
    case 'refuse':
      server.answerNext(action.verb, ...REFUSALS.slice(action.refusal, action.refusal + 1));
      break;
    case 'end':
    case 'reset':
    case 'compact':
    case 'bookmark':
    case 'garbage':
    case 'pass':
      disturb(server, action.do);
  }
}

function disturb(server: FakeApiServer, how: Disturbance): void {
  if (how === 'compact' || how === 'bookmark') server[how]();
  for (const watch of server.watches) {
    if (how === 'end' || how === 'reset') watch[how]();
    if (how === 'garbage') watch.raw(Buffer.from('{"type":"ADDED"}\n'));
  }
}

async function expectConvergence(steps: readonly Step[], hasWatchLists: boolean): Promise<void> {
  const server = await FakeApiServer.start();
  server.hasWatchLists = hasWatchLists;
  const following = new Following(server).start();
  try {
    for (const action of steps) {
      perform(server, action);
      await following.pass(action.do === 'pass' ? 500 : 50);
    }
    // A last change shows that it still follows, not only that it arrived.
    server.put('last', { value: 'last' });
    const isSame = async (): Promise<boolean> => {
      await following.pass(200);
      return stable(following.values) === stable(valuesOf(server));
    };
    await eventually('the same', isSame);
    expect(replay(following.told)).toEqual(new Set(following.things.keys()));
    expect(Math.min(...gaps(following.listedAt))).toBeGreaterThanOrEqual(1000);
  } finally {
    await following.stop();
    await server.stop();
  }
  expect(following.clock.pending).toBe(0);
}

describe('a reflector', () => {
  test('knows what the server has after any faults, and lists at most once a second meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, hasWatchLists) => {
        await expectConvergence(steps, hasWatchLists);
      }),
      {
        numRuns: 20,
      },
    );
  });

  test('survives a cut at any byte of a watch', async () => {
    const server = await FakeApiServer.start();
    const timing = { longestResumeMillis: 1 };
    const following = await new Following(server, { clock: systemClock, timing }).begin();
    try {
      const line = JSON.stringify({ type: 'ADDED', object: server.put('a', { value: '猫' }) });
      const length = Buffer.byteLength(line) + 1;
      for (let bytes = 1; bytes <= length; bytes += 1) {
        server.cutNext(bytes);
        const count = server.count('watch');
        server.watches[0]?.end();
        await eventually('the next watch', () => server.count('watch') > count, { everyMillis: 1 });
        server.put('a', { value: `猫 ${String(bytes)}` });
        const isSame = (): boolean => stable(following.values) === stable(valuesOf(server));
        await eventually('the change', isSame, { everyMillis: 1 });
      }
      expect(following.count('lists')).toBe(1);
      expect(following.count('malformedLines')).toBe(0);
      // Each round opens one that breaks and, unless it broke right after the line, one that tells the rest.
      expect(server.count('watch')).toBeGreaterThan(2 * length - 10);
    } finally {
      await following.stop();
      await server.stop();
    }
  });
});

function stable(values: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The keys that are left when the sink is told all that. */
function replay(told: readonly string[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const line of told) {
    const [verb, key = ''] = line.split(' ');
    if (verb === 'put') keys.add(key);
    else keys.delete(key);
  }
  return keys;
}

function gaps(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

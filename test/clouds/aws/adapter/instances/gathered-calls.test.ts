/** Calls about single instances that are sent together. */
import {
  GatheredCalls,
  type Failures,
} from '../../../../../src/clouds/aws/adapter/instances/gathered-calls.js';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Calls that end when the test says so. */
class Calls {
  readonly sent: {
    readonly ids: readonly string[];
    readonly signal: AbortSignal;
    end: (with_: Failures | Error) => void;
  }[] = [];
  readonly gathered = new GatheredCalls('ec2:TerminateInstances', (ids, signal) => {
    return new Promise((resolve, reject) => {
      const end = (answer: Failures | Error): void => {
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      this.sent.push({ ids, signal, end });
    });
  });

  get ids(): readonly (readonly string[])[] {
    return this.sent.map(({ ids }) => ids);
  }

  async end(index: number, answer: Failures | Error = new Map()): Promise<void> {
    this.sent[index]?.end(answer);
    await nextTurn();
  }
}

test('what is asked for while two calls are under way is one call, each id once', async () => {
  const calls = new Calls();
  const asked = ['a', 'b', 'c', 'd', 'c'].map((id) => calls.gathered.ask([id]));
  expect(calls.ids).toEqual([['a'], ['b']]);
  await calls.end(1);
  expect(calls.ids).toEqual([['a'], ['b'], ['c', 'd']]);
  await calls.end(0);
  await calls.end(2);
  expect(await Promise.all(asked)).toEqual(Array(5).fill(new Map()));
});

test('each caller hears of the failures of its own ids', async () => {
  const calls = new Calls();
  const asked = [['a'], ['b'], ['c'], ['d']].map((ids) => calls.gathered.ask(ids));
  const denied = new Error('denied');
  await calls.end(0, new Error('no answer'));
  await calls.end(1);
  await calls.end(2, new Map([['d', denied]]));
  expect(await Promise.all(asked)).toEqual([
    new Map([['a', new Error('no answer')]]),
    new Map(),
    new Map(),
    new Map([['d', denied]]),
  ]);
});

test('a call is aborted once no caller waits for it any more, and not before', async () => {
  const calls = new Calls();
  for (const id of ['a', 'b']) void calls.gathered.ask([id]);
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const asked = [
    calls.gathered.ask(['c'], first.signal),
    calls.gathered.ask(['d'], second.signal),
    calls.gathered.ask(['e'], third.signal),
  ].map((answer) => answer.catch((error: unknown) => String(error)));
  // Given up before it is sent: it is not.
  third.abort();
  await nextTurn();
  await calls.end(0);
  expect(calls.ids.at(-1)).toEqual(['c', 'd']);
  first.abort();
  await nextTurn();
  expect(calls.sent.at(-1)?.signal.aborted).toBe(false);
  second.abort();
  await nextTurn();
  expect(calls.sent.at(-1)?.signal.aborted).toBe(true);
  for (const answer of await Promise.all(asked)) expect(answer).toContain('the signal was aborted');
});

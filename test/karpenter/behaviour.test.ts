/** What Karpenter's suites say of it holds here too, or differs as docs/reference/karpenter-behaviour.md says. */
import { behaviourPage } from '../../scripts/behaviour.js';
import { readProjectFile } from '../architecture/project-files.js';
import { LIVE_FACTS } from '../live/facts/index.js';
import { SUITES } from './behaviour/suites.js';

describe.each(SUITES.map(({ name, facts }) => [name, facts] as const))('%s', (_name, facts) => {
  test.each(facts.map(({ fact, run }) => [fact, run] as const))('%s', async (_fact, run) => {
    expect.hasAssertions();
    await run();
  });
});

test('each fact is there once', () => {
  const facts = SUITES.flatMap(({ name, facts: own }) => own.map(({ fact }) => `${name} ${fact}`));
  expect(new Set(facts).size).toBe(facts.length);
});

describe('live facts', () => {
  test('are facts of a suite, each once', () => {
    const known = new Set(SUITES.flatMap(({ name, facts }) => facts.map(({ fact }) => `${name} ${fact}`)));
    const live = LIVE_FACTS.map(({ suite, fact }) => `${suite} ${fact}`);
    expect(live.filter((each) => !known.has(each))).toEqual([]);
    expect(new Set(live).size).toBe(live.length);
  });

  test('differ only where the fact of the suite says what Berth does instead', () => {
    const differing = new Set(
      SUITES.flatMap(({ name, facts }) =>
        facts.filter(({ differs }) => differs !== undefined).map(({ fact }) => `${name} ${fact}`),
      ),
    );
    const unexplained = LIVE_FACTS.filter(
      ({ suite, fact, berth }) => berth !== undefined && !differing.has(`${suite} ${fact}`),
    );
    expect(unexplained.map(({ fact }) => fact)).toEqual([]);
  });
});

test('the page is the one that make generate writes', () => {
  expect(readProjectFile('docs/reference/karpenter-behaviour.md')).toBe(behaviourPage(SUITES, LIVE_FACTS));
});

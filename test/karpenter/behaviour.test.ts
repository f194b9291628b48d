/** What Karpenter's suites say of it holds here too, or differs as docs/reference/karpenter-behaviour.md says. */
import { behaviourPage } from '../../scripts/behaviour.js';
import { readProjectFile } from '../architecture/project-files.js';
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

test('the page is the one that make generate writes', () => {
  expect(readProjectFile('docs/reference/karpenter-behaviour.md')).toBe(behaviourPage(SUITES));
});

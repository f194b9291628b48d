/** Documents in the style of real users, of all API versions, are accepted or refused as Karpenter does it. */
import { formatPath } from '../../src/apis/decode/format-path.js';
import { ACCEPTED } from './accepted-values.js';
import { corpusFiles, readCorpusFile, type CorpusFile } from './corpus-files.js';
import { REFUSALS } from './refusals.js';
import { toldBudget, toldClass, toldPool } from './told.js';

const accepted = corpusFiles('accepted');
const refused = corpusFiles('refused');
const named = (files: readonly CorpusFile[]) => files.map((file) => [file.name, file] as const);

/** Warnings that any pool on its own gets. */
const USUAL_WARNINGS = ['no-limits', 'missing-reference'];

test('the corpus is large enough, and every file is expected', () => {
  expect(accepted.length + refused.length).toBeGreaterThanOrEqual(40);
  expect(accepted.map(({ name }) => name).sort()).toEqual(Object.keys(ACCEPTED).sort());
  expect(refused.map(({ name }) => name).sort()).toEqual(Object.keys(REFUSALS).sort());
});

test('every file says in its first line what it is about', () => {
  for (const { text } of accepted) expect(text).toMatch(/^# [A-Z].*[.]\n/);
  for (const { text } of refused) expect(text).toMatch(/^# Karpenter: .*[.]\n/);
});

describe('accepted documents', () => {
  test.each(named(accepted))('%s', (name, file) => {
    const { policies, errors, warnings } = readCorpusFile(file);
    const { pools = [], classes = [], warnings: expected = [] } = ACCEPTED[name] ?? {};
    expect(errors).toEqual([]);
    expect(policies.nodePools.map(toldPool)).toMatchObject(pools);
    expect(policies.nodeClasses.map(toldClass)).toMatchObject(classes);
    const codes = new Set(warnings.map(({ code }) => code).filter((code) => !USUAL_WARNINGS.includes(code)));
    expect([...codes].sort()).toEqual(expected);
  });

  test('the berth: block is read with its time zone', () => {
    const file = accepted.find(({ name }) => name === 'berth-block');
    const [pool] = file === undefined ? [] : readCorpusFile(file).policies.nodePools;
    expect(pool?.berth).toMatchObject({ timeZone: 'Europe/Paris', expiration: 'Budgeted' });
    expect(pool?.berth.clusterBudgets.map(toldBudget)).toEqual(['5%']);
    expect(pool?.berth.windows).toMatchObject([
      {
        allow: ['Drifted', 'Underutilized'],
        durationSeconds: 21_600,
        schedule: { timeZone: 'Europe/Paris' },
      },
    ]);
  });
});

describe('refused documents', () => {
  test.each(named(refused))('%s', (name, file) => {
    const { policies, errors } = readCorpusFile(file);
    const { code, path, says, guess } = REFUSALS[name] ?? {};
    expect(errors).toHaveLength(1);
    const [error] = errors;
    expect({ code: error?.code, path: formatPath(error?.path ?? []), line: error?.line }).toEqual({
      code,
      path,
      line: file.markedLine,
    });
    expect(error?.message).toContain(says);
    expect(error).toMatchObject(guess === undefined ? {} : { guess });
    expect([...policies.nodePools, ...policies.nodeClasses]).toEqual([]);
  });
});

/**
 * Commands of other programs in the documents: what they name has to exist. Those that need a cluster are also run, by
 * test/controlplane/suite/documents.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot, readProjectFile } from '../project-files.js';
import { kubectlMistakes } from './kubectl-command.js';
import { argumentsOfBerth, callRows, documentedCalls, type CallRow } from './program-calls.js';
import { LEFT_OUT, whereItRuns } from './where-calls-run.js';

const { calls, complaints } = await documentedCalls();

function ofProgram(name: string): readonly CallRow[] {
  return callRows(calls, ([program, ...rest]) => (program === name ? rest : undefined));
}

function exists(path: string): boolean {
  return existsSync(join(projectRoot, path));
}

/** What follows each of these flags. */
function valuesOf(words: readonly string[], ...flags: readonly string[]): readonly string[] {
  return words.filter((_, index) => flags.includes(words[index - 1] ?? ''));
}

test('bash reads every text', () => {
  expect(complaints).toBe('');
  expect(calls.length).toBeGreaterThan(150);
});

test('only programs are called that are looked at below, or that handle texts', () => {
  const known = /^(berth|kubectl|helm|make|aws|curl|sed|jq|xargs)$/;
  const others = calls.filter(
    ({ words }) => argumentsOfBerth(words) === undefined && !known.test(words[0] ?? ''),
  );
  expect(others).toEqual([]);
});

test('every reason not to run a call is that of a documented one', () => {
  const places = new Set(calls.map(whereItRuns));
  expect(LEFT_OUT.filter((row) => !places.has(row))).toEqual([]);
});

describe('of make', () => {
  const makefile = readProjectFile('Makefile');

  test.each(ofProgram('make'))(
    '%s (%s) is a target, with variables that it reads',
    (_title, _place, { words }) => {
      const [target = '', ...variables] = words;
      const [recipe] = new RegExp(String.raw`^${target}:.*\n(\t.*\n)*`, 'm').exec(makefile) ?? [];
      expect(recipe).toBeDefined();
      for (const variable of variables)
        expect(recipe).toMatch(new RegExp(`\\b${variable.split('=')[0] ?? ''}\\b`));
    },
  );
});

describe('of kubectl', () => {
  const rows = ofProgram('kubectl').filter(([, , { words }]) => words[0] !== 'berth');

  test.each(rows)('%s (%s) has a verb, kinds and flags that there are', (_title, _place, { words }) => {
    expect(kubectlMistakes(words)).toEqual([]);
  });

  test.each(rows)('%s (%s) reads files that there are', (_title, _place, { words }) => {
    // The output of the command before it, the reader's own folder, and standard input.
    const given = ['policies.yaml', 'FOLDER', '-'];
    const paths = valuesOf(words, '-f', '-k').filter((path) => !given.includes(path));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });
});

describe('of helm', () => {
  const known = JSON.parse(readProjectFile('charts/berth/files/known-values.json')) as unknown;

  /** Whether the chart knows this key, or one above it whose keys are the user's. */
  function isKnown(key: string): boolean {
    let here = known;
    for (const part of key.split(/(?<!\\)\./)) {
      if (typeof here !== 'object' || here === null) return true;
      here = (here as Readonly<Record<string, unknown>>)[part];
      if (here === undefined) return false;
    }
    return true;
  }

  const folders = ['charts/berth', undefined];

  test.each(ofProgram('helm'))(
    '%s (%s) names the chart and values that it has',
    (_title, _place, { words }) => {
      const [verb = '', release = 'berth', chart] = words;
      expect(['install', 'upgrade', 'uninstall', 'test', 'template']).toContain(verb);
      expect(release).toBe('berth');
      expect(folders).toContain(['install', 'upgrade'].includes(verb) ? chart : undefined);
      expect(valuesOf(words, '-f', '--values').filter((path) => !exists(path))).toEqual([]);
      const keys = valuesOf(words, '--set').map((value) => value.split('=')[0] ?? '');
      expect(keys.filter((key) => !isKnown(key))).toEqual([]);
    },
  );
});

describe('of aws', () => {
  /** Operations that take no file of ours, with their flags: they are AWS' own. */
  const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
    'iam create-service-linked-role': ['--aws-service-name'],
    'autoscaling detach-instances': [
      '--auto-scaling-group-name',
      '--instance-ids',
      '--should-decrement-desired-capacity',
    ],
    'cloudformation deploy': ['--stack-name', '--template-file', '--capabilities', '--parameter-overrides'],
  };

  test.each(ofProgram('aws'))('%s (%s) is an operation with its flags', (_title, _place, { words }) => {
    const [service = '', operation = '', ...rest] = words;
    const flags = OPERATIONS[`${service} ${operation}`] ?? [];
    expect(flags).not.toEqual([]);
    expect(rest.filter((word) => word.startsWith('--') && !flags.includes(word))).toEqual([]);
  });

  test('deploy the template with parameters that it has, and all that it needs', () => {
    const [, , deployment] = ofProgram('aws').find(([title]) => title.includes(' deploy ')) ?? [];
    const [template = ''] = valuesOf(deployment?.words ?? [], '--template-file');
    const { Parameters } = parse(readProjectFile(template), { logLevel: 'silent' }) as {
      readonly Parameters: Readonly<Record<string, { readonly Default?: unknown }>>;
    };
    const given = (deployment?.words ?? []).flatMap((word) => /^(\w+)=/.exec(word)?.[1] ?? []);
    const needed = Object.entries(Parameters).filter(([, { Default }]) => Default === undefined);
    expect(given.filter((name) => !(name in Parameters))).toEqual([]);
    expect(needed.map(([name]) => name).filter((name) => !given.includes(name))).toEqual([]);
  });
});

describe('of other programs', () => {
  test.each(ofProgram('curl'))(
    '%s (%s) asks for a page that the process serves',
    (_title, _place, { words }) => {
      const [, path = ''] = /^localhost:8082(\/[^?]*)/.exec(words.at(-1) ?? '') ?? [];
      const method = words.includes('PUT') ? 'put' : 'get';
      expect(readProjectFile('src/servers/admin/admin-router.ts')).toContain(`router.${method}('${path}'`);
    },
  );

  test.each(ofProgram('sed'))('%s (%s) leaves no placeholder in the policy', (_title, _place, { words }) => {
    const text = execFileSync('sed', [...words], { cwd: projectRoot, encoding: 'utf8' });
    const { Statement } = JSON.parse(text) as { readonly Statement: readonly object[] };
    expect(Statement.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/\b[A-Z]+_?[A-Z]{4,}\b/);
  });
});

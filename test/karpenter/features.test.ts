/** docs/reference/features.md says of each feature which tests show it, and all of them exist. */
import ts from 'typescript';
import { featuresPage, here } from '../../scripts/features.js';
import { readProjectFile } from '../architecture/project-files.js';

type Sections = Parameters<typeof featuresPage>[0];

const SECTIONS = JSON.parse(readProjectFile('test/karpenter/features.json')) as Sections;
const ROWS = SECTIONS.flatMap(({ rows }) => rows);

/** Full names of the tests in a file, as jest's -t takes them; those of scenarios are the names of their cases. */
function testNames(path: string, source = readProjectFile(path)): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const title = ts.isCallExpression(node) ? titleOf(node) : undefined;
    const own = title === undefined ? around : [...around, title.text];
    if (title !== undefined && title.kind !== 'describe') names.add(own.join(' '));
    if (ts.isObjectLiteralExpression(node)) for (const name of scenarioName(node)) names.add(name);
    ts.forEachChild(node, (child) => {
      visit(child, own);
    });
  };
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true), []);
  return names;
}

function titleOf({ expression, arguments: [title, body] }: ts.CallExpression) {
  const kind = /^(describe|test|it)\b/.exec(expression.getText())?.[1];
  if (kind === undefined || title === undefined || body === undefined) return undefined;
  if (ts.isStringLiteralLike(title)) return { kind, text: title.text };
  return ts.isTemplateExpression(title) ? { kind, text: title.getText() } : undefined;
}

/** The name of an object with a `run`: a scenario. */
function scenarioName({ properties }: ts.ObjectLiteralExpression): readonly string[] {
  const has = (name: string) => properties.find((property) => property.name?.getText() === name);
  const name = has('run') && has('name');
  if (name === undefined || !ts.isPropertyAssignment(name)) return [];
  return ts.isStringLiteralLike(name.initializer) ? [name.initializer.text] : [];
}

test('every test that the table of features names exists', () => {
  const known = new Map<string, ReadonlySet<string>>();
  const missing = ROWS.flatMap(({ id, tests = {} }) =>
    Object.entries(tests).flatMap(([path, names]) => {
      const there = known.get(path) ?? testNames(path);
      known.set(path, there);
      return names.filter((name) => !there.has(name)).map((name) => `${id}: ${path} has no test "${name}"`);
    }),
  );
  expect(missing).toEqual([]);
  expect(known.size).toBeGreaterThan(30);
});

test('tests are found by the words of the blocks around them, and scenarios by their names', () => {
  const source = `
    describe('a node', () => {
      test.each([1, 2])('goes after %i minutes', () => undefined);
      describe.each([1])('that is empty', () => {
        it('goes at once', () => undefined);
      });
    });
    test('stays', () => undefined);
    const CASES = [{ name: 'a scenario', run: () => undefined }, { name: 'no scenario' }];
  `;
  expect([...testNames('planted.ts', source)]).toEqual([
    'a node goes after %i minutes',
    'a node that is empty goes at once',
    'stays',
    'a scenario',
  ]);
});

test('the page is the one that make generate writes', () => {
  expect(readProjectFile('docs/reference/features.md')).toBe(featuresPage(SECTIONS));
});

test('each row has its own id, and says what it lacks unless it works', () => {
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
  expect(ROWS.filter((row) => here(row) === 'absent' && row.missing === undefined)).toEqual([]);
  expect(ROWS.filter((row) => row.karpenter === 'different' && row.difference === undefined)).toEqual([]);
});

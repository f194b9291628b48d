/** Laws of laying settings over a TOML text. */
import fc from 'fast-check';
import {
  mergeToml,
  readToml,
  type TomlTable,
} from '../../../../src/clouds/aws/families/user-data/merge-toml.js';

const OURS: readonly TomlTable[] = [
  { path: ['settings', 'a'], values: new Map([['key', '"ours"']]) },
  { path: ['settings', 'a', 'b'], values: new Map([['x.y/z', '1']]) },
  { path: ['settings', 'c'], values: new Map([['only', '1']]), isWhole: true },
];

const value = fc.constantFrom(
  '1',
  '"text # no comment"',
  "'[literal'",
  '[1, # [\n 2]',
  '"""\n[settings.a]\n"""',
  '{ a = [1] } # comment ]',
  "'''\n# x\n'''",
);
const key = fc.constantFrom('key', 'other', '"x.y/z"', "'single'", 'dotted.key');
const table = fc.constantFrom(
  'settings.a',
  'settings.a.b',
  'settings . c',
  'settings.c.d',
  'other',
  '"quo.ted"',
);

/** Tables, none twice, with keys that occur once in each. */
const documents = fc
  .uniqueArray(
    fc.tuple(table, fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name })),
    { maxLength: 5, selector: ([name]) => name },
  )
  .map((tables) =>
    tables
      .map(([name, values]) =>
        ['# before', `[${name}]`, ...values.map(([left, right]) => `${left} = ${right}`)].join('\n'),
      )
      .join('\n'),
  );

function merged(text: string): string {
  const result = mergeToml(text, OURS);
  return 'text' in result ? result.text : `problem ${result.problem}`;
}

function valuesOf(text: string): readonly string[] {
  const read = readToml(text);
  if ('problem' in read) throw new Error(read.problem);
  let current = '';
  return read.statements.flatMap((statement) => {
    if (statement.kind === 'header') current = statement.path.join(' ');
    return statement.kind === 'value' ? [`${current}: ${statement.text}`] : [];
  });
}

test('laid over twice is laid over once', () => {
  fc.assert(
    fc.property(documents, (text) => {
      const once = merged(text);
      expect(merged(once)).toBe(once);
    }),
  );
});

test('what ours does not name, or replace as a whole, stays word for word, and ours is there once', () => {
  const own = ['settings a: key = "ours"', 'settings a b: "x.y/z" = 1', 'settings c: only = 1'];
  const isReplaced = (line: string): boolean =>
    /^settings a: key =|^settings a b: "x\.y\/z" =|^settings c( d)?:/.test(line);
  fc.assert(
    fc.property(documents, (text) => {
      const after = valuesOf(merged(text));
      expect(after.filter((line) => own.includes(line)).sort()).toEqual([...own].sort());
      const kept = valuesOf(text).filter((line) => !isReplaced(line));
      expect(after.filter((line) => !own.includes(line))).toEqual(kept);
    }),
  );
});

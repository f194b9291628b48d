import fc from 'fast-check';
import type { Document } from '../../../src/apis/documents/document.js';
import { readDocuments } from '../../../src/apis/documents/read-documents.js';

const read = (text: string) => readDocuments({ source: 'pods.yaml', text });
const titles = (text: string) => read(text).documents.map((document) => document.title);
const faults = (text: string) =>
  read(text).issues.map(
    (issue) => `${issue.code} ${issue.document} ${String(issue.line)}:${String(issue.column)}`,
  );

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: good}\n';

function pod(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
}

function only(text: string): Document {
  const [document] = read(text).documents;
  if (document === undefined) throw new Error('nothing was read');
  return document;
}

describe('readDocuments', () => {
  test('reads each document of a stream and skips empty ones', () => {
    const text = `# nothing\n---\n${POD}---\n---\n# still nothing\n...\n%YAML 1.2\n---\nkind: Service\napiVersion: v1\nmetadata:\n  name: web\n`;
    expect(titles(text)).toEqual(['Pod/good', 'Service/web']);
    expect(read(text).issues).toEqual([]);
  });

  test('reads a document that begins behind its marker, and Windows line ends', () => {
    expect(
      titles(
        '--- {apiVersion: v1, kind: Pod, metadata: {name: a}}\r\n---\r\nkind: Pod\r\napiVersion: v1\r\n',
      ),
    ).toEqual(['Pod/a', 'document 2']);
  });

  test('ignores a byte order mark', () => {
    expect(titles(`\uFEFF${POD}`)).toEqual(['Pod/good']);
    expect(titles(`\uFEFF${JSON.stringify(pod('a'))}`)).toEqual(['Pod/a']);
  });

  test('takes a List apart, and a PodList whose items leave out what the list says', () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [pod('a'), pod('b')] });
    const podList = JSON.stringify({
      apiVersion: 'v1',
      kind: 'PodList',
      items: [{ metadata: { name: 'c' } }],
    });
    expect(titles(list)).toEqual(['Pod/a', 'Pod/b']);
    expect(only(podList)).toMatchObject({ apiVersion: 'v1', kind: 'Pod', name: 'c', title: 'Pod/c' });
    expect(titles('apiVersion: v1\nkind: List\nitems:\n')).toEqual([]);
  });

  test('keeps yes and on as text, as YAML 1.2 has them', () => {
    expect(only(`${POD}a: yes\nb: on\nc: true\n`).value).toMatchObject({ a: 'yes', b: 'on', c: true });
  });

  test('knows anchors and merge keys', () => {
    expect(only(`${POD}x: &x {a: 1}\ny: {<<: *x, b: 2}\n`).value).toMatchObject({ y: { a: 1, b: 2 } });
  });

  test.each([
    ['an unclosed list', 'a: [1,\n---\n', 'not-yaml document 1 2:1'],
    ['an unclosed quote', 'a: "x\n---\n', 'not-yaml document 1 2:1'],
    ['tabs', '\ta: 1\n---\n', 'not-yaml document 1 1:1'],
    ['a repeated key', 'a: 1\nb: 2\na: 3\n---\n', 'duplicate-key document 1 3:1'],
    [
      'a repeated key in JSON',
      '{"apiVersion":"v1","kind":"Pod","kind":"Pod"}\n---\n',
      'duplicate-key document 1 1:33',
    ],
    ['an alias without an anchor', 'a: *b\n---\n', 'not-yaml document 1 1:1'],
    ['an unknown tag', 'a: !secret b\n---\n', 'not-yaml document 1 1:4'],
    ['an unrendered template', 'a: {{ .Values.a }}\n---\n', 'not-yaml document 1 1:5'],
    ['a list', '- 1\n---\n', 'not-an-object document 1 1:1'],
    ['a text', 'hello\n---\n', 'not-an-object document 1 1:1'],
    ['no apiVersion', 'kind: Pod\nmetadata:\n  name: a\n---\n', 'missing-field Pod/a 1:1'],
    ['an apiVersion that is a number', 'kind: Pod\napiVersion: 1\n---\n', 'missing-field document 1 2:1'],
    [
      '__proto__',
      `${POD.replace('good', 'bad')}spec:\n  __proto__: {a: 1}\n---\n`,
      'forbidden-key Pod/bad 5:3',
    ],
    ['constructor', `${POD.replace('good', 'bad')}constructor: 1\n---\n`, 'forbidden-key Pod/bad 4:1'],
    ['a cycle', `${POD.replace('good', 'bad')}spec: &a\n  b: [*a]\n---\n`, 'cyclic-alias Pod/bad 5:7'],
  ])('refuses %s at its place without hiding the next document', (_, bad, fault) => {
    expect(faults(bad + POD)).toEqual([fault]);
    expect(titles(bad + POD)).toEqual(['Pod/good']);
  });

  test('one bad object of a List does not hide the others', () => {
    const items = [pod('a'), { ...pod('b'), constructor: 1 }, 3, pod('d')];
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    expect(titles(text)).toEqual(['Pod/a', 'Pod/d']);
    expect(read(text).issues.map((issue) => [issue.code, issue.document, issue.path])).toEqual([
      ['forbidden-key', 'Pod/b', ['constructor']],
      ['not-an-object', 'document 1 item 3', []],
    ]);
  });

  test('says both when apiVersion and kind are missing', () => {
    expect(faults('metadata: {name: a}')).toEqual([
      'missing-field document 1 1:1',
      'missing-field document 1 1:1',
    ]);
  });

  test('stops an alias bomb', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(',')}]\n`;
    const bomb = 'abcdefghij'
      .split('')
      .reduce(
        (text, name, index, all) => text + level(name, index === 0 ? 'x' : `*${all[index - 1] ?? ''}`),
        '',
      );
    expect(faults(bomb)).toEqual(['excessive-alias document 1 1:1']);
  });

  test('stops a List that repeats one object through aliases', () => {
    const text = `apiVersion: v1\nkind: List\nx: &a {apiVersion: v1, kind: Pod, s: ${'y'.repeat(50_000)}}\nitems: [${Array(900).fill('*a').join(',')}]`;
    expect(read(text).issues.map((issue) => issue.code)).toEqual(['excessive-alias']);
  });

  test('refuses an object larger than etcd takes, but not a large List of small ones', () => {
    const large = { ...pod('large'), data: 'x'.repeat(2_000_000) };
    const many = Array.from({ length: 5000 }, (_, index) => ({
      ...pod(`p${String(index)}`),
      data: 'x'.repeat(400),
    }));
    expect(faults(JSON.stringify(large))).toEqual(['too-large Pod/large 1:1']);
    expect(faults(`${POD}a: ${'x'.repeat(2_000_000)}`)).toEqual(['too-large Pod/good 1:1']);
    expect(read(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: many }))).toMatchObject({
      issues: [],
      documents: { length: 5000 },
    });
  });

  test('counts bytes, not characters', () => {
    const text = JSON.stringify({ ...pod('wide'), data: '€'.repeat(600_000) });
    expect(faults(text)).toEqual(['too-large Pod/wide 1:1']);
  });

  test('reads a mapping of many keys in time that grows with their number', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `  key${String(index)}: 1\n`);
    expect(read(`${POD}data:\n${keys.join('')}`).documents).toHaveLength(1);
    expect(faults(`${POD}data:\n${keys.join('')}  key7: 2\n`)).toEqual(['duplicate-key document 1 20005:3']);
  });

  test.each([
    ['YAML lists', '['.repeat(2_000_000)],
    ['YAML mappings', '{a: '.repeat(20_000)],
    ['YAML block lists', '- '.repeat(2_000_000)],
    ['JSON', `{"apiVersion":"v1","kind":"Pod","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('refuses %s nested without end', (_, text) => {
    expect(read(text)).toMatchObject({ documents: [], issues: [{ code: 'too-deep' }] });
  });

  test('locates values and keys in YAML and in JSON', () => {
    const yaml = only(
      `apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: c\n      image: i\n`,
    );
    expect(yaml.locate(['spec', 'containers', 0, 'image'])).toEqual({ line: 8, column: 14 });
    expect(yaml.locate(['spec', 'containers', 0, 'image'], 'key')).toEqual({ line: 8, column: 7 });
    expect(yaml.locate(['spec', 'containers', 0, 'nowhere', 'deeper'])).toEqual({ line: 7, column: 7 });
    const json = only(`{\n "apiVersion": "v1",\n "kind": "Pod", "a\\"b": {"c": [1, {"d": 2}]}\n}`);
    expect(json.locate(['a"b', 'c', 1, 'd'])).toEqual({ line: 3, column: 41 });
    expect(json.locate(['a"b', 'c', 1, 'd'], 'key')).toEqual({ line: 3, column: 36 });
    expect(json.locate(['a"b', 'x'])).toEqual({ line: 3, column: 25 });
  });

  test('locates in the whole text: past markers, and inside the items of a List', () => {
    const [, second] = read(`${POD}---\napiVersion: v1\nkind: Pod\nspec: {a: 1}\n`).documents;
    expect(second?.locate(['spec', 'a'])).toEqual({ line: 7, column: 11 });
    const text = `{"apiVersion":"v1","kind":"List","items":[\n${JSON.stringify(pod('a'))},\n${JSON.stringify(pod('b'))}]}`;
    expect(read(text).documents.map((document) => document.locate(['metadata', 'name'])?.line)).toEqual([
      2, 3,
    ]);
  });

  test('locates through aliases', () => {
    const document = only(`${POD}x: &x {a: 1}\ny: *x\n`);
    expect(document.locate(['y', 'a'])).toEqual({ line: 4, column: 11 });
  });

  test('never throws, and names each issue a place within the text', () => {
    const piece = fc.constantFrom(
      'a: 1',
      '- b',
      '---',
      '...',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ': ',
      '&a',
      '*a',
      '|',
      '\n',
      '  ',
      '\t',
      '#',
      '%',
      'kind: Pod',
      'apiVersion: v1',
      'items: []',
      '__proto__: 1',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const lines = text.split('\n').length;
        const outside = read(text).issues.filter(({ line = 1 }) => line < 1 || line > lines);
        expect(outside).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('reads back every JSON object that is not refused, however it is laid out', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (fields) => {
        const object = { ...fields, apiVersion: 'v1', kind: 'Pod' };
        const compact = read(JSON.stringify(object));
        const spaced = read(JSON.stringify(object, null, 2));
        expect(spaced.issues.map((issue) => issue.code)).toEqual(compact.issues.map((issue) => issue.code));
        const expected: unknown[] = compact.issues.length === 0 ? [JSON.parse(JSON.stringify(object))] : [];
        expect(compact.documents.map((document) => document.value)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});

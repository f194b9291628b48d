/** Plain English: words that a Kubernetes engineer would stop at do not come back, in prose, comments, strings or names. */
import { projectFiles, readProjectFile } from './project-files.js';

interface WordList {
  readonly words: readonly { readonly word: string; readonly pattern: string; readonly better: string }[];
  /** Terms of the field that hold a listed word. */
  readonly allowed: readonly string[];
}

const LIST_FILE = 'test/architecture/plain-words.json';
const { words, allowed } = JSON.parse(readProjectFile(LIST_FILE)) as WordList;
/** In comments, a phrase may go on in the next line, behind its star. */
const SPACE = String.raw`\s+(?:(?:\*|//|#)\s+)?`;
const ALLOWED = new RegExp(String.raw`\b(?:${allowed.map(spaced).join('|')})\b`, 'g');
const ODD = words.map(({ word, pattern, better }) => ({
  expected: new RegExp(String.raw`\b(?:${spaced(pattern)})\b`, 'g'),
  advice: `"${word}": write ${better}`,
}));

const files = projectFiles().filter(
  (path) =>
    /^(src|world|web|docs|manifests|charts)\/|^README\.md$/.test(path) &&
    /\.(ts|js|css|html|md|ya?ml|json)$/.test(path),
);

function spaced(phrase: string): string {
  return phrase.replaceAll(' ', SPACE);
}

/** What is odd in a text, as `"word": write better`; names are read as the words that they are made of. */
function oddWords(text: string): readonly string[] {
  const prose = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/(?<=[a-z])[-_](?=[a-z])/g, ' ')
    .toLowerCase()
    .replace(ALLOWED, ' ');
  return ODD.flatMap(({ expected, advice }) => [...prose.matchAll(expected)].map(() => advice));
}

function findingsIn(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => oddWords(readProjectFile(path)).map((advice) => `${path}: ${advice}`));
}

describe('src, world, web, docs, manifests, charts and README', () => {
  test('have no word that is on the list', () => {
    expect(findingsIn(files)).toEqual([]);
    expect(files.length).toBeGreaterThan(500);
  });
});

describe('the list', () => {
  const planted = (...parts: readonly string[]) => parts.join('');

  test.each([
    ['a word in a comment', planted('/** Some', 'body asked. */')],
    ['a part of a name', planted('const is', 'Nobody', 'There = true;')],
    ['a phrase over two lines', planted('/**\n * It is not to be\n * had', ' there.\n */')],
    ['a word in a string', planted("log.info('the mach", "ine ended');")],
    ['a name in kebab-case', planted('mach', 'ine-view.ts')],
  ])('finds %s', (_what, text) => {
    expect(oddWords(text)).toHaveLength(1);
  });

  test.each([
    [
      'a term of the field',
      'A state machine reads machine-readable output; the machine image is of this machine.',
    ],
    ['a word that only holds a listed one', 'renewed, body, machinery, planewise'],
  ])('leaves %s alone', (_what, text) => {
    expect(oddWords(text)).toEqual([]);
  });

  test('has something better for every word', () => {
    expect(words.filter(({ better }) => better === '')).toEqual([]);
    expect(new Set(words.map(({ word }) => word)).size).toBe(words.length);
  });
});

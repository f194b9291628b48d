// What `make lint` asks of the code: types, sizes, and the layer rule that eslint.layers.js states.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import boundaries from 'eslint-plugin-boundaries';
import jest from 'eslint-plugin-jest';
import prettier from 'eslint-config-prettier';
import { layers, pureLayers, stages, worldLayers } from './eslint.layers.js';

const code = ['src', 'world', 'test', 'bench', 'scripts'].map((folder) => `${folder}/**/*.ts`);
const folderOf = (type) => (type in worldLayers ? type : `src/${type}`);
const files = (...names) => names.map((name) => `src/${name}/**/*.ts`);
const stageTypes = Object.keys(stages).map((stage) => `planning/${stage}`);
const withStages = (rooms) => (rooms.includes('planning') ? [...rooms, ...stageTypes] : rooms);
/** Which elements each element may import beside itself: the stages of planning, then the rooms (a file is of the first that it is in). */
const arrows = [
  ...Object.entries(stages).map(([stage, allowed]) => [
    `planning/${stage}`,
    ['planning', ...layers.planning, ...allowed.map((other) => `planning/${other}`)],
  ]),
  ...Object.entries({ ...layers, ...worldLayers })
    // The folders within a room before the room.
    .toSorted(([left], [right]) => right.length - left.length)
    .map(([room, allowed]) => [room, withStages(allowed)]),
];
const only = (regex, message) => ['error', { patterns: [{ regex, message }] }];

const sdks = '^(@aws-sdk|@smithy|@kubernetes)/';
const namedExports = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name, so that a thing has one name everywhere.',
};
const clockAndChance = [
  { object: 'Date', property: 'now', message: 'Pass the time in.' },
  { object: 'Math', property: 'random', message: 'Pass a seeded source in.' },
];
const wallClock = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Pass the time in.' },
  { selector: "CallExpression[callee.name='Date']", message: 'Pass the time in.' },
];
const waiting = [
  ':function[async=true]',
  'AwaitExpression',
  'ForOfStatement[await=true]',
  'ImportExpression',
].map((selector) => ({ selector, message: 'Pure rooms decide; they do not wait.' }));
const surroundings = {
  selector:
    'CallExpression > MemberExpression.callee[property.name=/^(localeCompare|toLocale\\w+|getTimezoneOffset|[gs]et(FullYear|Month|Date|Day|Hours|Minutes))$/]',
  message: "The answer would depend on the machine's language or time zone.",
};
const ambient = ['process', 'Buffer', 'globalThis', 'global', 'performance', 'crypto', 'fetch', 'Promise'];
const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const moduleMocks = ['mock', 'doMock', 'setMock', 'unstable_mockModule', 'createMockFromModule'];

/** The rules of one pure room: its own packages and nothing that looks outside. */
function pure(room, packages) {
  const allowed = ['\\.', ...packages.map((name) => `${name}$`)].join('|');
  const names = packages.length === 0 ? 'no package' : packages.join(' and ');
  return {
    files: files(room),
    rules: {
      'no-restricted-imports': only(`^(?!${allowed})`, `src/${room} is pure: it may use ${names}.`),
      'no-restricted-globals': ['error', ...ambient, ...timers],
      'no-restricted-properties': ['error', ...clockAndChance],
      'no-restricted-syntax': ['error', namedExports, ...wallClock, ...waiting, surroundings],
    },
  };
}

export default defineConfig(
  { ignores: ['dist/', 'coverage/', 'reports/', '**/*.generated.ts'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: ['**/*.js'], extends: [tseslint.configs.recommended] },
  {
    files: code,
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'func-style': ['error', 'declaration', { allowArrowFunctions: true }],
      complexity: ['error', 12],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', namedExports],
      '@typescript-eslint/consistent-type-imports': 'error',
      // What is named beside a rest is left out of it.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'world/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'import/resolver': { typescript: { project: 'tsconfig.json' } },
      'boundaries/elements': arrows.map(([type]) => ({ type, pattern: folderOf(type) })),
      'boundaries/include': ['src/**/*.ts', 'world/**/*.ts'],
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies: arrows.map(([from, allow]) => ({
            from: { element: { type: from } },
            allow: { to: { element: { type: [from, ...allow] } } },
          })),
        },
      ],
      'boundaries/no-unknown-dependencies': 'error',
      'boundaries/no-unknown-files': 'error',
    },
  },
  {
    files: code,
    ignores: [
      ...files('adapters', 'clouds'),
      'test/{adapters,clouds,contract,e2e,world/aws,simulated,soak,aws}/**',
    ],
    rules: { 'no-restricted-imports': only(sdks, 'Only adapters speak to the outside.') },
  },
  {
    files: [
      ...files('ports', 'state', 'catalogue', 'clouds/aws/catalogue', 'controllers', 'servers'),
      'world/**/*.ts',
    ],
    rules: {
      'no-restricted-properties': ['error', ...clockAndChance],
      'no-restricted-syntax': ['error', namedExports, ...wallClock],
    },
  },
  ...Object.entries(pureLayers).map(([room, packages]) => pure(room, packages)),
  {
    // Object literals stand where the Kubernetes client's classes are named.
    files: ['src/adapters/kube/**/*.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-class-instance-assignment': 'off' },
  },
  { files: ['test/**/*.ts'], ...jest.configs['flat/recommended'] },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': 'off',
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect*'] }],
      'jest/no-disabled-tests': 'error',
      'no-restricted-properties': [
        'error',
        ...moduleMocks.map((property) => ({
          object: 'jest',
          property,
          message: 'Inject a fake through a port.',
        })),
      ],
    },
  },
  // A fact's `run` is called by the test of its suite.
  { files: ['test/karpenter/behaviour/**/*.ts'], rules: { 'jest/no-standalone-expect': 'off' } },
  prettier,
);

/** Input that cannot be used: a clear message, exit code 2, and nothing on stdout. */
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth } from '../support/run-berth.js';

const web = deploymentText('web', 1);
const cron = (schedule: string): string => {
  const budget = `disruption: {consolidateAfter: 1m, budgets: [{nodes: "1", schedule: "${schedule}", duration: 1h}]}`;
  return poolText().replace('disruption: {consolidateAfter: 1m}', budget);
};
const nested = (levels: number): string =>
  Array.from({ length: levels }, (_, level) => {
    const above = Array.from({ length: 9 }, () => `*a${String(level - 1)}`).join(', ');
    return `a${String(level)}: &a${String(level)} [${level === 0 ? 'x' : above}]`;
  }).join('\n');

/** What is wrong, the text, and what the message must say: where, which field, what was meant. */
const CASES: readonly (readonly [string, string, RegExp])[] = [
  ['not YAML', 'kind: [unclosed', /^bad\.yaml:1:\d+ document 1: error: .*not YAML/],
  ['a template', 'kind: {{ .Values.kind }}', /bad\.yaml:1:\d+ .*template/],
  ['a scalar', 'just text', /bad\.yaml:1:1 document 1: error: expected an object/],
  ['no kind', 'apiVersion: v1', /document 1: error: kind is missing/],
  [
    'an unknown field',
    poolText({ spec: ['wieght: 10'] }),
    /bad\.yaml:5:3 NodePool\/general: error: spec\.wieght .*did you mean (spec\.)?weight\?/,
  ],
  [
    'a wrong operator',
    poolText({ requirements: ['{key: kubernetes.io/arch, operator: in, values: [arm64]}'] }),
    /bad\.yaml:\d+:\d+ NodePool\/general: error: spec\.template\.spec\.requirements\[0\]\.operator .*In, NotIn, .*did you mean In\?/,
  ],
  ['a cron schedule of six fields', cron('0 0 * * * *'), /budgets\[0\]\.schedule .*6 fields/],
  ['a cyclic alias', 'apiVersion: v1\nkind: Pod\nmetadata: &a {name: x, labels: *a}', /error: .*alias/],
  ['an alias bomb', `apiVersion: v1\nkind: Pod\n${nested(12)}`, /error: .*alias/],
  [
    'a document of 2 MB',
    `apiVersion: v1\nkind: Pod\nmetadata: {name: x, annotations: {a: ${'x'.repeat(2_000_000)}}}`,
    /Pod\/x: error: larger than 1\.5 MiB/,
  ],
  ['a negative quantity', web.replace('900m', '-1'), /Deployment\/web: error: .*requests.*cpu.*negative/],
  [
    'a negative limit',
    poolText({ spec: ['limits: {cpu: -5}'] }),
    /NodePool\/general: error: spec\.limits.*-5/,
  ],
  [
    'a __proto__ key',
    'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n__proto__: {a: 1}',
    /error: key "__proto__"/,
  ],
  [
    'a constructor key deep within',
    poolText({ spec: ['limits: {constructor: {prototype: 1}}'] }),
    /error: key "constructor"/,
  ],
  [
    'a kind of Karpenter that is none',
    'apiVersion: karpenter.sh/v1\nkind: NodePol\nmetadata: {name: x}',
    /did you mean NodePool\?/,
  ],
  ['an unknown version', poolText().replace('sh/v1', 'sh/v2'), /karpenter\.sh\/v1/],
  ['the same pool twice', stream(poolText(), poolText()), /repeats NodePool\/general, .*bad\.yaml:3/],
];

describe('berth plan', () => {
  test.each(CASES)('refuses %s', async (_what, text, message) => {
    const files = { 'bad.yaml': text, 'good.yaml': stream(NODE_CLASS_TEXT, web) };
    const { code, stdout, stderr } = await runBerth(['plan', '-f', 'bad.yaml', '-f', 'good.yaml'], { files });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.length).toBeLessThan(5000);
    expect(Object.prototype).not.toHaveProperty('a');
  });

  test('reports everything that is wrong in all files at once', async () => {
    const files = { 'a.yaml': CASES[4]?.[1] ?? '', 'b.yaml': stream('kind: [\n', CASES[5]?.[1] ?? '') };
    const { code, stdout, stderr } = await runBerth(['plan', '-f', 'a.yaml', '-f', 'b.yaml'], { files });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n').map((line) => /^[ab]\.yaml:\d+/.exec(line)?.[0])).toEqual([
      'a.yaml:5',
      'b.yaml:2',
      expect.stringMatching(/^b\.yaml:1\d$/),
      undefined,
    ]);
  });

  test.each([
    [[], /no manifests: pass them with -f[^]*\nusage: berth plan/],
    [['-f', 'nowhere.yaml'], /nowhere\.yaml: no such file or directory/],
    [['-f', 'empty'], /empty: contains no manifests \(\*\.yaml, \*\.yml, \*\.json\)/],
    [['-f', 'good.yaml', '--outptu', 'json'], /unknown flag --outptu; did you mean --output\?/],
    [['-f', 'good.yaml', '-o', 'xml'], /-o xml: expected one of table, wide, json, yaml/],
    [['-f', 'good.yaml', '--preferences', 'maybe'], /--preferences maybe: expected one of respect, ignore/],
    [['-f', 'good.yaml', '--region', 'mars-1'], /--region mars-1: unknown region/],
    [['-f', 'good.yaml', '--catalog', 'good.yaml'], /good\.yaml: (error|not)/],
    [['-f'], /-f needs a value/],
  ])('refuses the flags %j', async (flags, message) => {
    const world = { files: { 'good.yaml': stream(NODE_CLASS_TEXT, web) }, directories: ['empty'] };
    const { code, stdout, stderr } = await runBerth(['plan', ...flags], world);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

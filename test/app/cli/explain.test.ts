/** `berth explain FIELD`. */
import { parse } from 'yaml';
import { wrap } from '../../../src/app/cli/render/text/wrap.js';
import { runBerth } from '../support/run-berth.js';
import fc from 'fast-check';

describe('berth explain', () => {
  test('tells type, default, bounds and meaning of a field, and what lies below it', async () => {
    const { code, stdout, stderr } = await runBerth(['explain', 'nodepool.spec.disruption.budgets']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^FIELD +NodePool\.spec\.disruption\.budgets {2}<\[\]Object>\n/);
    expect(stdout).toMatch(/\nVERSION +karpenter\.sh\/v1\n/);
    expect(stdout).toMatch(/\nDEFAULT +\[\{"nodes":"10%"\}\]\n/);
    expect(stdout).toMatch(/\nBOUNDS +at most 50 entries\n/);
    expect(stdout).toMatch(
      /\n\nFIELDS\n(.|\n)*\n {2}reasons {2}<\[\]string> .*allowed: Underutilized, Empty, Drifted/,
    );
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(130);
  });

  test('tells the same to programs', async () => {
    const argv = ['explain', 'np.spec.disruption.consolidationPolicy'];
    const { stdout } = await runBerth([...argv, '-o', 'json']);
    const document: unknown = JSON.parse(stdout);
    expect(document).toMatchObject({
      path: 'NodePool.spec.disruption.consolidationPolicy',
      type: 'string',
      required: false,
      default: 'WhenEmptyOrUnderutilized',
      allowed: ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'],
      children: [],
    });
    expect(document).not.toHaveProperty('found');
    expect(parse((await runBerth([...argv, '-o', 'yaml'])).stdout)).toEqual(document);
  });

  test.each([
    [
      ['nodepool.spec.disruptoin'],
      /NodePool\.spec has no field "disruptoin"; did you mean disruption\? \(known: .*weight/,
    ],
    [['nodepol'], /there is no kind "nodepol" to explain; did you mean nodepool\?/i],
    [['pod', '-n', 'shop'], /pod needs a name: berth explain pod NAME -n NAMESPACE\n$/],
    [['nodeclaim'], /nodeclaim needs a name: berth explain nodeclaim NAME\n$/],
    [['nodepool.kind.x'], /NodePool\.kind has no fields\n$/],
    [[], /expected a field, KIND\[\.FIELD…\], or an object, KIND NAME\nusage: berth explain KIND/],
    [['nodepool', 'general', 'x'], /"x" is not expected here\nusage: berth explain KIND/],
  ])('refuses %j and says what is possible', async (words, message) => {
    const { code, stdout, stderr } = await runBerth(['explain', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

describe('wrap', () => {
  test('breaks at blanks and keeps line breaks and long words', () => {
    expect(wrap('one two three\nfour incomprehensible', 8)).toEqual([
      'one two',
      'three',
      'four',
      'incomprehensible',
    ]);
    expect(wrap('', 8)).toEqual([]);
  });

  test('loses no word and makes no line too long that could be shorter', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 9, max: 40 }), (list, width) => {
        const lines = wrap(list.join(' '), width);
        expect(lines.join(' ').split(' ')).toEqual(list);
        expect(lines.every((line) => line.length <= width)).toBe(true);
      }),
    );
  });
});

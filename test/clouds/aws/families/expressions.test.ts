/** CEL expressions of the kubelet: what they may say, and that what they take is bounded. */
import { compileExpression, type Evaluated } from '../../../../src/clouds/aws/families/expressions.js';

const M5_LARGE = {
  instance_type: 'm5.large',
  vcpus: 2,
  memory_mib: 8192,
  default_enis: 3,
  ips_per_eni: 10,
  max_pods: 29,
};

function evaluated(text: string): Evaluated {
  const compiled = compileExpression(text);
  return 'evaluate' in compiled ? compiled.evaluate(M5_LARGE) : compiled;
}

describe('compileExpression', () => {
  test.each([
    ['((default_enis - 1) * (ips_per_eni - 1)) + 2', 20],
    ['min(110, max_pods)', 29],
    ['max(60, vcpus * 30)', 60],
    ['max(100, memory_mib / 64)', 128],
    ['11 * max_pods + 255', 574],
    ['1.5 * double(vcpus) + 0.9', 3],
    ['max(vcpus, 2.5)', 2],
    ['int(double(memory_mib) * 0.01)', 81],
    ['instance_type.startsWith("m5.") ? 7 : 8', 7],
    ['instance_type in ["c5.large", "m5.large"] && vcpus <= 2 ? 1 : 0', 1],
    ['-vcpus + 10 % 7', 1],
  ])('%s of an m5.large is %d', (text, value) => {
    expect(evaluated(text)).toEqual({ value });
  });

  test.each([
    ['min(110,', 'unexpected token: EOF'],
    ['undefined_var + 1', 'unknown variable: undefined_var'],
    ['1.5 * vcpus', 'no such overload: double * int'],
    ['vcpus > 2', 'must be an int or a double, not bool'],
    ['"110"', 'must be an int or a double, not string'],
    ['1u', 'must be an int or a double, not uint'],
    ['max(1, 2, 3)', 'exceeded maxCallArguments (2)'],
    ['100mm', 'unexpected character'],
  ])('%s does not compile: %s', (text, problem) => {
    const found = evaluated(text);
    expect('problem' in found && found.problem).toContain(problem);
  });

  test.each([
    ['vcpus / (vcpus - 2)', 'cannot be evaluated: division by zero'],
    ['0 - 1', 'is -1, and must not be negative'],
    ['1.0 / 0.0', 'is Infinity'],
    ['9223372036854775807 * vcpus', 'cannot be evaluated: integer overflow: 18446744073709551614'],
    ['9007199254740992', 'is 9007199254740992, which is too large'],
  ])('%s has no value: %s', (text, problem) => {
    expect('evaluate' in compileExpression(text)).toBe(true);
    expect(evaluated(text)).toEqual({ problem });
  });

  test.each([
    ['a comprehension', '[1, 2].map(x, x * 2)[0]'],
    ['a comprehension with a condition', '[1, 2].exists(x, x > vcpus) ? 1 : 2'],
    ['a regular expression', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".matches("(a+)+b") ? 1 : 2'],
    ['a map', '{"a": 1}["a"]'],
    ['a name for a part', 'cel.bind(x, 5, x)'],
    ['a field of what has none', 'max(1, vcpus.size)'],
    ['more nodes than it may have', '1+'.repeat(300) + '1'],
    ['more depth than it may have', '('.repeat(100) + '1' + ')'.repeat(100)],
    ['more elements than it may have', `vcpus in [${'1, '.repeat(200)}1] ? 1 : 2`],
    ['more characters than it may have', `1${' '.repeat(1000)}`],
  ])('%s is refused before anything is evaluated', (_what, text) => {
    expect(compileExpression(text)).toEqual({ problem: expect.stringMatching(/./) as string });
  });

  test('a refused function is named with those that there are', () => {
    expect(evaluated('instance_type.matches("m5") ? 1 : 2')).toEqual({
      problem:
        'must not call matches; functions are min, max, int, double, size, startsWith, endsWith, contains',
    });
  });

  test('the same text is compiled once', () => {
    expect(compileExpression('vcpus + 1')).toBe(compileExpression('vcpus + 1'));
  });
});

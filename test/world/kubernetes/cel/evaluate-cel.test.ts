/** Values of CEL expressions: those of Berth's own manifests, and the language's laws that they rely on. */
import { evaluateCel } from '../../../../world/kubernetes/cel/evaluate-cel.js';

describe('evaluateCel', () => {
  test.each<[string, unknown]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3 == 9', true],
    ['7 / 2', 3],
    ['-a.n', -2],
    ["'b' in ['a', 'b']", true],
    ["'n' in a", true],
    ["'x' in a", false],
    ['has(a.n) && !has(a.x)', true],
    ['a.n > 1 ? "more" : "less"', 'more'],
    ["'Node'.lowerAscii() + '.' + name", 'node.n1'],
    ['list.map(item, item.count).sum()', 6],
    ['list.exists(item, item.count == 3)', true],
    ['list.all(item, item.count < 3)', false],
    ['list.filter(item, item.count > 1).size() == 2', true],
    ['list.exists_one(item, item.count == 1)', true],
    ['size(name) == 2 && name.startsWith("n") && name.matches("^n[0-9]$")', true],
    ['{"a": 1}.a', 1],
    ['[1, 2][1]', 2],
    [String.raw`'it\'s'`, "it's"],
    ['true || a.missing', true],
    ['a.missing || true', true],
    ['false && a.missing', false],
  ])('%s is %j', (expression, expected) => {
    const variables = { a: { n: 2 }, name: 'n1', list: [{ count: 1 }, { count: 2 }, { count: 3 }] };
    expect(evaluateCel(expression, variables)).toEqual(expected);
  });

  test.each([
    ['a.missing', 'no such key: missing'],
    ['nobody', 'undeclared reference to nobody'],
    ['a +', 'unexpected ""'],
    ['1 = 2', 'syntax error'],
    ['launch(a)', "undeclared reference to 'launch'"],
    ['[1][5]', 'index out of bounds: 5'],
    ['true && 1', 'a bool is needed'],
  ])('%s has no value', (expression, complaint) => {
    expect(() => evaluateCel(expression, { a: {} })).toThrow(complaint);
  });
});

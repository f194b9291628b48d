import { formatIssue } from '../../../src/apis/decode/format-issue.js';
import { formatPath } from '../../../src/apis/decode/format-path.js';
import type { Issue } from '../../../src/apis/issue.js';

const issue: Issue = {
  severity: 'error',
  code: 'unknown-field',
  source: 'pool.yaml',
  document: 'NodePool/default',
  path: ['spec', 'wieght'],
  line: 3,
  column: 5,
  message: 'spec.wieght is not a known field',
};

describe('formatIssue', () => {
  test('says place, document, message, guess and what is allowed', () => {
    expect(formatIssue({ ...issue, guess: 'weight', allowed: ['limits', 'weight'] })).toBe(
      'pool.yaml:3:5 NodePool/default: error: spec.wieght is not a known field (did you mean weight?); allowed: limits, weight',
    );
  });

  test('cuts a long set short beside a guess, and only there', () => {
    const allowed = Array.from({ length: 20 }, (_, index) => `label-${String(index)}`);
    const long = { ...issue, allowed };
    expect(formatIssue({ ...long, guess: 'label-9' })).toMatch(
      /\(did you mean label-9\?\); allowed: label-0, label-1, .*, label-5 and 14 more$/,
    );
    expect(formatIssue(long)).toMatch(/; allowed: label-0, .*, label-19$/);
  });

  test('does not repeat what the message says already, and leaves out places that are not known', () => {
    const bare = {
      ...issue,
      line: undefined,
      column: undefined,
      message: 'must be a or b',
      allowed: ['a', 'b'],
    };
    expect(formatIssue(bare)).toBe('pool.yaml NodePool/default: error: must be a or b');
  });
});

describe('formatPath', () => {
  test.each([
    [[], ''],
    [['spec', 'requirements', 0, 'values', 2], 'spec.requirements[0].values[2]'],
    [['metadata', 'labels', 'a.b/c'], 'metadata.labels["a.b/c"]'],
    [['data', ''], 'data[""]'],
  ])('of %j is %s', (path, text) => {
    expect(formatPath(path)).toBe(text);
  });
});

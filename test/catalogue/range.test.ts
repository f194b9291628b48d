import { isWithin, parseRange } from '../../src/catalogue/range.js';

describe('parseRange', () => {
  test.each([
    ['4..16', 4, 16],
    ['4..', 4, Infinity],
    ['..16', 0, 16],
    ['8', 8, 8],
    ['0.5..1.5', 0.5, 1.5],
  ])('reads %s', (text, atLeast, atMost) => {
    expect(parseRange('--cpu', text)).toEqual({ atLeast, atMost });
  });

  test.each(['', '..', 'x', '4-16', '-1..2', '1..2..3', '4...5', '1e3'])('refuses %p', (text) => {
    expect(() => parseRange('--cpu', text)).toThrow(
      `--cpu ${JSON.stringify(text)}: expected a number or a range such as 4..16`,
    );
  });

  test('refuses a range whose ends are the wrong way round', () => {
    expect(() => parseRange('--memory', '16..4')).toThrow(
      '--memory "16..4": the first number is larger than the second',
    );
  });
});

describe('isWithin', () => {
  test('counts both ends in', () => {
    const range = parseRange('--cpu', '4..16');
    expect([3, 4, 16, 17].map((value) => isWithin(range, value))).toEqual([false, true, true, false]);
  });
});

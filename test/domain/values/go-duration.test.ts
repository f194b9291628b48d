import { goDurationMillis } from '../../../src/domain/values/go-duration.js';

describe('goDurationMillis reads what Go reads', () => {
  test.each<[string, number]>([
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['90000ms', 90_000],
    ['24h0m0.5s', 86_400_500],
    ['.5s', 500],
    ['1.s', 1000],
    ['1500us', 1.5],
    ['1500\u00b5s', 1.5],
    ['1500\u03bcs', 1.5],
    ['+2m', 120_000],
    ['-2m', -120_000],
    ['0', 0],
    ['-0', 0],
  ])('%s as %d milliseconds', (text, millis) => {
    expect(Math.abs((goDurationMillis(text) ?? Number.NaN) - millis)).toBeLessThan(1e-6);
  });

  test.each(['', '3', '1d', '1h30', 'h', '.h', '1.2.3s', '1 h', '1H', 'true', '--1s', '2562048h'])(
    'and refuses %j',
    (text) => {
      expect(goDurationMillis(text)).toBeUndefined();
    },
  );

  test('in work that grows with the length of the text alone', () => {
    expect(goDurationMillis('1'.repeat(200_000))).toBeUndefined();
    expect(goDurationMillis('1m'.repeat(100_000))).toBe(6_000_000_000);
  });
});

import fc from 'fast-check';
import { durationOrNever, durationSeconds, formatDuration } from '../../../src/apis/fields/duration.js';

describe('durations', () => {
  test.each([
    ['720h', 2_592_000],
    ['1h30m', 5400],
    ['0s', 0],
    ['30m15s', 1815],
    ['Never', undefined],
  ])('%s is %j seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  test('every number of seconds, and Never, can be written and read back', () => {
    const schema = durationOrNever('');
    fc.assert(
      fc.property(fc.option(fc.nat(), { nil: undefined }), (seconds) => {
        const text = formatDuration(seconds);
        expect(durationSeconds(schema.parse(text))).toBe(seconds);
      }),
    );
  });
});

import { parseVirtualTime } from '../../../src/app/service/virtual-time.js';

describe('the time of an embedded world', () => {
  test('is a speed and the moment at which both clocks agree', () => {
    expect(parseVirtualTime('12@1767225600000')).toEqual({ speed: 12, epochMillis: 1_767_225_600_000 });
  });

  test.each(['12', '12@', '@1767225600000', '0@1', '31@1', '-1@1', 'fast@1'])('%s is refused', (text) => {
    expect(() => parseVirtualTime(text)).toThrow('expected SPEED@EPOCH_MILLIS with a speed from 1 to 30');
  });
});

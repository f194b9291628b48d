/** Cron fields are read in the grammar of Kubernetes' cron, and nothing wider. */
import { cronPattern } from '../../../src/domain/values/schedule.js';

const read = (text: string): string => cronPattern(text.split(' '));

describe('cronPattern', () => {
  test.each([
    ['* * * * *', '* * * * *'],
    ['? ? ? ? ?', '* * * * *'],
    ['*/5 * * * *', '*/5 * * * *'],
    ['*/1 * * * *', '* * * * *'],
    ['*/90 * * * *', '0 * * * *'],
    ['5/15 * * * *', '5,20,35,50 * * * *'],
    ['10-20/5 * * * *', '10,15,20 * * * *'],
    ['0 9-11 * * *', '0 9,10,11 * * *'],
    ['05 07 01 * *', '5 7 1 * *'],
    ['0 0 * jan,MAR-May *', '0 0 * 1,3,4,5 *'],
    ['0 0 * * Mon-fri', '0 0 * * 1,2,3,4,5'],
    ['0 0 * * SUN', '0 0 * * 0'],
    ['0 0 * * 1,*', '0 0 * * *'],
    ['0 0 */31 * *', '0 0 1 * *'],
  ])('reads %j as %j', (text, pattern) => {
    expect(read(text)).toBe(pattern);
  });

  test.each([
    ['60 * * * *', 'minute "60" is out of range; allowed: 0-59, *, lists, ranges and /steps'],
    ['* 24 * * *', 'hour "24" is out of range; allowed: 0-23'],
    ['* * 0 * *', 'day-of-month "0" is out of range; allowed: 1-31'],
    ['* * 32 * *', 'day-of-month "32" is out of range'],
    ['* * * 13 *', 'month "13" is out of range; allowed: 1-12 or jan-dec'],
    ['* * * * 7', 'day-of-week "7" is out of range; allowed: 0-6 or sun-sat'],
    ['* * * * monday', 'day-of-week "monday" is out of range'],
    ['* * jan * *', 'day-of-month "jan" is out of range'],
    ['* 17-9 * * *', 'hour "17-9" starts after its end'],
    ['* * * * fri-mon', 'day-of-week "fri-mon" starts after its end'],
    ['*/0 * * * *', 'minute "*/0" has a step of 0'],
    ['/5 * * * *', 'minute "/5" is not a value, a range or a step'],
    ['1,,2 * * * *', 'minute "" is not a value, a range or a step'],
    ['-1 * * * *', 'minute "-1" is not a value, a range or a step'],
    ['1.5 * * * *', 'minute "1.5" is not a value, a range or a step'],
    ['* * L * *', 'day-of-month "L" is out of range'],
    ['* * 15W * *', 'day-of-month "15W" is out of range'],
    ['* * * * 5#2', 'day-of-week "5#2" is not a value, a range or a step'],
    ['* * * * +1', 'day-of-week "+1" is not a value, a range or a step'],
    ['* 12:30 * * *', 'hour "12:30" is not a value, a range or a step'],
    ['* * * *', 'has 4 fields; cron here has 5: minute hour day-of-month month day-of-week'],
    ['0 * * * * *', 'has 6 fields; cron here has 5'],
  ])('refuses %j, saying what is allowed', (text, message) => {
    expect(() => read(text)).toThrow(RangeError);
    expect(() => read(text)).toThrow(message);
  });

  test('ends a range with a huge step at its start', () => {
    expect(read(`0-59/${'9'.repeat(400)} * * * *`)).toBe('0 * * * *');
  });
});

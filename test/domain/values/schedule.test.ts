/** Schedules fire, and their windows are open, exactly when cron and the time zone say so. */
import fc from 'fast-check';
import { isWindowOpen, nextFire, parseSchedule, type Schedule } from '../../../src/domain/values/schedule.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PARIS = 'Europe/Paris';

function at(iso: string): number {
  return Date.parse(iso);
}

/** The next `count` firings after a moment, as ISO minutes in UTC. */
function firings(schedule: Schedule, after: string, count: number): string[] {
  const found: string[] = [];
  let last = at(after);
  for (let index = 0; index < count; index++) {
    const next = nextFire(schedule, last);
    if (next === undefined) break;
    found.push(new Date(next).toISOString().slice(0, 16));
    last = next;
  }
  return found;
}

describe('parseSchedule', () => {
  test('keeps what was written, trimmed, and defaults to UTC', () => {
    expect(parseSchedule(' 0 9 * * mon-fri ')).toEqual({ text: '0 9 * * mon-fri', timeZone: 'UTC' });
    expect(parseSchedule('0\t9  * * 1', PARIS)).toEqual({ text: '0\t9  * * 1', timeZone: PARIS });
  });

  test.each(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])(
    'accepts %s',
    (macro) => {
      expect(parseSchedule(macro).text).toBe(macro);
    },
  );

  test.each([
    [
      '0 0 9 * * *',
      'schedule "0 0 9 * * *": has 6 fields; cron here has 5: minute hour day-of-month month day-of-week',
    ],
    ['', 'schedule "": has 0 fields'],
    ['0 9 * *', 'has 4 fields'],
    ['@reboot', 'schedule "@reboot": unknown macro; allowed: @yearly, @annually, @monthly, @weekly, @daily'],
    ['@Daily', 'unknown macro'],
    ['@every 1h', 'unknown macro'],
    ['TZ=Europe/Paris 0 9 * * *', 'TZ=Europe/Paris is not allowed; the time zone is a field of its own'],
    ['CRON_TZ=UTC 0 9 * * *', 'CRON_TZ=UTC is not allowed'],
    ['2027-01-01T00:00:00 * * * *', 'minute "2027-01-01T00:00:00" is not a value'],
    ['61 * * * *', 'schedule "61 * * * *": minute "61" is out of range; allowed: 0-59'],
  ])('refuses %j', (text, message) => {
    expect(() => parseSchedule(text)).toThrow(RangeError);
    expect(() => parseSchedule(text)).toThrow(message);
  });

  test.each(['Mars/Olympus', '', '+02:00', 'Local', 'Europe/Paris '])(
    'refuses the time zone %j',
    (timeZone) => {
      expect(() => parseSchedule('@daily', timeZone)).toThrow(
        `time zone ${JSON.stringify(timeZone)} is unknown`,
      );
    },
  );
});

describe('nextFire', () => {
  test('is strictly after the moment asked about', () => {
    const hourly = parseSchedule('@hourly');
    expect(nextFire(hourly, at('2027-01-01T00:00:00Z'))).toBe(at('2027-01-01T01:00:00Z'));
    expect(nextFire(hourly, at('2027-01-01T00:00:00Z') - 1)).toBe(at('2027-01-01T00:00:00Z'));
    expect(nextFire(hourly, at('2027-01-01T00:59:59.999Z'))).toBe(at('2027-01-01T01:00:00Z'));
  });

  test.each([
    ['@yearly', ['2028-01-01T00:00', '2029-01-01T00:00']],
    ['@monthly', ['2027-07-01T00:00', '2027-08-01T00:00']],
    ['@weekly', ['2027-06-20T00:00', '2027-06-27T00:00']],
    ['@daily', ['2027-06-16T00:00', '2027-06-17T00:00']],
    ['@midnight', ['2027-06-16T00:00', '2027-06-17T00:00']],
    ['@hourly', ['2027-06-15T13:00', '2027-06-15T14:00']],
    ['0 9 * * mon-fri', ['2027-06-16T09:00', '2027-06-17T09:00', '2027-06-18T09:00', '2027-06-21T09:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['59 23 31 12 *', ['2027-12-31T23:59', '2028-12-31T23:59']],
  ])('of %s', (text, expected) => {
    expect(firings(parseSchedule(text), '2027-06-15T12:30:00Z', expected.length)).toEqual(expected);
  });

  test('takes either day field when both are restricted, and both when one is a star', () => {
    const thirteenthOrFriday = ['2027-08-06T00:00', '2027-08-13T00:00', '2027-08-20T00:00'];
    expect(firings(parseSchedule('0 0 13 * 5'), '2027-08-01T00:00:00Z', 3)).toEqual(thirteenthOrFriday);
    expect(firings(parseSchedule('0 0 13 * *'), '2027-08-01T00:00:00Z', 2)).toEqual([
      '2027-08-13T00:00',
      '2027-09-13T00:00',
    ]);
    expect(firings(parseSchedule('0 0 * * 5'), '2027-08-01T00:00:00Z', 2)).toEqual([
      '2027-08-06T00:00',
      '2027-08-13T00:00',
    ]);
    expect(firings(parseSchedule('0 0 */2 * 5'), '2027-08-04T00:00:00Z', 3)).toEqual([
      '2027-08-05T00:00',
      '2027-08-06T00:00',
      '2027-08-07T00:00',
    ]);
  });

  test.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '30 12 31 4 *'])(
    'is never for %s, a date that no year has',
    (text) => {
      const schedule = parseSchedule(text);
      expect(nextFire(schedule, at('2027-01-01T00:00:00Z'))).toBeUndefined();
      expect(isWindowOpen(schedule, 10 * 366 * 24 * 3600, at('2027-03-01T00:00:00Z'))).toBe(false);
    },
  );

  test.each([
    ['Asia/Kolkata', '2027-06-15T03:30'],
    ['America/New_York', '2027-06-15T13:00'],
    ['Pacific/Kiritimati', '2027-06-15T19:00'],
    ['Etc/GMT+3', '2027-06-15T12:00'],
    ['UTC', '2027-06-15T09:00'],
  ])('of nine o’clock in %s', (timeZone, expected) => {
    expect(firings(parseSchedule('0 9 * * *', timeZone), '2027-06-15T01:00:00Z', 1)).toEqual([expected]);
  });

  test('keeps to the clock on the wall across changes of clocks', () => {
    const daily = parseSchedule('0 9 * * *', PARIS);
    expect(firings(daily, '2027-03-27T00:00:00Z', 2)).toEqual(['2027-03-27T08:00', '2027-03-28T07:00']);
    expect(firings(daily, '2027-10-30T00:00:00Z', 2)).toEqual(['2027-10-30T07:00', '2027-10-31T08:00']);
  });

  test('moves a time in the hour that is skipped to the end of that hour', () => {
    const daily = parseSchedule('30 2 * * *', PARIS);
    expect(firings(daily, '2027-03-27T12:00:00Z', 2)).toEqual(['2027-03-28T01:00', '2027-03-29T00:30']);
    const twice = parseSchedule('15,45 2 * * *', PARIS);
    expect(firings(twice, '2027-03-27T12:00:00Z', 2)).toEqual(['2027-03-28T01:00', '2027-03-29T00:15']);
  });

  test('fires once at a fixed time in the hour that is repeated', () => {
    const daily = parseSchedule('30 2 * * *', PARIS);
    expect(firings(daily, '2027-10-30T12:00:00Z', 2)).toEqual(['2027-10-31T00:30', '2027-11-01T01:30']);
  });

  test('continues every hour through both changes', () => {
    const hourly = parseSchedule('@hourly', PARIS);
    expect(firings(hourly, '2027-03-27T23:30:00Z', 3)).toEqual([
      '2027-03-28T00:00',
      '2027-03-28T01:00',
      '2027-03-28T02:00',
    ]);
    expect(firings(hourly, '2027-10-30T23:30:00Z', 3)).toEqual([
      '2027-10-31T00:00',
      '2027-10-31T01:00',
      '2027-10-31T02:00',
    ]);
  });

  test('answers the same for an equal value that was not parsed', () => {
    const plain = { ...parseSchedule('0 9 * * *', PARIS) };
    expect(nextFire(plain, at('2027-06-15T00:00:00Z'))).toBe(at('2027-06-15T07:00:00Z'));
  });
});

/** A schedule in UTC together with what its fields mean, written without the code under test. */
interface Meaning {
  readonly text: string;
  readonly fires: (moment: Date) => boolean;
}

/** The values that a field names; undefined for a star. */
type Field = readonly number[] | undefined;

function field(min: number, max: number): fc.Arbitrary<Field> {
  const values = fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 });
  return fc.option(values, { nil: undefined });
}

function names(values: Field, value: number): boolean {
  return values?.includes(value) ?? true;
}

const meaning: fc.Arbitrary<Meaning> = fc
  .record({ minute: field(0, 59), hour: field(0, 23), day: field(1, 31), weekday: field(0, 6) })
  .map(({ minute, hour, day, weekday }) => ({
    text: [minute, hour, day, undefined, weekday].map((values) => values?.join(',') ?? '*').join(' '),
    fires: (moment: Date): boolean => {
      const onDay = names(day, moment.getUTCDate());
      const onWeekday = names(weekday, moment.getUTCDay());
      const onDate = day && weekday ? onDay || onWeekday : onDay && onWeekday;
      return onDate && names(minute, moment.getUTCMinutes()) && names(hour, moment.getUTCHours());
    },
  }));

const moment = fc.integer({ min: at('2026-12-01T00:00:00Z'), max: at('2028-12-01T00:00:00Z') });

/** The first minute after `after`, and at `end` at the latest, at which the schedule fires. */
function searched(fires: (moment: Date) => boolean, after: number, end: number): number | undefined {
  for (let minute = Math.floor(after / MINUTE) + 1; minute * MINUTE <= end; minute++) {
    if (fires(new Date(minute * MINUTE))) return minute * MINUTE;
  }
  return undefined;
}

describe('schedules', () => {
  test('fire at the minutes that their fields name', () => {
    fc.assert(
      fc.property(meaning, moment, ({ text, fires }, after) => {
        const end = after + 3 * DAY;
        const next = nextFire(parseSchedule(text), after) ?? Infinity;
        expect(next <= end ? next : undefined).toBe(searched(fires, after, end));
      }),
    );
  });

  test('fire at the same times in UTC and in a zone that equals it', () => {
    fc.assert(
      fc.property(meaning, moment, ({ text }, after) => {
        expect(nextFire(parseSchedule(text, 'Etc/UTC'), after)).toBe(nextFire(parseSchedule(text), after));
      }),
      { numRuns: 30 },
    );
  });

  test.each([PARIS, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'])(
    'open a daily window exactly once on every day in %s',
    (timeZone) => {
      const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
      fc.assert(
        fc.property(fc.nat({ max: 23 }), fc.nat({ max: 59 }), (hour, minute) => {
          const daily = parseSchedule(`${String(minute)} ${String(hour)} * * *`, timeZone);
          const days: string[] = [];
          let last = nextFire(daily, at('2027-01-01T00:00:00Z')) ?? NaN;
          for (; last < at('2028-01-01T00:00:00Z'); last = nextFire(daily, last) ?? NaN)
            days.push(date.format(last));
          expect(new Set(days).size).toBe(days.length);
          expect(days.length).toBeGreaterThanOrEqual(364);
        }),
        {
          numRuns: 5,
          examples: [
            [2, 30],
            [2, 15],
            [1, 45],
            [0, 0],
          ],
        },
      );
    },
  );
});

describe('isWindowOpen', () => {
  test('has its start inside and its end outside, to the millisecond', () => {
    const night = parseSchedule('0 22 * * *');
    const start = at('2027-06-15T22:00:00Z');
    const moments = [start - 1, start, start + 1, start + 8 * HOUR - 1, start + 8 * HOUR];
    expect(moments.map((now) => isWindowOpen(night, 8 * 3600, now))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  test('stays open while the schedule fires more often than the window lasts', () => {
    const often = parseSchedule('*/5 9-16 * * *');
    const open = (iso: string): boolean => isWindowOpen(often, 600, at(iso));
    expect(open('2027-06-15T08:59:59Z')).toBe(false);
    expect(open('2027-06-15T09:00:00Z')).toBe(true);
    expect(open('2027-06-15T12:04:59Z')).toBe(true);
    expect(open('2027-06-15T17:04:59Z')).toBe(true);
    expect(open('2027-06-15T17:05:00Z')).toBe(false);
  });

  test('is always open when one window ends as the next starts', () => {
    const back = parseSchedule('@hourly');
    fc.assert(
      fc.property(moment, (now) => {
        expect(isWindowOpen(back, 3600, now)).toBe(true);
      }),
    );
  });

  test('lasts its duration, not its hours on the wall, across a change of clocks', () => {
    const night = parseSchedule('0 1 * * *', PARIS);
    const open = (iso: string): boolean => isWindowOpen(night, 3 * 3600, at(iso));
    expect([open('2027-03-27T23:59:59Z'), open('2027-03-28T00:00:00Z')]).toEqual([false, true]);
    expect([open('2027-03-28T02:59:59Z'), open('2027-03-28T03:00:00Z')]).toEqual([true, false]);
    expect([open('2027-10-30T22:59:59Z'), open('2027-10-30T23:00:00Z')]).toEqual([false, true]);
    expect([open('2027-10-31T01:59:59Z'), open('2027-10-31T02:00:00Z')]).toEqual([true, false]);
  });

  test('opens at the change of clocks when its start is in the hour that is skipped', () => {
    const night = parseSchedule('30 2 * * *', PARIS);
    const open = (iso: string): boolean => isWindowOpen(night, 3600, at(iso));
    expect([open('2027-03-28T00:59:59Z'), open('2027-03-28T01:00:00Z')]).toEqual([false, true]);
    expect([open('2027-03-28T01:59:59Z'), open('2027-03-28T02:00:00Z')]).toEqual([true, false]);
  });

  test('opens once when its start is in the hour that is repeated', () => {
    const night = parseSchedule('30 2 * * *', PARIS);
    const open = (iso: string): boolean => isWindowOpen(night, 600, at(iso));
    expect([open('2027-10-31T00:30:00Z'), open('2027-10-31T00:40:00Z')]).toEqual([true, false]);
    expect(open('2027-10-31T01:30:00Z')).toBe(false);
  });

  test('is never open without a duration, and copes with one longer than history', () => {
    const hourly = parseSchedule('@hourly');
    expect(isWindowOpen(hourly, 0, at('2027-06-15T12:00:00Z'))).toBe(false);
    expect(isWindowOpen(hourly, 1e18, at('2027-06-15T12:00:00Z'))).toBe(true);
  });

  test('is open exactly when some minute of the last duration fired', () => {
    fc.assert(
      fc.property(
        meaning,
        moment,
        fc.integer({ min: 1, max: 2 * 24 * 60 }),
        ({ text, fires }, now, minutes) => {
          const fired = searched(fires, now - minutes * MINUTE, now);
          expect(isWindowOpen(parseSchedule(text), minutes * 60, now)).toBe(fired !== undefined);
        },
      ),
    );
  });
});

import { windowsClosed } from '../../../src/domain/pods/disruption-windows.js';

const NOON = Date.UTC(2026, 0, 2, 12);
const HOUR = 3_600_000;

function closed(...windows: readonly object[]): ReturnType<typeof windowsClosed> {
  return windowsClosed(JSON.stringify(windows), NOON);
}

describe('windowsClosed', () => {
  test('a pod without the annotation may always be moved', () => {
    expect(windowsClosed(undefined, NOON)).toBeUndefined();
  });

  test('a pod may be moved while one of its windows is open, in the time zone of that window', () => {
    const night = { schedule: '0 22 * * *', duration: '8h' };
    expect(closed(night, { schedule: '0 12 * * *', duration: '1m' })).toBeUndefined();
    expect(closed({ ...night, timeZone: 'Asia/Tokyo' })).toMatchObject({ opens: NOON + HOUR });
    expect(closed({ ...night, timeZone: 'Pacific/Auckland' })).toBeUndefined();
  });

  test('the next opening is the earliest of all windows; without windows, or on dates that no year has, there is none', () => {
    expect(
      closed({ schedule: '0 20 * * *', duration: '1h' }, { schedule: '0 14 * * *', duration: '30m' }),
    ).toMatchObject({ opens: NOON + 2 * HOUR });
    expect(closed()).toEqual({ opens: undefined, problem: undefined });
    expect(closed({ schedule: '0 0 30 2 *', duration: '1h' })).toEqual({
      opens: undefined,
      problem: undefined,
    });
  });

  test.each([
    ['tonight', /JSON/],
    ['{}', /expected a JSON list/],
    [JSON.stringify(Array.from({ length: 51 }, () => ({}))), /at most 50/],
    ['[1]', /window 0: expected a JSON list/],
    ['[{"schedule": "0 22 * * *"}]', /window 0: expected a JSON list/],
    ['[{"schedule": "0 22 * * *", "duration": "8h", "zone": "UTC"}]', /window 0: unknown field zone/],
    ['[{"schedule": "0 22 * *", "duration": "8h"}]', /has 4 fields/],
    ['[{"schedule": "0 22 * * *", "duration": "30s"}]', /duration "30s" is not 1m or more/],
    ['[{"schedule": "0 22 * * *", "duration": "8h", "timeZone": "Paris"}]', /time zone "Paris" is unknown/],
  ])('a pod with an annotation that cannot be read stays, and is told why: %s', (text, problem) => {
    expect(windowsClosed(text, NOON)).toMatchObject({ problem: expect.stringMatching(problem) as string });
  });
});

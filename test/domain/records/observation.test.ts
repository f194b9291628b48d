/** Sums and periods of what was observed. */
import fc from 'fast-check';
import {
  addToPeriods,
  MOST_PERIODS,
  NOTHING_OBSERVED,
  observationSince,
  savedUsd,
  type ObservationPeriod,
} from '../../../src/domain/records/observation.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

function more(minutes: number, currentUsd = 1, berthUsd = 0.75) {
  return { ...NOTHING_OBSERVED, seconds: 60 * minutes, currentUsd, berthUsd, berthLaunches: 1 };
}

/** What comes of steps that end at these times, each observed for so many minutes before. */
function periodsOf(times: readonly number[], minutes: number): readonly ObservationPeriod[] {
  return times.reduce<readonly ObservationPeriod[]>(
    (periods, now) => addToPeriods(periods, more(minutes), { now, intervalMillis: HOUR }),
    [],
  );
}

test('what is observed within an hour of the clock is one period', () => {
  const periods = periodsOf(
    [10, 30, 59, 61, 119].map((minute) => START + minute * 60_000),
    10,
  );
  expect(periods).toMatchObject([
    { from: START, to: START + 59 * 60_000, seconds: 1800, currentUsd: 3, berthUsd: 2.25, berthLaunches: 3 },
    { from: START + 60 * 60_000, seconds: 1200, currentUsd: 2 },
  ]);
});

test('after eight days, hours become days of UTC', () => {
  const hours = Array.from({ length: 24 * 20 }, (_, index) => START + index * HOUR + HOUR / 2);
  const periods = periodsOf(hours, 30);
  const [first, second] = periods;
  expect(first).toMatchObject({ from: START, to: START + 23.5 * HOUR, seconds: 24 * 1800 });
  expect(second?.from).toBe(START + DAY);
  const last = hours.at(-1) ?? 0;
  const fine = periods.filter(({ to }) => to > last - 8 * DAY);
  expect(fine.every(({ seconds }) => seconds === 1800)).toBe(true);
  expect(periods.length).toBeLessThan(12 + 8 * 24 + 24);
});

test('merging loses nothing, and the number of periods is bounded', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 * 60 }), { maxLength: 300 }), (gaps) => {
      let now = START;
      const times = gaps.map((minutes) => (now += minutes * 60_000));
      const periods = periodsOf(times, 1);
      const usd = periods.reduce((sum, { currentUsd }) => sum + currentUsd, 0);
      expect(usd).toBeCloseTo(times.length, 6);
      expect(periods.length).toBeLessThanOrEqual(MOST_PERIODS);
      const order = periods.map(({ from }) => from);
      expect([...order].sort((left, right) => left - right)).toEqual(order);
    }),
    { numRuns: 50 },
  );
});

test('the sum since a time has what ended after it', () => {
  const periods = periodsOf(
    [1, 2, 3, 4].map((hour) => START + hour * HOUR - 1),
    60,
  );
  const sum = observationSince({ periods }, START + 2 * HOUR);
  expect(sum).toMatchObject({ to: START + 4 * HOUR - 1, currentUsd: 2, berthLaunches: 2 });
  expect(sum && savedUsd(sum)).toBeCloseTo(0.5, 9);
  expect(observationSince({ periods }, START + DAY)).toBeUndefined();
});

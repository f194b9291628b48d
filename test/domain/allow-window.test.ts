import { isReasonAllowed, type AllowWindow } from '../../src/domain/policies/budget.js';
import { parseSchedule } from '../../src/domain/values/schedule.js';

const NIGHT: AllowWindow = {
  allow: ['Drifted'],
  schedule: parseSchedule('0 22 * * *'),
  durationSeconds: 4 * 3600,
};

test.each([
  ['Drifted', 21, false],
  ['Drifted', 23, true],
  ['Empty', 12, true],
] as const)('with a window for Drifted from 22 to 2, %s at %i o’clock is %s', (reason, hour, expected) => {
  expect(isReasonAllowed([NIGHT], reason, Date.UTC(2026, 0, 1, hour))).toBe(expected);
});

test('of several windows one is enough', () => {
  const noon: AllowWindow = { ...NIGHT, schedule: parseSchedule('0 12 * * *'), durationSeconds: 3600 };
  expect(isReasonAllowed([NIGHT, noon], 'Drifted', Date.UTC(2026, 0, 1, 12, 30))).toBe(true);
});

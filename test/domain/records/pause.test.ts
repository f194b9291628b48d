import {
  describePause,
  formatPause,
  PAUSED_ANNOTATION,
  readPause,
} from '../../../src/domain/records/pause.js';

const SINCE = Date.UTC(2026, 0, 1);
const read = (value: string) => readPause(new Map([[PAUSED_ANNOTATION, value]]));

describe('the pause annotation', () => {
  test('comes back as it was written', () => {
    const pause = { reason: 'incident 42', by: 'ana', since: SINCE };
    expect(read(formatPause(pause))).toEqual(pause);
    expect(describePause(pause)).toBe('Berth is paused by ana since 2026-01-01T00:00:00.000Z: incident 42');
  });

  test.each(['', 'true', 'upgrade', '{broken', '{}', '[1]', '{"reason": 7}'])(
    'is a pause whatever it holds: %j',
    (value) => {
      expect(read(value)).toBeDefined();
    },
  );

  test('is none when it is absent or false', () => {
    expect(readPause(new Map())).toBeUndefined();
    expect(readPause(undefined)).toBeUndefined();
    expect(read('false')).toBeUndefined();
  });

  test('written by hand is the reason, cut where it is long', () => {
    expect(read('upgrade')).toEqual({ reason: 'upgrade', by: '', since: undefined });
    expect(read('x'.repeat(5000))?.reason).toHaveLength(201);
  });
});

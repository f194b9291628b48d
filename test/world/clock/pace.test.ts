/** The laws of a world's pace, over random hosts: some keep up, some are slow, some never answer. */
import fc from 'fast-check';
import { MOST_STEP_MILLIS } from '../../../src/runtime/time/follow-time.js';
import { Pace, PATIENCE_MILLIS } from '../../../world/clock/pace.js';

const SPEED = 14;
const NO_LIMIT = { horizon: undefined, room: Infinity };

/** A look at the pace: so much later by the host's time, with a horizon so far ahead of the world's time, if any. */
const look = fc.record({
  wallMillis: fc.integer({ min: 0, max: 400_000 }),
  ahead: fc.option(fc.integer({ min: -1000, max: 5000 }), { nil: undefined }),
  room: fc.oneof(fc.constant(Infinity), fc.integer({ min: -100, max: 1000 })),
});

interface Step {
  readonly step: number;
  readonly elapsed: number;
  readonly left: number;
  readonly room: number;
  /** For how long time had stood at a horizon, by the host's. */
  readonly stood: number;
}

function walked(looks: readonly { wallMillis: number; ahead: number | undefined; room: number }[]): Step[] {
  const pace = new Pace({ speed: SPEED });
  let [wall, now, standing] = [0, 0, undefined as number | undefined];
  pace.step({ wall, now, ...NO_LIMIT });
  return looks.map(({ wallMillis, ahead, room }) => {
    wall += wallMillis;
    const horizon = ahead === undefined ? undefined : { at: now + ahead, what: 'an answer' };
    standing = ahead !== undefined && ahead <= 0 ? (standing ?? wall) : undefined;
    const step = pace.step({ wall, now, horizon, room });
    now += step;
    const left = Math.max(0, ahead ?? Infinity);
    return { step, elapsed: wallMillis, left, room, stood: standing === undefined ? 0 : wall - standing };
  });
}

describe('Pace', () => {
  test('never goes back, never jumps by more than one step, and never runs faster than its speed', () => {
    fc.assert(
      fc.property(fc.array(look), (looks) => {
        for (const { step, elapsed } of walked(looks)) {
          expect(step).toBeGreaterThanOrEqual(0);
          expect(step).toBeLessThanOrEqual(Math.min(MOST_STEP_MILLIS, elapsed * SPEED));
        }
      }),
    );
  });

  test("never passes what the world may not get ahead of, the host's time of day", () => {
    fc.assert(
      fc.property(fc.array(look), (looks) => {
        for (const { step, room } of walked(looks)) expect(step).toBeLessThanOrEqual(Math.max(0, room));
      }),
    );
  });

  test('never passes an answer that is waited for, unless it has stood there for the whole of its patience', () => {
    fc.assert(
      fc.property(fc.array(look), (looks) => {
        const patient = walked(looks).filter(({ stood }) => stood < PATIENCE_MILLIS);
        for (const { step, left } of patient) expect(step).toBeLessThanOrEqual(left);
      }),
    );
  });

  test('runs at its whole speed again as soon as the answer is there', () => {
    const pace = new Pace({ speed: SPEED });
    pace.step({ wall: 0, now: 0, ...NO_LIMIT });
    const horizon = { at: 30, what: 'an answer' };
    expect(pace.step({ wall: 5, now: 0, horizon, room: Infinity })).toBe(30);
    expect(pace.step({ wall: 10, now: 30, horizon, room: Infinity })).toBe(0);
    expect(pace.step({ wall: 5010, now: 30, horizon, room: Infinity })).toBe(0);
    expect(pace.step({ wall: 5015, now: 30, ...NO_LIMIT })).toBe(5 * SPEED);
  });

  test("continues at the host's own pace, no faster, when an answer never comes", () => {
    const pace = new Pace({ speed: SPEED });
    const horizon = { at: 0, what: 'an answer' };
    for (let wall = 0; wall < PATIENCE_MILLIS; wall += 5)
      expect(pace.step({ wall, now: 0, horizon, room: Infinity })).toBe(0);
    expect(pace.step({ wall: PATIENCE_MILLIS, now: 0, horizon, room: Infinity })).toBe(5);
    expect(pace.step({ wall: PATIENCE_MILLIS + 5, now: 5, horizon, room: Infinity })).toBe(5);
  });

  test('reports how fast time was, and what it waited for', () => {
    const pace = new Pace({ speed: 10 });
    pace.step({ wall: 0, now: 0, ...NO_LIMIT });
    pace.step({ wall: 10, now: 0, ...NO_LIMIT });
    pace.step({ wall: 20, now: 100, horizon: { at: 100, what: 'the planner' }, room: Infinity });
    // The world was asked a second late: what it missed beyond a step is lost.
    pace.step({ wall: 1020, now: 100, ...NO_LIMIT });
    expect(pace.report()).toEqual({
      wallMillis: 1020,
      virtualMillis: 100 + MOST_STEP_MILLIS,
      waitedMillis: new Map([
        ['the planner', 10],
        ['the world itself', 1000 - MOST_STEP_MILLIS / 10],
      ]),
    });
  });
});

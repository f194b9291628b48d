/** A calendar says of each moment what budgets, windows and freezes say of it. */
import fc from 'fast-check';
import {
  BUDGET_REASONS,
  frozenUntil,
  isBudgetActive,
  isReasonAllowed,
  type DisruptionBudget,
} from '../../../src/domain/policies/budget.js';
import {
  DisruptionCalendar,
  type CalendarQuestion,
} from '../../../src/domain/policies/disruption-calendar.js';
import { parseSchedule } from '../../../src/domain/values/schedule.js';

const HOUR = 3_600_000;
const FROM = Date.UTC(2026, 2, 27, 12, 30);
/** With the change of clocks in Europe. */
const UNTIL = FROM + 5 * 24 * HOUR;

const schedules = fc.record({
  schedule: fc.constantFrom(
    parseSchedule('0 12 * * *'),
    parseSchedule('30 1 * * *', 'Europe/Paris'),
    parseSchedule('0 */5 * * sat,sun', 'America/New_York'),
    parseSchedule('@hourly'),
    parseSchedule('0 0 30 2 *'),
  ),
  durationSeconds: fc.constantFrom(60, 1800, 3600, 86_400, 300_000),
});
const reasonsOf = fc.subarray([...BUDGET_REASONS], { minLength: 1 });
const budgets = fc.array(
  fc.record({
    nodes: fc.oneof(fc.record({ count: fc.nat({ max: 3 }) }), fc.record({ percent: fc.nat({ max: 3 }) })),
    reasons: fc.option(reasonsOf, { nil: undefined }),
    window: fc.option(schedules, { nil: undefined }),
  }),
  { maxLength: 3 },
);
const loadBudgets = fc.array(
  fc.record({
    pods: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    usdPerHour: fc.nat({ max: 3 }),
    reasons: fc.option(reasonsOf, { nil: undefined }),
    window: fc.option(schedules, { nil: undefined }),
  }),
  { maxLength: 2 },
);
const moment = fc.integer({ min: -48, max: 168 }).map((hours) => FROM + hours * HOUR);
const freezes = fc.array(
  fc
    .record({
      from: moment,
      hours: fc.integer({ min: 1, max: 60 }),
      reasons: fc.option(reasonsOf, { nil: undefined }),
    })
    .map(({ from, hours, reasons }) => ({ from, until: from + hours * HOUR, reasons })),
  { maxLength: 2 },
);
const windows = fc.array(
  fc.record({ allow: reasonsOf, times: schedules }).map(({ allow, times }) => ({ allow, ...times })),
  { maxLength: 3 },
);
const questions: fc.Arbitrary<CalendarQuestion> = fc.record({
  disruption: fc.record({ budgets, loadBudgets, windows, freezes }),
  clusterBudgets: budgets,
  from: fc.constant(FROM),
  until: fc.constant(UNTIL),
});
const reason = fc.constantFrom(...BUDGET_REASONS, undefined);

/** A calendar of a pool with this, for five days. */
function calendar(
  disruption: Partial<CalendarQuestion['disruption']>,
  question: Partial<CalendarQuestion> = {},
): DisruptionCalendar {
  return new DisruptionCalendar({
    disruption: { budgets: [], loadBudgets: [], windows: [], freezes: [], ...disruption },
    clusterBudgets: [],
    from: FROM,
    until: UNTIL,
    ...question,
  });
}

describe('a calendar', () => {
  test('says at any moment what budgets, windows and freezes say then', () => {
    fc.assert(
      fc.property(questions, reason, fc.integer({ min: FROM, max: UNTIL - 1 }), (question, asked, now) => {
        const { disruption, clusterBudgets } = question;
        const span = new DisruptionCalendar(question)
          .spans(asked)
          .find(({ from, until }) => from <= now && now < until);
        const isFrozen = frozenUntil(disruption.freezes, asked, now) !== undefined;
        const isOpen = asked === undefined || isReasonAllowed(disruption.windows, asked, now);
        const active = <T extends Pick<DisruptionBudget, 'reasons' | 'window'>>(list: readonly T[]) =>
          isFrozen || !isOpen ? [] : list.filter((each) => isBudgetActive(each, asked, now));
        expect(span).toMatchObject({
          closed: isFrozen ? 'Freeze' : isOpen ? undefined : 'OutsideWindows',
          budgets: active(disruption.budgets).map(({ nodes }) => nodes),
          clusterBudgets: active(clusterBudgets).map(({ nodes }) => nodes),
          loadBudgets: active(disruption.loadBudgets).map(({ pods, usdPerHour }) => ({ pods, usdPerHour })),
        });
      }),
    );
  });

  test('has spans that follow one another from its beginning to its end, each other than the one before', () => {
    fc.assert(
      fc.property(questions, reason, (question, asked) => {
        const spans = new DisruptionCalendar(question).spans(asked);
        expect(spans[0]?.from).toBe(FROM);
        expect(spans.at(-1)?.until).toBe(UNTIL);
        const allowed = spans.map((span) => JSON.stringify({ ...span, from: 0, until: 0 }));
        for (const [index, { from }] of spans.entries()) {
          if (index === 0) continue;
          expect(from).toBe(spans[index - 1]?.until);
          expect(allowed[index]).not.toBe(allowed[index - 1]);
        }
      }),
    );
  });

  test('of a pool without budgets, windows and freezes is one span', () => {
    expect(calendar({}).spans('Drifted')).toEqual([
      { from: FROM, until: UNTIL, closed: undefined, budgets: [], clusterBudgets: [], loadBudgets: [] },
    ]);
  });

  test('ends early, and says where, when a window opens each minute of a year', () => {
    const each = { allow: ['Empty' as const], schedule: parseSchedule('* * * * *'), durationSeconds: 30 };
    const busy = calendar({ windows: [each] }, { until: FROM + 365 * 24 * HOUR });
    expect(busy.until).toBeGreaterThan(FROM + 5 * HOUR);
    expect(busy.until).toBeLessThan(UNTIL);
    const spans = busy.spans('Empty');
    expect(spans.at(-1)?.until).toBe(busy.until);
    expect(spans.length).toBeLessThan(1000);
  });
});

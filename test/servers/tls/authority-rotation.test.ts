import { authorityStep, mayDropPredecessors } from '../../../src/servers/tls/keep-certificates.js';

const DAY = 86_400_000;
/** Ten years, as a new CA has; two thirds are over after 2,433 days and a third. */
const TEN_YEARS = { notBefore: 0, notAfter: 3650 * DAY };

describe('authorityStep', () => {
  test.each([
    { step: 'keep', when: 'in the first two thirds of its life', day: 2433 },
    { step: 'stage', when: 'from then on', day: 2434 },
    { step: 'keep', when: 'while its successor is new', day: 2463, made: 2434 },
    { step: 'switch', when: 'thirty days after its successor was made', day: 2464, made: 2434 },
    {
      step: 'keep',
      when: 'while it is not known whether the successor is trusted',
      day: 2500,
      made: 2434,
      isPublished: false,
    },
    {
      step: 'switch',
      when: 'when it has ended and there is a successor, trusted or not',
      day: 3651,
      made: 3640,
      isPublished: false,
    },
    { step: 'replace', when: 'when it has ended without a successor', day: 3651 },
  ])('$step: $when', ({ step, day, made, isPublished = true }) => {
    const next = made === undefined ? undefined : { notBefore: made * DAY, notAfter: (made + 3650) * DAY };
    expect(authorityStep({ active: TEN_YEARS, next, now: day * DAY, isPublished })).toBe(step);
  });

  test('a CA of ninety days is quicker', () => {
    const active = { notBefore: 0, notAfter: 90 * DAY };
    const next = { notBefore: 60 * DAY, notAfter: 3650 * DAY };
    const steps = [59, 60].map((day) =>
      authorityStep({ active, next: undefined, now: day * DAY, isPublished: true }),
    );
    expect(steps).toEqual(['keep', 'stage']);
    const later = [69, 70].map((day) => authorityStep({ active, next, now: day * DAY, isPublished: true }));
    expect(later).toEqual(['keep', 'switch']);
  });
});

describe('mayDropPredecessors', () => {
  test('when the youngest leaf has been about for thirty days', () => {
    const leaves = [{ notBefore: 100 * DAY }, { notBefore: 110 * DAY }];
    const answers = [139, 140].map((day) => mayDropPredecessors(TEN_YEARS, leaves, day * DAY));
    expect(answers).toEqual([false, true]);
  });
});

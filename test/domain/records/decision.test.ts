import fc from 'fast-check';
import { decisionSummary } from '../../../src/domain/records/decision.js';

describe('the summary of a message', () => {
  test('is the message where that is short', () => {
    expect(decisionSummary('empty for 30s')).toBe('empty for 30s');
  });

  test('ends after a whole word', () => {
    const message = `launched for ${'web-0 and '.repeat(12)}others`;
    expect(decisionSummary(message)).toBe(
      'launched for web-0 and web-0 and web-0 and web-0 and web-0 and web-0 and web-0…',
    );
  });

  test('is one line', () => {
    expect(decisionSummary('first\nsecond')).toBe('first…');
  });

  test('has at most 80 characters, and is a beginning of the message', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (message) => {
        const summary = decisionSummary(message);
        expect(summary.length).toBeLessThanOrEqual(80);
        expect(message.startsWith(summary.replace(/…$/, ''))).toBe(true);
      }),
    );
  });
});

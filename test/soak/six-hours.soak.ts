import { playDays } from '../simulated/days/play-days.js';

const HOURS = Number(process.env['HOURS'] ?? '6');

describe('six hours of a simulated day', () => {
  test('give the same trace in two processes, and another seed another', async () => {
    const [first, again, other] = await playDays([1, 1, 2], { hours: HOURS });
    expect(first?.lines).toBeGreaterThanOrEqual(3_000);
    expect(again).toMatchObject({ lines: first?.lines, sha256: first?.sha256 });
    expect(other?.sha256).not.toBe(first?.sha256);
  });
});

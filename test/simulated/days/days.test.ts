import { playDays } from './play-days.js';

test('the same seed gives the same trace in two processes, and another seed another', async () => {
  const [first, again, other] = await playDays([1, 1, 2], { hours: 0.25 });
  expect(first?.lines).toBeGreaterThan(100);
  expect(again).toMatchObject({ lines: first?.lines, sha256: first?.sha256 });
  expect(other?.sha256).not.toBe(first?.sha256);
  for (const day of [first, other]) expect(day).toMatchObject({ findings: [], pending: 0 });
}, 600_000);

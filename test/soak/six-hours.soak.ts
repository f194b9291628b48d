import { spawnLongRuns } from '../simulated/long-run/spawn-long-run.js';

const MINUTES = Number(process.env['MINUTES'] ?? '360');

describe('six hours of churn, empty pools and interruptions', () => {
  test('give the same trace of at least 10,000 lines in two processes, and another seed another', async () => {
    const [first, again, other] = await spawnLongRuns([1, 1, 2], { minutes: MINUTES });
    expect(first?.lines).toBeGreaterThanOrEqual(10_000);
    expect(again).toMatchObject({ lines: first?.lines, sha256: first?.sha256 });
    expect(other?.sha256).not.toBe(first?.sha256);
    for (const run of [first, other]) {
      expect(Object.values(run?.counts ?? {}).every((count) => count > 0)).toBe(true);
      expect(run?.end).toMatchObject({ pending: 0, claims: run?.end.instances });
    }
  });
});

import { spawnLongRuns } from './spawn-long-run.js';

const MINUTES = 5;

test('the same seed gives the same trace in two processes, and another seed another', async () => {
  const [first, again, other] = await spawnLongRuns([1, 1, 2], { minutes: MINUTES });
  expect(first?.lines).toBeGreaterThan(100);
  expect(again).toMatchObject({ lines: first?.lines, sha256: first?.sha256 });
  expect(other?.sha256).not.toBe(first?.sha256);
  for (const run of [first, other])
    expect(run?.end).toEqual({ ...run?.end, pending: 0, claims: run?.end.instances });
}, 600_000);

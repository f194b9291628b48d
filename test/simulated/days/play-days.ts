/** Days in processes of their own, for tests. */
import { runBundled } from '../run-bundled.js';
import type { DayResult } from './play-day.js';

/** One after the other. @throws Error, when one fails, with what it wrote. */
export async function playDays(
  seeds: readonly number[],
  { hours }: { readonly hours: number },
): Promise<readonly DayResult[]> {
  const calls = seeds.map((seed) => ['day', String(seed), String(hours)]);
  return (await runBundled('test/simulated/days/main.ts', calls)) as readonly DayResult[];
}

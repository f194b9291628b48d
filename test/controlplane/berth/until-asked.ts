/** Runs of a cluster in which kube-scheduler was to wait for Berth; where it did not, they say how busy the machine is. */
import process from 'node:process';

/** How often `untilAsked` tries. */
export const MOST_ATTEMPTS = 3;

/** What a test may take in which each attempt may take as long as other tests (jest.config.js). */
export const ATTEMPTS_MILLIS = MOST_ATTEMPTS * 300_000;

export interface Attempt {
  /** Filter calls that kube-scheduler went on without, if the outcome may be due to them; otherwise 0. */
  readonly callsIgnored: number;
}

/** The outcome of the first attempt without ignored calls, or of the last of `MOST_ATTEMPTS`. */
export async function untilAsked<T extends Attempt>(name: string, attempt: () => Promise<T>): Promise<T> {
  for (let left = MOST_ATTEMPTS - 1; ; left -= 1) {
    const outcome = await attempt();
    if (outcome.callsIgnored === 0 || left === 0) return outcome;
    process.stderr.write(`${name}: ${ignored(outcome)}; once more\n`);
  }
}

export function ignored({ callsIgnored }: Attempt): string {
  return `kube-scheduler did not wait for ${String(callsIgnored)} answers`;
}

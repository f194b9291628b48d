/** How the clocks of a test's cluster are set. */

const WEEK_MILLIS = 7 * 86_400_000;

/**
 * By how much Berth's clock is to be ahead of the host's so that it stands at the weekday and time of `start` (ISO 8601):
 * less than a week, and never forward, since what Kubernetes stamps must not look long past.
 */
export function clockAhead(start: string | undefined): number {
  if (start === undefined) return 0;
  const behind = (Date.now() - Date.parse(start)) % WEEK_MILLIS;
  return -(behind < 0 ? behind + WEEK_MILLIS : behind);
}

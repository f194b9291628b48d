/** What this process held at most. */

/** MiB of resident memory at its peak. */
export function peakMebibytes(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

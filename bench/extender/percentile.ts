/** Percentiles of what was measured, and of a histogram in Prometheus' text format. */

/** The figure that this share of them do not exceed; NaN of none. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** Observations of a histogram: upper bound of each bucket → how many are at most that, in rising order. */
export type Buckets = readonly (readonly [bound: number, atMost: number])[];

/** The buckets of one series, such as `name{verb="filter"}`, of a page of metrics. */
export function bucketsOf(page: string, name: string, label: string): Buckets {
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name}_bucket{`) && line.includes(label))
    .map((line): readonly [number, number] => {
      const bound = /le="([^"]+)"/.exec(line)?.[1] ?? '';
      return [bound === '+Inf' ? Infinity : Number(bound), Number(line.slice(line.lastIndexOf(' ') + 1))];
    });
}

/** What was observed after `before`. */
export function since(before: Buckets, after: Buckets): Buckets {
  return after.map(([bound, count], index) => [bound, count - (before[index]?.[1] ?? 0)] as const);
}

/** As Prometheus' histogram_quantile: between the bounds of its bucket as if they were spread evenly there. */
export function quantile(buckets: Buckets, share: number): number {
  const wanted = share * (buckets.at(-1)?.[1] ?? NaN);
  const index = buckets.findIndex(([, count]) => count >= wanted);
  const [bound, count] = buckets[index] ?? [NaN, NaN];
  const [below, countBelow] = buckets[index - 1] ?? [0, 0];
  if (bound === Infinity) return below;
  return below + ((bound - below) * (wanted - countBelow)) / (count - countBelow);
}

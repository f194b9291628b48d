/** How time grows with size. */

/** The exponent of the power of `pods` that fits the seconds best: the slope of the least-squares line through the logarithms. */
export function growthExponent(
  points: readonly { readonly pods: number; readonly seconds: number }[],
): number {
  const logs = points.map(({ pods, seconds }) => [Math.log(pods), Math.log(seconds)] as const);
  const mean = (of: (log: readonly [number, number]) => number): number =>
    logs.reduce((sum, log) => sum + of(log), 0) / logs.length;
  const [x, y] = [mean(([pods]) => pods), mean(([, seconds]) => seconds)];
  return mean(([pods, seconds]) => (pods - x) * (seconds - y)) / mean(([pods]) => (pods - x) ** 2);
}

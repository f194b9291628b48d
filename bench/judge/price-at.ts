/** The price that a consolidation curve reaches with some number of moved pods. */
import type { ConsolidationPoint } from '../../src/planning/disrupt/curve/consolidation-question.js';

/** USD/h: between two points, as much of the way from one to the other as the moves are. */
export function priceAt(
  curve: readonly Pick<ConsolidationPoint, 'moves' | 'hourly'>[],
  moves: number,
): number {
  const index = curve.findIndex((point) => point.moves >= moves);
  const [from, to] = [curve[index - 1], curve[index]];
  if (from === undefined || to === undefined) return (to ?? curve.at(-1))?.hourly ?? 0;
  const share = (moves - from.moves) / (to.moves - from.moves);
  return from.hourly + share * (to.hourly - from.hourly);
}
